// Which server do the words of a command line mean, and how is it looked at? Checked before anything is started.
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { choosePolicy } from "../../draft/choose-policy.ts";
import type { FoundServer } from "../../draft/next-step.ts";
import { SynartesisError } from "../../errors.ts";
import { type NewCommand, type NewUrl, newManifest } from "../../manifest/new-manifest.ts";
import { shippedPolicies } from "../../manifest/shipped.ts";
import type { Context } from "../command.ts";
import { type CompanyOptions, companyFor, NO_COMPANY } from "../companion-folders.ts";
import { listServer, type ServerReach, type ServerTools } from "../list-server.ts";
import { failedWith, type Prepared, readyWith } from "./prepare.ts";

/** A server that was named, and how it is looked at. */
export interface NamedServer extends FoundServer {
  readonly server: NewCommand | NewUrl;
  prepare(): Promise<Prepared>;
}

/** What says where a server is. */
export interface Given {
  readonly url: string | undefined;
  readonly header: readonly string[];
  readonly rest: readonly string[] | undefined;
}

/** Makes the server that was named. `told`: the folders that its companion may read and change, and whether they can be asked for. @throws usage */
export function namedServer(
  context: Context,
  file: string,
  name: string,
  given: Given,
  told: Omit<CompanyOptions, "project">,
): NamedServer {
  const server = serverFrom(context, file, name, given);
  const folder = dirname(file);
  const cwd = existsSync(folder) ? folder : context.io.cwd;
  return {
    id: name,
    title: name,
    about: "url" in server ? server.url : [server.command, ...server.args].join(" "),
    isUsual: true,
    server,
    prepare: async () => {
      const listed = await listServer(context, "url" in server ? await urlReach(context, folder, server) : { ...server, env: {}, cwd });
      if (listed.kind === "failed") return failedWith(unlisted(listed));
      const choice = choosePolicy(name, listed.tools, shippedPolicies());
      const company = { args: [], ...server, cwd: folder };
      const asked = { ...told, project: undefined };
      const { companions, open } = choice.kind === "shipped" ? companyFor(context, company, choice.policy, asked) : NO_COMPANY;
      return readyWith(name, listed.tools, choice, { server, companions }, open);
    },
  };
}

function unlisted({ reason, hint }: Extract<ServerTools, { kind: "failed" }>): SynartesisError {
  return new SynartesisError("server-unavailable", `the server can't be listed: ${reason}`, hint === undefined ? {} : { hint });
}

function serverFrom(context: Context, file: string, name: string, { url, header, rest }: Given): NewCommand | NewUrl {
  const [command, ...args] = rest ?? [];
  if (url !== undefined && rest !== undefined) throw new SynartesisError("usage", "a server has a command after --, or a --url; not both");
  if (url === undefined && header.length > 0) throw new SynartesisError("usage", "--header goes with --url only");
  if (url !== undefined || command !== undefined) checkName(name);
  if (url !== undefined) return { name, url, headers: Object.fromEntries(header.map(headerFrom)) };
  if (command === undefined) {
    const hint = `synartesis init ${name} -- COMMAND [ARGS...], or synartesis init ${name} --url URL`;
    throw new SynartesisError("usage", "which command starts the server, or where is it?", { hint });
  }
  return placed(context, file, { name, command, args });
}

function headerFrom(text: string): readonly [string, string] {
  const [, name, value] = /^([^:\s]+):\s*(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new SynartesisError("usage", "--header takes a name and a value", { hint: `--header 'Authorization: Bearer \${TOKEN}'` });
  return [name, value];
}

/** Checks what a server is to be called in the manifest. @throws usage */
export function checkName(name: string): void {
  if (!/^[A-Za-z0-9_-]+$/.test(name) || name.includes("__")) {
    throw new SynartesisError("usage", `a server can't be called "${name}"`, {
      hint: "letters, digits, - and _ (not two of these in a row)",
    });
  }
}

function placed({ io }: Context, file: string, server: NewCommand): NewCommand {
  if (io.cwd === dirname(file)) return server;
  // The server will be started in the manifest's folder, where a path that is relative to this one would lead elsewhere.
  const place = (word: string) => (existsSync(resolve(io.cwd, word)) ? resolve(io.cwd, word) : word);
  const { command, args } = server;
  return { ...server, command: command.includes("/") ? place(command) : command, args: args.map(place) };
}

/** What is wrong with the address or its headers is said as the manifest's loader would say it, before anything is sent. */
async function urlReach({ io }: Context, directory: string, server: NewUrl): Promise<ServerReach> {
  const [{ loadManifestText }, { expandUrl }] = await Promise.all([
    import("../../manifest/load.ts"),
    import("../../manifest/expand-source.ts"),
  ]);
  const loading = loadManifestText(newManifest({ server, rulesYaml: [] }), { directory, env: io.env });
  if (loading.kind === "invalid") throw new SynartesisError("usage", loading.problems.map(({ message }) => message).join("\n"));
  return { name: server.name, ...expandUrl(server.name, { kind: "url", ...server }, io.env) };
}
