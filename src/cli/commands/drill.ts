// Does a policy keep its word on a running server? Makes each call, undoes it and compares, on servers whose data may be lost. Never touches the person's record.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { matchesServer, parseToolName } from "../../core/match-rule.ts";
import type { Policy, ServerPolicy } from "../../core/policy.ts";
import { matchesWildcard } from "../../core/wildcard.ts";
import type { DrillRow } from "../../drill/drill-server.ts";
import type { DirectCommand, DrillParts } from "../../drill/session.ts";
import { SynartesisError } from "../../errors.ts";
import { type Context, defineCommand, JSON_OPTION, MANIFEST_OPTION } from "../command.ts";
import { findManifest } from "../find-files.ts";
import { isHidden } from "../guarded-servers.ts";
import { createLog } from "../log.ts";
import { startProgress } from "../progress.ts";
import { durationOf } from "../quantities.ts";
import { readManifest } from "../read-manifest.ts";
import { drillDocument, drillSumText, drillText, sumOf } from "../render/drill.ts";
import { widthOf } from "../view.ts";

/** How long a call may take, in milliseconds, where nothing is said. */
const CALL_TIMEOUT = 60_000;

export default defineCommand({
  name: "drill",
  usage: "drill [--only PATTERN] [--require SHARE] [--manifest FILE]",
  about:
    "Proves the rules that say how calls are put back: makes a call of each, undoes it, and compares what was there before with what is there now.\n" +
    "The calls are the rule's `drill:` samples, else made up from what the tool takes. Only servers that are marked `scratch: true`\n" +
    "in the manifest are drilled: what is on them may be lost. Exits with 1 where a rule failed, or fewer are proven than --require wants.",
  example: "drill --require 0.9",
  options: {
    only: { kind: "text", value: "PATTERN", about: "only these tools, as SERVER.TOOL with `*`" },
    require: { kind: "text", value: "SHARE", about: "how many of the rules have to be proven, from 0 to 1" },
    timeout: { kind: "text", value: "TIME", about: "how long a call may take (default 60s)" },
    ...JSON_OPTION,
    ...MANIFEST_OPTION,
  },
  async run(context, { options }) {
    const { io } = context;
    const required = shareOf(options.require);
    const timeout = durationOf("--timeout", options.timeout) ?? CALL_TIMEOUT;
    const file = findManifest(io, options);
    const { policy } = await readManifest(io, file);
    const { drilled, left } = chooseServers(policy, options.only, file);
    const parts = await makeParts(context, { policy, manifest: file, timeout });
    const drilling = drillAll(context, parts, policy, { drilled, only: options.only });
    context.defer(() => drilling.catch(() => undefined)); // whatever stopped us: what was started is ended before its folder goes
    const rows = await drilling;
    if (context.signal.aborted) return 1;
    if (rows.length === 0) throw nothingToProve(options.only);
    const sum = sumOf(rows);
    const passed = sum.failed === 0 && sum.share >= (required ?? 0);
    if (options.json) {
      context.printJson({ manifest: file, ...sum, required: required ?? null, passed, rules: rows.map(drillDocument), notScratch: left });
      return passed ? 0 : 1;
    }
    context.print(drillText(rows, widthOf(io, 120)));
    for (const name of left) context.note(`synartesis: ${name} isn't drilled: it isn't marked \`scratch: true\``);
    const wanted = required !== undefined && sum.share < required ? `; ${Math.ceil(required * 100)} % are required` : "";
    context.print(`\n${drillSumText(sum)}${wanted}`);
    return passed ? 0 : 1;
  },
});

function shareOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^(0(\.\d+)?|1(\.0+)?)$/.test(text)) return Number(text);
  throw new SynartesisError("usage", `--require can't be "${text}"`, { hint: "a share from 0 to 1, like 0.9" });
}

