// How is it told what happens to clients' servers? One block per file, one line per server, the change of its entry below it. Pure.
import type { ConnectPlan } from "../../clients/connect.ts";
import { backupOf } from "../../clients/edit-file.ts";
import { serverAt } from "../../clients/file-plan.ts";
import type { ClientServer } from "../../clients/find-clients.ts";
import { draftIn } from "../../draft/choose-policy.ts";
import type { Chosen } from "../clients/choose-servers.ts";
import { shortPath } from "../clients/client-words.ts";
import type { Connected, ConnectPlans } from "../clients/connect-servers.ts";
import type { Prepared } from "../clients/prepare-servers.ts";
import { commandLine } from "../command-line.ts";
import { toldManifest } from "../find-files.ts";
import type { Io } from "../io.ts";
import { widthOf } from "../view.ts";
import { entryDiff, hintLines } from "./client-entries.ts";
import { countText } from "./counts.ts";
import { wrapLine, wrapWords } from "./layout.ts";
import { visible } from "./visible.ts";

/** Everything that is known before anything is written. */
export interface ConnectView {
  readonly chosen: Chosen;
  readonly prepared: readonly Prepared[];
  readonly planned: ConnectPlans;
  /** The manifest's file. */
  readonly manifest: string;
}

/** Tells what will be done to which file, and what won't and why. */
export function planText(io: Io, { chosen, prepared, planned, manifest }: ConnectView): string {
  const width = widthOf(io, 1000);
  const lines = chosen.files.flatMap((file) => {
    const broken = chosen.unreadable.find((each) => each.file.path === file.path && each.file === file);
    const own = prepared.filter(({ server }) => server.file === file);
    if (broken === undefined && own.length === 0) return [];
    const head = wrapLine(`${file.client.title}  ${visible(shortPath(io, file.path))}`, width);
    if (broken !== undefined) return [head, wrapLine(`  can't be read: ${visible(broken.reason)}`, width), ...hintLines(broken.hint)];
    return [
      head,
      ...own.flatMap((each) => {
        const [said, hint, change] = serverText(each, planned);
        return [
          wrapLine(`  ${visible(each.server.name)}: ${said}`, width),
          ...hintLines(hint),
          ...change.map((line) => wrapLine(line, width)),
        ];
      }),
    ];
  });
  const added = new Set(prepared.flatMap((each) => (each.kind === "wrap" && each.made !== undefined ? [each.name] : [])));
  if (lines.length === 0) return "nothing was found that could be wrapped";
  const policies =
    added.size === 0 ? [] : ["", wrapLine(`${visible(shortPath(io, manifest))} gets the policies of ${[...added].join(", ")}`, width)];
  return [...lines, ...policies].join("\n");
}

/** What is said of a server, what to do about it, and the change of its entry. */
function serverText(
  prepared: Prepared,
  { plans, refused }: ConnectPlans,
): readonly [said: string, hint: string | undefined, change: readonly string[]] {
  const { server } = prepared;
  if (prepared.kind === "unchanged") return ["is wrapped already", undefined, []];
  if (prepared.kind === "left") return [`left as it is: ${visible(prepared.reason)}`, undefined, []];
  const no = prepared.kind === "skipped" ? prepared : refused.find((each) => each.server === server);
  if (no !== undefined) return [`skipped: ${visible(no.reason)}`, no.hint, []];
  const plan = plans.find(({ wrapped }) => wrapped.some(({ wish }) => wish.server === server));
  return [prepared.kind === "wrap" ? policyText(prepared) : "", undefined, plan === undefined ? [] : diffLines(plan, server)];
}

function diffLines(plan: ConnectPlan, server: ClientServer): readonly string[] {
  const after = serverAt(plan.after, server);
  return after === undefined ? [] : entryDiff(server.entry, after.entry).map((line) => `    ${line}`);
}

