// How does an undo reach a server as the run recorded it: its command, its address, or its entry in a client's file? With what stands for the same as
// then, or not at all. Starts nothing.
import type { ServerSource } from "../core/policy.ts";
import { SynartesisError } from "../errors.ts";
import type { Journal, Run, ServerIdentity } from "../journal/journal.ts";
import {
  type ExpandedCommand,
  type ExpandedUrl,
  expandSource,
  expandUrl,
  ownProgram,
  reachText,
  variablesOf,
} from "../manifest/expand-source.ts";
import { serverEnvironment } from "../upstream/environment.ts";
import type { Login } from "../upstream/http/http-client.ts";
import type { UpstreamStart } from "../upstream/open-upstream.ts";
import { SILENT } from "../upstream/stdio.ts";

/** What is needed to reach a server. */
export interface ReachParts {
  readonly journal: Journal;
  /** Our own environment: what `${VAR}` stands for, and what servers are started with. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What somebody's login to a server at a URL gives. */
  readonly login: (name: string, url: URL) => Login;
  /** How a server is reached whose entry stands in a client's file. @throws SynartesisError server-unavailable where that can't be known */
  readonly viaClient: (name: string, via: ViaSource) => Promise<ExpandedCommand | ExpandedUrl>;
  /** The command of a server that was wrapped in place, as a person gave it after `--`. */
  readonly wrappedCommand: readonly string[] | undefined;
  /** The words that start this program. */
  readonly program: readonly string[];
  /** Writes a command of ours as a person can run it here. */
  readonly command: (...words: string[]) => string;
  /** Today's source of a server, taken instead of the recorded one (`--replan`). */
  readonly today: ((name: string) => ServerSource | undefined) | undefined;
}

type ViaSource = Extract<ServerSource, { kind: "via" }>;

/** As the proxy writes it. A run of an older version has no mark of what its variables stood for. */
type RecordedSource = (ServerSource & { readonly mark?: string }) | WrappedSource;
interface WrappedSource {
  readonly kind: "wrapped";
  readonly mark: string;
  readonly cwd: string;
  /** Where the command stands, if the manifest said so. */
  readonly via?: ViaSource;
}

/** How the server is reached; whoever listens to it is added. */
export type Reach =
  | Pick<Extract<UpstreamStart, { command: string }>, "command" | "args" | "env" | "cwd" | "stderr">
  | Pick<Extract<UpstreamStart, { place: object }>, "place">;

/** Finds it out. @throws SynartesisError manifest-invalid, usage where somebody has to give what is missing; server-mismatch, server-unavailable */
export async function reachOf(run: Run, recorded: ServerIdentity, parts: ReachParts): Promise<Reach> {
  const { name } = recorded;
  const source = (parts.today?.(name) ?? recorded.source) as unknown as RecordedSource; // the record's is the proxy's own
  switch (source.kind) {
    case "command": {
      const expanded = expandSource(name, source, parts.env);
      await checkSame(source, expanded, parts, () => variablesText(name, source));
      return reach(name, ownProgram(expanded, parts.program), parts);
    }
    case "url": {
      const place = expandUrl(name, source, parts.env);
      await checkSame(source, place, parts, () => variablesText(name, source));
      return reach(name, place, parts);
    }
    case "via": {
      const found = await parts.viaClient(name, source);
      await checkSame(source, found, parts, () => `the entry of ${name} in ${source.file} isn't what it was when the run started it`);
      return reach(name, found, parts);
    }
    case "wrapped":
      return parts.wrappedCommand === undefined
        ? reachWrapped(run, name, source, parts)
        : reachGiven(name, source, parts.wrappedCommand, parts);
  }
}

function reach(name: string, found: ExpandedCommand | ExpandedUrl, parts: ReachParts): Reach {
  if ("url" in found) return { place: { ...found, login: parts.login(name, found.url) } };
  return { ...found, env: serverEnvironment(parts.env, found.env), stderr: SILENT };
}

function variablesText(name: string, source: ServerSource & { kind: "command" | "url" }): string {
  return `the variables of ${name} (${variablesOf(source).join(", ")}) have other values than when the run started it`;
}

/** With other values in its variables a server may show another world: there, nothing of the run would be found, and that be taken for undone. */
async function checkSame(
  source: { readonly mark?: string },
  found: ExpandedCommand | ExpandedUrl,
  { journal, today }: ReachParts,
  what: () => string,
): Promise<void> {
  if (today !== undefined || source.mark === undefined || (await journal.mark(reachText(found))) === source.mark) return;
  throw new SynartesisError("server-mismatch", what(), {
    hint: "set them as they were then, or accept today's values and policy with --replan",
  });
}

async function reachGiven(
  name: string,
  source: WrappedSource,
  [command = "", ...args]: readonly string[],
  { journal, env }: ReachParts,
): Promise<Reach> {
  if ((await wrappedMark(journal, command, args)) !== source.mark)
    throw new SynartesisError("server-mismatch", `the command after -- is not the one with which the run started ${name}`);
  return { command, args, env: serverEnvironment(env, {}), cwd: source.cwd, stderr: SILENT };
}

/** Where the client's entry still has the command that the client gave us then, that is the one. */
async function reachWrapped(run: Run, name: string, source: WrappedSource, parts: ReachParts): Promise<Reach> {
  const hint = `give it after --, as it was then: ${parts.command("undo", run.id)} -- COMMAND ARGS...`;
  if (source.via === undefined)
    throw new SynartesisError("usage", `the server ${name} was wrapped in place: its command is only in the client's own file`, { hint });
  const found = await parts.viaClient(name, source.via).catch((error: unknown) => {
    if (!(error instanceof SynartesisError)) throw error;
    throw new SynartesisError("usage", error.message, { hint, cause: error });
  });
  if ("url" in found || (await wrappedMark(parts.journal, found.command, found.args)) !== source.mark) {
    const message = `the command of ${name} in ${source.via.file} is not the one with which the run started it`;
    throw new SynartesisError("server-mismatch", message, { hint });
  }
  return { ...found, env: serverEnvironment(parts.env, found.env), cwd: source.cwd, stderr: SILENT };
}

/** As the proxy marks the words after its `--`. */
function wrappedMark(journal: Journal, command: string, args: readonly string[]): Promise<string> {
  return journal.mark(JSON.stringify([command, ...args]));
}
