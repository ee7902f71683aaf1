// Which client is meant? The one that was named, or all; else a person at a terminal is shown what was found and asked. A script has to say it.
import type { ClientServer } from "../../clients/find-clients.ts";
import { SynartesisError } from "../../errors.ts";
import type { Context } from "../command.ts";
import { commandLine } from "../command-line.ts";
import { visible } from "../render/visible.ts";
import { type Chooser, type Chosen, chooseServers } from "./choose-servers.ts";
import { shortPath } from "./client-words.ts";

/** Gives the id of the client that is meant, or undefined for all of them: as the words say, else as a person does. @throws usage, not-found, refused */
export async function chooseClient(
  context: Context,
  named: string | undefined,
  told: Omit<Chooser, "client"> & { readonly all: boolean; readonly yes: boolean },
  verb: "connect" | "disconnect",
): Promise<string | undefined> {
  if (named !== undefined && told.all)
    throw new SynartesisError("usage", `--all is every client, so ${named} can't be given with it`, { hint: "leave out one of them" });
  return named !== undefined || told.all ? named : askForClient(context, told, verb);
}

/** With `yes`, the only one there is needs no answer. @throws usage where nobody can be asked; refused where nothing was chosen */
async function askForClient(
  context: Context,
  told: Omit<Chooser, "client"> & { readonly yes: boolean },
  verb: "connect" | "disconnect",
): Promise<string | undefined> {
  const { io, signal } = context;
  const found = await chooseServers(io, { ...told, client: undefined });
  const isMeant = ({ wrapping }: ClientServer) => verb === "connect" || wrapping !== undefined;
  const ids = [...new Set(found.servers.filter(isMeant).map(({ file }) => file.client.id))];
  // Then it is said of all of them that nothing is wrapped, and which can't be read.
  if (ids.length === 0 && verb === "disconnect") return undefined;
  if (ids.length === 1 && told.yes) return ids[0];
  if (ids.length === 0) {
    const [broken] = found.unreadable;
    const hint =
      broken === undefined ? "name one, with --file where its file is in another place" : `${broken.file.path}: ${broken.reason}`;
    throw new SynartesisError("not-found", "no MCP client with servers was found on this machine", { hint });
  }
  if (!io.stdin.isTerminal) {
    const hint = `${commandLine(io, [verb, ids[0] ?? ""])}, or --all; found: ${ids.join(", ")}`;
    throw new SynartesisError("usage", "which client?", { hint });
  }
  context.print(listText(context, found));
  const answer = (await io.readLine(`Which one? (${ids.join(", ")}, or all)`, signal))?.trim();
  if (answer === "all") return undefined;
  if (answer !== undefined && ids.includes(answer)) return answer;
  throw new SynartesisError("refused", answer ? `"${answer}" is none of them; nothing was done` : "nothing was done");
}

function listText({ io }: Context, { servers, files }: Chosen): string {
  const lines = files.flatMap((file) => {
    const names = servers
      .filter((server) => server.file === file)
      .map(({ name, wrapping }) => `${visible(name)}${wrapping ? " (wrapped)" : ""}`);
    return names.length === 0 ? [] : [`${file.client.id}  ${visible(shortPath(io, file.path))}`, `  ${names.join(", ")}`];
  });
  return lines.join("\n");
}
