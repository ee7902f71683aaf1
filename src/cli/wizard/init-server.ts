// How is one server, named on the command line, put into the manifest? The same steps at a terminal and in a pipe; only who answers differs.

import { SynartesisError } from "../../errors.ts";
import type { Context } from "../command.ts";
import { commandLine } from "../command-line.ts";
import { toldManifest } from "../find-files.ts";
import { readManifest } from "../read-manifest.ts";
import { contentOf } from "../replace-file.ts";
import { manifestToWrite } from "../write-manifest.ts";
import { decideAgain } from "./decide-again.ts";
import { namedServer } from "./named-server.ts";
import { type InitOptions, isInteractive, toldBy } from "./options.ts";
import { runWizard } from "./run-wizard.ts";
import { tellOfServer } from "./tell-server.ts";

/** Guards one server. Resolves with the exit code: 130 where somebody stopped it. @throws usage, server-unavailable, manifest-invalid */
export async function initServer(context: Context, name: string, options: InitOptions): Promise<number> {
  const file = manifestToWrite(context.io, options.manifest);
  const isNew = options.rest !== undefined || options.url !== undefined || options.header.length > 0;
  const manifest = isNew || contentOf(file) === undefined ? undefined : await readManifest(context.io, file);
  const known = manifest?.policy.servers.find((server) => server.name === name);
  if (manifest !== undefined && known !== undefined) return decideAgain(context, { ...manifest, file }, known, options);
  const isTerminal = isInteractive(context, options);
  const candidate = namedServer(context, file, name, options, { roots: options.root, canAsk: isTerminal });
  const before = contentOf(file);
  let others = 0;
  const told = toldBy(options, { isScript: !isTerminal, guard: undefined });
  const result = await runWizard(context, {
    ...{
      file,
      candidates: [candidate],
      prepare: async () => {
        others = await declaredOthers(context, file, name);
        return new Map([[name, await candidate.prepare()]]);
      },
      isChosen: true,
      isTerminal,
      told,
    },
    clients: () => [],
    onConnect: async () => {},
    onWritten: async () => {},
  });
  if (result.kind === "stopped") return 130;
  const [failed] = result.failed;
  if (failed !== undefined) throw failed.error;
  const [guarded] = result.servers;
  const choice = guarded?.prepared.choice;
  if (guarded === undefined || choice === undefined || !result.isWritten) {
    context.note("nothing was written");
    return 1;
  }
  tellOfServer(context, { file, created: before === undefined, server: candidate.server, others, ...guarded, choice }, options.json);
  return 0;
}

/** Gives how many other servers that a client can have the manifest names. @throws usage where it has this one already */
async function declaredOthers({ io }: Context, file: string, name: string): Promise<number> {
  if (contentOf(file) === undefined) return 0;
  const { policy } = await readManifest(io, file);
  if (!policy.servers.some((server) => server.name === name)) return policy.servers.filter(({ hidden }) => hidden !== true).length;
  const again = commandLine(io, ["init", name], toldManifest(io, file));
  throw new SynartesisError("usage", `${file} has a server "${name}" already`, {
    hint: `${again} asks again about its tools that are still open; or choose another name`,
  });
}
