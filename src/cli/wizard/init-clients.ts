// How do the servers of the clients on this machine come under guard, all in one go? Finds them, goes through the wizard, and connects the clients
// where that is wanted. What can't be guarded is named, and stays as it was.
import type { ClientServer } from "../../clients/find-clients.ts";
import { nearest } from "../../core/near-name.ts";
import { SynartesisError } from "../../errors.ts";
import { checkManifest } from "../check-manifest.ts";
import type { Chosen } from "../clients/choose-servers.ts";
import { shortPath } from "../clients/client-words.ts";
import { type Connected, carryOut, planFiles } from "../clients/connect-servers.ts";
import { type Prepared as ClientPrepared, prepareServers } from "../clients/prepare-servers.ts";
import type { Context } from "../command.ts";
import { commandLine } from "../command-line.ts";
import { toldManifest } from "../find-files.ts";
import type { Io } from "../io.ts";
import { connectedText, planText } from "../render/connect.ts";
import { findingText, sumText } from "../render/findings.ts";
import { wrapWords } from "../render/layout.ts";
import { visible } from "../render/visible.ts";
import { widthOf } from "../view.ts";
import { manifestToWrite } from "../write-manifest.ts";
import { type ClientCandidate, candidatesIn, preparedFor, serversAround } from "./client-candidates.ts";
import { type InitOptions, isInteractive, toldBy } from "./options.ts";
import { type Result, runWizard } from "./run-wizard.ts";
import { clientsDocument, guardedText } from "./tell-clients.ts";

/** So many warnings are told of what was written. */
const MOST_WARNINGS = 10;

/** Guards servers of clients. Resolves with the exit code: 1 where not everything that was wanted could be done, 130 where somebody stopped it. @throws usage */
export async function initClients(context: Context, options: InitOptions): Promise<number> {
  const { io } = context;
  const isTerminal = isInteractive(context, options);
  if (!isTerminal && !options.yes && options.guard.length === 0) throw nothingSaid(io);
  const manifest = manifestToWrite(io, options.manifest);
  const chosen = await serversAround(io, options.client);
  const candidates = candidatesIn(io, chosen.servers);
  if (!options.json) tellOfFound(context, chosen, candidates);
  if (candidates.length === 0) throw nothingFound(io, chosen);
  const guard = options.guard.length === 0 ? undefined : options.guard.flatMap((name) => idsOf(candidates, name));
  const connect = options["no-connect"] ? false : options.connect || options.yes ? true : undefined;
  const prepared = new Map<string, ClientPrepared>();
  const findings = { errors: 0 };
  const result = await runWizard(context, {
    ...{ file: manifest, candidates, isChosen: false, isTerminal, told: toldBy(options, { isScript: !isTerminal, guard, connect }) },
    prepare: async (ids) => {
      const wanted = candidates.filter(({ id }) => ids.includes(id));
      const made = await prepareServers(
        context,
        wanted.map(({ server }) => server),
        { manifest, roots: options.root, canAsk: isTerminal },
      );
      for (const [at, { id }] of wanted.entries()) if (made[at] !== undefined) prepared.set(id, made[at]);
      return new Map(wanted.map(({ id }, at) => [id, preparedFor(made[at])] as const));
    },
    clients: (ids) => [...new Set(candidates.filter(({ id }) => ids.includes(id)).map(({ server }) => server.file.client.title))],
    onConnect: async (ids) => {
      const wanted = wantedAmong(ids, prepared);
      const planned = await planFiles(io, wanted, manifest);
      context.print(`\n${planText(io, { chosen: { ...chosen, unreadable: [] }, prepared: wanted, planned, manifest })}\n`);
    },
    onWritten: async () => {
      findings.errors = await check(context, manifest, options.json);
    },
  });
  if (result.kind === "stopped") return 130;
  const done = result.kind === "connect" ? await connectAll(context, result, prepared, manifest) : undefined;
  tell(context, { manifest, candidates, result, done }, options.json);
  const isPartial = result.failed.length > 0 || findings.errors > 0 || (done?.refused.length ?? 0) > 0;
  return isPartial || !result.isWritten ? 1 : 0;
}

function nothingSaid(io: Io): SynartesisError {
  const hint = `${commandLine(io, ["init", "--yes"])} guards every server that your clients have, --guard NAME some of them; or ${commandLine(io, ["init", "NAME", "--", "COMMAND"])}`;
  return new SynartesisError("usage", "which servers are to be guarded? Nobody is there to be asked", { hint });
}