/** The servers that are asked for, by whether they may be drilled. @throws refused where none may */
function chooseServers(
  policy: Policy,
  only: string | undefined,
  file: string,
): { drilled: readonly ServerPolicy[]; left: readonly string[] } {
  if (only !== undefined && parseToolName(only) === undefined)
    throw new SynartesisError("usage", `--only can't be "${only}"`, { hint: "a tool as SERVER.TOOL, with `*` for several" });
  const meant = policy.servers.filter((server) => !isHidden(server) && (only === undefined || matchesServer(only, server.name)));
  const [drilled, others] = [true, false].map((is) => meant.filter(({ scratch }) => (scratch === true) === is));
  const left = (others ?? []).map(({ name }) => name);
  if (drilled !== undefined && drilled.length > 0) return { drilled, left };
  if (left.length === 0) throw nothingToProve(only);
  throw new SynartesisError(
    "refused",
    `a drill changes what is on a server and may lose it, and ${left.join(", ")} isn't marked for that`,
    {
      hint: `set a server up with data that nobody needs, and write \`scratch: true\` into its entry in ${file}`,
    },
  );
}

function nothingToProve(only: string | undefined): SynartesisError {
  const which = only === undefined ? "the manifest has" : `${only} matches`;
  return new SynartesisError("not-found", `${which} no tool with a rule that says how its calls are put back`);
}

async function makeParts(
  { io, defer, signal }: Context,
  { policy, manifest, timeout }: { policy: Policy; manifest: string; timeout: number },
): Promise<DrillParts> {
  const [{ openJournal }, { expandSource, ownProgram }, { serverEnvironment }] = await Promise.all([
    import("../../journal/open.ts"),
    import("../../manifest/expand-source.ts"),
    import("../../upstream/environment.ts"),
  ]);
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "synartesis-drill-")));
  defer(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  const journal = await openJournal({ file: join(folder, "journal.db"), mode: "create", clock: io.now });
  defer(() => journal.close());
  const commandOf = (name: string): DirectCommand | undefined => {
    const source = policy.servers.find((server) => server.name === name)?.source;
    if (source?.kind !== "command") return undefined;
    const command = ownProgram(expandSource(name, source, io.env), io.executable);
    return { ...command, env: serverEnvironment(io.env, command.env) };
  };
  const log = createLog((line) => io.stderr.write(line), "error", io.now);
  const { executable: self, env, cwd } = io;
  return { journal, manifest, self, env, folder: cwd, timeout, log, clock: io.now, signal, commandOf };
}

async function drillAll(
  context: Context,
  parts: DrillParts,
  policy: Policy,
  { drilled, only }: { drilled: readonly ServerPolicy[]; only: string | undefined },
): Promise<readonly DrillRow[]> {
  const rows: DrillRow[] = [];
  for (const { name } of drilled) if (!context.signal.aborted) rows.push(...(await drillOne(context, parts, policy, name, only)));
  return rows;
}

async function drillOne(
  context: Context,
  parts: DrillParts,
  policy: Policy,
  server: string,
  only: string | undefined,
): Promise<readonly DrillRow[]> {
  const [{ drillServer }, { companionFolders, mayChange }, { worldOf }, { findGit }] = await Promise.all([
    import("../../drill/drill-server.ts"),
    import("../../drill/companion-folders.ts"),
    import("../../drill/world.ts"),
    import("../../companion/git/run-git.ts"),
  ]);
  const folders = companionFolders(policy, server, parts.commandOf);
  const git = folders.length > 0 && Bun.which("git", { PATH: context.io.env["PATH"] ?? "" }) !== null ? findGit(context.io.env) : undefined;
  return drillServer(parts, {
    policy,
    server,
    mayChange: (name) => mayChange(policy, name),
    isMeant: (tool) => only === undefined || matchesWildcard(only, `${server}.${tool}`),
    look: () => worldOf(folders, git),
    onTools(total) {
      const progress = startProgress(context, `drilling ${server}`, total);
      return (done) => (done === total ? progress.stop() : progress.at(done));
    },
  });
}