function policyText({ made, name }: Prepared & { kind: "wrap" }): string {
  if (made === undefined) return `wrapped, with the policy "${name}" that the manifest has`;
  const tools = countText(made.tools.length, "tool");
  const { choice } = made;
  const { reads, held } = draftIn(choice).summary;
  if (choice.kind === "drafted")
    return `wrapped as "${name}", ${tools}: a draft, ${reads} that only read, ${held} held until you say how they are undone`;
  const beside = held === 0 ? "" : `, ${held} held that it doesn't know`;
  return `wrapped as "${name}", ${tools}: the policy for ${choice.policy.title}${beside}`;
}

/** Tells what was done, and what comes next. */
export function connectedText(io: Io, { files, refused }: Connected, manifest: string): string {
  const told = toldManifest(io, manifest);
  const isProject = files.every(({ servers }) => servers.every(({ file }) => file.scope === "project"));
  const scope = isProject ? ["--project"] : [];
  const clients = [...new Set(files.flatMap(({ servers }) => servers.map(({ file }) => file.client.title)))];
  const width = widthOf(io, 1000);
  const item = (place: number, text: string) => `  ${place}. ${wrapWords(text, width, "     ").trimStart()}`;
  const copies = files.flatMap(({ backup }) => backup ?? []);
  return [
    "",
    ...files.map(({ path, servers }) => {
      return wrapWords(`connected ${servers.map(({ name }) => visible(name)).join(", ")} in ${visible(shortPath(io, path))}`, width);
    }),
    ...(copies.length === 0 ? [] : [wrapWords(copiesText(io, copies), width)]),
    ...refused.flatMap(({ server, reason, hint }) => [
      wrapLine(`not connected: ${visible(server.name)}: ${visible(reason)}`, width),
      ...hintLines(hint),
    ]),
    ...(files.length === 0
      ? []
      : [
          "",
          "Next:",
          item(1, `restart ${clients.join(", ")}`),
          `  2. check the policies: ${commandLine(io, ["check"], told)}`,
          `  3. see what an agent does: ${commandLine(io, ["list"], told)}`,
          `  4. take it out again: ${commandLine(io, ["disconnect", "--all", ...scope])}`,
        ]),
  ].join("\n");
}

function copiesText(io: Io, copies: readonly string[]): string {
  if (copies.length > 1) return `each of these files, as it was before, is kept beside it: ${backupOf("FILE")}`;
  return `the file as it was before is kept: ${copies.map((copy) => visible(shortPath(io, copy))).join("")}`;
}

/** The JSON document of the command; `done` is absent where nothing was to be written. */
export function connectDocument({ chosen, prepared, planned, manifest }: ConnectView, done: Connected | undefined): object {
  const no = [...planned.refused, ...(done?.refused ?? [])];
  return {
    manifest,
    written: done !== undefined,
    servers: prepared.map((each) => {
      const { file, name, project, wrapping } = each.server;
      const place = { client: file.client.id, file: file.path, scope: file.scope, project: project ?? null, name };
      const refused = no.find(({ server }) => server === each.server);
      if (each.kind === "wrap" && refused === undefined) {
        const policy = each.made?.choice.kind === "shipped" ? each.made.choice.policy.name : null;
        const made = { server: each.name, policy, tools: each.made?.tools.length ?? null };
        return { ...place, result: done === undefined ? "planned" : "connected", ...made, reason: null, hint: null };
      }
      const { reason = null, hint = null } = refused ?? ("reason" in each ? { hint: undefined, ...each } : {});
      const result = each.kind === "wrap" ? "skipped" : each.kind;
      return { ...place, result, server: wrapping?.server ?? null, policy: null, tools: null, reason, hint };
    }),
    files: (done?.files ?? []).map(({ path, backup }) => ({ file: path, backup: backup ?? null })),
    unreadable: chosen.unreadable.map(({ file, reason }) => ({ client: file.client.id, file: file.path, reason })),
  };
}