function nothingFound(io: Io, { servers }: Chosen): SynartesisError {
  if (servers.length > 0) return new SynartesisError("refused", "no server is left to be guarded");
  const hint = `${commandLine(io, ["init", "NAME", "--", "COMMAND"])} guards one that you name`;
  return new SynartesisError("usage", "no MCP client with a server was found on this machine", { hint });
}

/** Says what was found and isn't asked about. */
function tellOfFound(context: Context, { servers, unreadable }: Chosen, candidates: readonly ClientCandidate[]): void {
  const asked = new Set(candidates.map(({ server }) => server));
  const lines = [
    ...unreadable.map(({ file, reason }) => `${file.client.title}: ${shortPath(context.io, file.path)} can't be read: ${reason}`),
    ...servers.filter((server) => !asked.has(server)).map((server) => `${server.file.client.title}: ${server.name} ${whyNot(server)}`),
  ];
  for (const line of lines) context.note(wrapWords(visible(line), widthOf(context.io, 1000)));
}

function whyNot({ wrapping, reach }: ClientServer): string {
  if (wrapping !== undefined || reach.kind === "manifest") return "is guarded already";
  return reach.kind === "none" ? `is left as it is: ${reach.reason}` : "is switched off";
}

function idsOf(candidates: readonly ClientCandidate[], name: string): readonly string[] {
  const named = candidates.filter(({ names }) => names.includes(name));
  // A project's server is meant where it is the only one of that name.
  const own = named.filter(({ isUsual }) => isUsual);
  if (named.length > 0) return (own.length > 0 ? own : named).map(({ id }) => id);
  const all = candidates.flatMap(({ names }) => names);
  const near = nearest(name, all);
  const hint =
    near === undefined ? `there are: ${[...new Set(candidates.map(({ server }) => server.name))].join(", ")}` : `did you mean "${near}"?`;
  throw new SynartesisError("usage", `no server is called "${name}"`, { hint });
}

/** Says what is wrong with what was written; gives how many errors there are. */
async function check(context: Context, manifest: string, isQuiet: boolean): Promise<number> {
  const { findings } = await checkManifest(context, manifest);
  const errors = findings.filter(({ severity }) => severity === "error");
  if (!isQuiet) {
    const others = findings.filter((finding) => !errors.includes(finding));
    for (const finding of [...errors, ...others.slice(0, MOST_WARNINGS)]) context.print(findingText(manifest, finding));
    const more = others.length - MOST_WARNINGS;
    if (more > 0) context.print(`and ${more} more: ${commandLine(context.io, ["check"], toldManifest(context.io, manifest))}`);
    context.print(`checked ${visible(shortPath(context.io, manifest))}: ${sumText(findings)}`);
  }
  return errors.length;
}

/** The manifest has its policies by now: only the clients' files are left. */
async function connectAll(
  context: Context,
  { servers }: Result,
  prepared: ReadonlyMap<string, ClientPrepared>,
  manifest: string,
): Promise<Connected> {
  const wanted = wantedAmong(
    servers.map(({ id }) => id),
    prepared,
  );
  const { plans, refused } = await planFiles(context.io, wanted, manifest);
  const done = await carryOut(context, wanted, plans, manifest);
  return { ...done, refused: [...refused, ...done.refused] };
}

/** What was prepared of these; their policies are in the manifest by now. */
function wantedAmong(ids: readonly string[], prepared: ReadonlyMap<string, ClientPrepared>): readonly ClientPrepared[] {
  return ids.flatMap((id) => prepared.get(id) ?? []).map((each) => (each.kind === "wrap" ? { ...each, made: undefined } : each));
}

interface Told {
  readonly manifest: string;
  readonly candidates: readonly ClientCandidate[];
  readonly result: Result;
  readonly done: Connected | undefined;
}

function tell(context: Context, { manifest, candidates, result, done }: Told, json: boolean): void {
  const { io } = context;
  if (json) context.printJson(clientsDocument(manifest, candidates, result, done));
  else {
    const told = result.isWritten ? result : { ...result, servers: [] };
    for (const line of guardedText(candidates, told)) context.print(wrapWords(line, widthOf(io, 1000)));
    if (result.isWritten) context.print(done === undefined ? nextText(io, manifest) : connectedText(io, done, manifest));
    else context.note("nothing was written");
  }
}

function nextText(io: Io, manifest: string): string {
  const connect = commandLine(io, ["connect"], toldManifest(io, manifest));
  return `\nNext: ${connect}\n${wrapWords("puts the proxy in front of them; until then your clients start them as before", widthOf(io, 1000), "  ")}`;
}
