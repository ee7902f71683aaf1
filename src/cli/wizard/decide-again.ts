// What about the tools of a server that the manifest has, and whose rules still say TODO? Asks about them again, and replaces their rules alone.
// Never touches a rule that a person has changed.
import { digestOf } from "../../core/digest.ts";
import type { ServerPolicy } from "../../core/policy.ts";
import { decidedRule } from "../../draft/decide-rules.ts";
import { draftRules } from "../../draft/draft-rules.ts";
import { SynartesisError } from "../../errors.ts";
import type { Loading } from "../../manifest/load.ts";
import { openTools } from "../../manifest/open-rules.ts";
import { checkServer } from "../check-manifest.ts";
import type { Context } from "../command.ts";
import { commandLine } from "../command-line.ts";
import { toldManifest } from "../find-files.ts";
import { requireVariables } from "../read-manifest.ts";
import { countText } from "../render/counts.ts";
import { wrapWords } from "../render/layout.ts";
import { visible } from "../render/visible.ts";
import { contentOf } from "../replace-file.ts";
import { widthOf } from "../view.ts";
import { type InitOptions, isInteractive, toldBy } from "./options.ts";
import { failedWith, type Prepared } from "./prepare.ts";
import { type GuardedServer, runWizard } from "./run-wizard.ts";

/** A manifest as it was read, and its file. */
export type Manifest = Extract<Loading, { kind: "loaded" }> & { readonly file: string };

/** Asks again about a server's tools that are open. Resolves with the exit code: 130 where somebody stopped it. @throws usage, server-unavailable, manifest-invalid */
export async function decideAgain(context: Context, manifest: Manifest, server: ServerPolicy, options: InitOptions): Promise<number> {
  const { file } = manifest;
  const { name } = server;
  const isTerminal = isInteractive(context, options);
  const open = openIn(file, name);
  requireOpen(file, name, open, options.rule);
  if (open.length === 0) return tell(context, file, name, undefined, options.json);
  requireVariables(file, manifest, name);
  const result = await runWizard(context, {
    ...{ file, candidates: [{ id: name, title: name, about: "", isUsual: true }], isChosen: true, isTerminal },
    prepare: async () => new Map([[name, await prepare(context, manifest, server)]]),
    clients: () => [],
    onConnect: async () => {},
    told: toldBy(options, { isScript: !isTerminal, guard: undefined }),
    onWritten: async () => {},
  });
  if (result.kind === "stopped") return 130;
  const [failed] = result.failed;
  if (failed !== undefined) throw failed.error;
  const [decided] = result.servers;
  if (result.isWritten) return tell(context, file, name, decided, options.json);
  context.note("nothing was written");
  return 1;
}

function openIn(file: string, server: string): readonly string[] {
  return openTools(new TextDecoder().decode(contentOf(file)), server);
}

/** Of a rule that somebody has decided about, only they say what becomes of it. */
function requireOpen(file: string, server: string, open: readonly string[], rules: readonly string[]): void {
  const tools = rules.map((rule) => rule.slice(0, rule.lastIndexOf("=")));
  const other = tools.find((tool) => !open.includes(tool) && !open.some((each) => tool === `${server}.${each}`));
  if (other === undefined) return;
  const hint = open.length === 0 ? `edit its rule in ${file}` : `open are: ${open.join(", ")}; any other rule is edited in ${file}`;
  throw new SynartesisError("usage", `no rule of ${server} says TODO for "${other}"`, { hint });
}

async function prepare(context: Context, { file, unset }: Manifest, server: ServerPolicy): Promise<Prepared> {
  const { name } = server;
  const listed = await checkServer(context, server, unset);
  if (listed.kind !== "tools") {
    const why = listed.hint === undefined ? {} : { hint: listed.hint };
    return failedWith(new SynartesisError("server-unavailable", `the server can't be listed: ${listed.reason}`, why));
  }
  const { tools } = listed;
  const drafts = new Map(draftRules(name, tools).tools.map((draft) => [draft.name, draft] as const));
  const open = openIn(file, name).flatMap((tool) => drafts.get(tool) ?? []);
  return {
    listing: { kind: "listed", policy: undefined, isKnown: false, server: name, tools, open, folders: undefined },
    digest: digestOf(tools.map(({ raw }) => raw)),
    choice: undefined,
    change: ({ decisions }) => {
      const decided = open.flatMap((draft) => {
        const decision = decisions.get(draft.name) ?? { kind: "leave" };
        return decision.kind === "leave" ? [] : [[draft.name, decidedRule(name, draft, decision)] as const];
      });
      return { server: name, rules: new Map(decided) };
    },
  };
}

function tell(context: Context, file: string, server: string, decided: GuardedServer | undefined, json: boolean): number {
  const { io } = context;
  const settled = [...(decided?.decisions ?? [])].flatMap(([tool, { kind }]) => (kind === "leave" ? [] : [tool]));
  const open = openIn(file, server);
  if (json) {
    context.printJson({ manifest: file, server, settled, open });
    return 0;
  }
  const left = open.length === 0 ? "" : `; ${countText(open.length, "rule")} still with a TODO: ${open.join(", ")}`;
  const isOver = settled.length === 0 && open.length === 0;
  const over = "no rule says TODO any more; what is to be otherwise is edited in the file";
  const told = `${server}: ${isOver ? over : `${countText(settled.length, "rule")} changed${left}`}`;
  context.print(`${visible(file)}:\n${wrapWords(visible(told), widthOf(io, 1000))}`);
  if (settled.length > 0) context.print(`\nNext: ${commandLine(io, ["check"], toldManifest(io, file))}`);
  return 0;
}
