// How does a plan become a file, and a file exactly that plan again? Saved for its owner's eyes only; carried out once, in the journal that it was
// made from, and only while everything that it saw is still so.
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { digestOf } from "../../core/digest.ts";
import { canonicalJson, isJsonObject, type Json, type JsonObject, parseJson } from "../../core/json.ts";
import type { PlanStep, UndoPlan } from "../../core/plan-step.ts";
import { writeCalls } from "../../core/resolved-call.ts";
import { stateMark } from "../../core/state.ts";
import { SynartesisError } from "../../errors.ts";
import type { Journal } from "../../journal/journal.ts";
import type { ShownStep } from "../../undo/make-plan.ts";
import type { PreparedUndo, UndoRequest } from "../../undo/prepare-undo.ts";
import type { Io } from "../io.ts";
import { undoDocument } from "../render/plan-document.ts";
import { replaceFile } from "../replace-file.ts";

/** A plan as it was read from a file. */
export interface SavedPlan {
  readonly file: string;
  readonly id: string;
  readonly request: UndoRequest;
  /** The mark of each step, newest first. */
  readonly marks: readonly { readonly seq: number; readonly mark: string }[];
}

const VERSION = 1;

/** Writes a plan, readable by its owner only, and gives its id. @throws SynartesisError refused where the file exists, output-failed */
export async function savePlan(io: Io, file: string, prepared: PreparedUndo, plan: UndoPlan<ShownStep>): Promise<string> {
  if (prepared.request.replan !== undefined)
    throw new SynartesisError("usage", "--out can't save a plan that --replan made", { hint: "a saved plan is by the policy of its run" });
  const id = crypto.randomUUID();
  const marks = plan.steps.map((step) => ({ seq: step.action.seq, mark: markOf(step) }));
  const head = { synartesis: "plan", version: VERSION, id, journal: await prepared.journal.mark(id), kind: prepared.kind };
  const printed = undoDocument(prepared, plan, { connections: await prepared.connections() });
  const document = { ...head, request: pinned(prepared), marks, plan: printed };
  const seal = await sealOf(prepared.journal, parseJson(JSON.stringify(document)));
  write(resolve(io.cwd, file), `${JSON.stringify({ ...document, seal }, null, 2)}\n`);
  return id;
}

function write(file: string, text: string): void {
  // A slip of the pen must not leave folders behind.
  if (!existsSync(dirname(file)))
    throw new SynartesisError("output-failed", `${file} can't be written: there is no folder ${dirname(file)}`, {
      hint: "make it first, or give another name",
    });
  if (replaceFile(file, undefined, text).kind === "changed")
    throw new SynartesisError("usage", `${file} exists already`, { hint: "give another name, or remove it first" });
}

/** What only this journal can give a plan: with it, the plan is as it was saved. */
function sealOf(journal: Journal, document: Json): Promise<string> {
  return journal.mark(canonicalJson(document));
}

/** Reads a plan. @throws SynartesisError usage where it is none, refused where it belongs to another journal, was changed or was carried out before */
export async function readPlan(journal: Journal, file: string, kind: PreparedUndo["kind"]): Promise<SavedPlan> {
  const document = await parsePlan(file);
  const { id } = document;
  if (typeof id !== "string" || (await journal.mark(id)) !== document["journal"])
    throw new SynartesisError("refused", `the plan ${file} belongs to another journal`);
  const { seal, ...sealed } = document;
  if ((await sealOf(journal, sealed)) !== seal)
    throw new SynartesisError("refused", `the plan ${file} was changed after it was saved`, {
      hint: `make a new one: synartesis ${kind} --out FILE`,
    });
  // Only this program seals a plan, and what it seals it wrote as such.
  const saved = document as unknown as SavedPlan & { readonly kind: PreparedUndo["kind"] };
  if (saved.kind !== kind)
    throw new SynartesisError("usage", `${file} is the plan of ${saved.kind === "redo" ? "a redo" : "an undo"}`, {
      hint: `carry it out with: synartesis ${saved.kind} --plan ${file}`,
    });
  const before = (await journal.runs()).find(({ plan }) => plan === saved.id);
  if (before !== undefined)
    throw new SynartesisError("refused", `the plan ${file} was carried out before, by run ${before.id}`, {
      hint: `synartesis show ${before.id} tells what it did`,
    });
  return { file, id: saved.id, request: { ...saved.request, replan: undefined }, marks: saved.marks };
}

/** Refuses a plan of which anything has changed since it was made. @throws SynartesisError refused */
export async function checkPlan({ file, marks }: SavedPlan, { runs, kind }: PreparedUndo, plan: UndoPlan<ShownStep>): Promise<void> {
  const changed = plan.steps.find((step, at) => marks[at]?.mark !== markOf(step));
  if (changed === undefined && plan.steps.length === marks.length) return;
  const what = changed === undefined ? "there are fewer actions" : `step ${changed.action.seq} is another by now`;
  throw new SynartesisError("refused", `the plan ${file} is stale: ${what}`, {
    hint: `make a new one: synartesis ${kind} ${runs[0]?.id ?? ""} --out FILE`,
  });
}

/** Covers everything that a step was judged by and would do. */
function markOf({ action, kind, reason, inverse, now, meant, blockedBy }: PlanStep): string {
  return digestOf([
    action.id,
    action.status,
    kind,
    reason,
    inverse === undefined ? null : writeCalls(inverse),
    stateMark(now),
    stateMark(meant),
    blockedBy?.id ?? null,
  ]);
}

/** The request with everything named that was left open, so that it means the same whenever it is carried out. */
function pinned({ request, runs, options, actions }: PreparedUndo) {
  const { keepGoing, tryExpired, live, target } = request;
  const isAll = options.selected === undefined;
  const chosen = (choice: string) => actions.filter(({ id }) => options.choices?.get(id) === choice).map(({ id }) => id);
  return {
    target: target.kind === "all-runs" ? target : { kind: target.kind, prefix: runs[0]?.id },
    selection: {
      ...(isAll ? {} : { only: actions.filter(({ id }) => options.selected?.has(id)).map(({ id }) => id) }),
      dependents: "alone",
    },
    keepGoing,
    skip: chosen("skip"),
    overwrite: chosen("overwrite"),
    tryExpired,
    live,
  };
}

async function parsePlan(file: string): Promise<JsonObject> {
  const notOne = (why: string) =>
    new SynartesisError("usage", `${file} is no saved plan: ${why}`, { hint: "save one with: synartesis undo --out FILE" });
  let document: Json;
  try {
    document = parseJson(await Bun.file(file).text());
  } catch (error) {
    throw notOne(error instanceof Error ? error.message : String(error));
  }
  if (!isJsonObject(document) || document["synartesis"] !== "plan") throw notOne("it doesn't say that it is one");
  if (document["version"] !== VERSION)
    throw notOne(`its version is ${JSON.stringify(document["version"])}, and this program knows ${VERSION}`);
  return document;
}
