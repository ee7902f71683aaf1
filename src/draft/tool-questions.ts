// How is it decided what becomes of each tool that a draft leaves open? One question per tool, with ways out where there are many. Nothing
// gets into force that a person, or an option, didn't accept.
import { isJsonObject, type JsonObject, parseJson, printJson } from "../core/json.ts";
import { ACTION_CLASSES, type ActionClass } from "../core/vocabulary.ts";
import type { ListedTool } from "../upstream/upstream.ts";
import { ruleProblem } from "./decide-rules.ts";
import type { ToolDraft } from "./draft-tools.ts";
import { callPreview } from "./preview.ts";
import { absenceGuess, type DraftCall } from "./proposal.ts";
import type { Answer, Choice, Question } from "./questions.ts";

/** What was decided about a tool. `leave`: held, with a TODO, as it was drafted. `gate`: held each time, on purpose. */
export type Decision = { readonly kind: "accept"; readonly draft: ToolDraft } | { readonly kind: "gate" } | { readonly kind: "leave" };

/** What can be said of a tool without being asked. */
export const RULE_ANSWERS = ["accept", "gate", "leave", "readonly"] as const;
export type RuleAnswer = (typeof RULE_ANSWERS)[number];

/** Says what was told about a tool beforehand; undefined where it is to be asked. */
export type ToldRule = (server: string, draft: ToolDraft) => RuleAnswer | undefined;

/** The tools of one server that are open. */
export interface OpenTools {
  /** As the manifest calls it. */
  readonly server: string;
  /** All that it lists. */
  readonly tools: readonly ListedTool[];
  /** Those that a person has to decide about, in the server's order. */
  readonly open: readonly ToolDraft[];
}

/** So many tools of a server are asked about one by one before anything else is offered. */
const FEW = 6;

type Asking<Result> = Generator<Question, Result, Answer>;

/** Asks what becomes of a server's open tools. */
export function* askTools({ server, tools, open: all }: OpenTools, told: ToldRule): Asking<ReadonlyMap<string, Decision>> {
  const decided = new Map<string, Decision>();
  for (const draft of all) {
    const answer = told(server, draft);
    if (answer !== undefined) decided.set(draft.name, decisionOf(answer, draft));
  }
  const open = all.filter(({ name }) => !decided.has(name));
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const many = open.length > FEW ? yield manyQuestion(server, open) : "each";
  if (many === "none") return decided;
  const isSureTaken = many === "sure" || many === "only-sure";
  if (isSureTaken) for (const draft of open) if (isSure(draft)) decided.set(draft.name, decisionOf("accept", draft));
  if (many === "only-sure") return decided;
  const picked = many === "pick" ? yield pickQuestion(server, open) : undefined;
  const asked = open.filter((draft) => !decided.has(draft.name) && (picked === undefined || picked.includes(draft.name)));
  for (const [at, draft] of asked.entries()) {
    if (decided.has(draft.name)) continue;
    const rest = asked.slice(at + 1).filter((each) => !decided.has(each.name));
    const answer = yield toolQuestion(server, draft, byName.get(draft.name), rest, `${at + 1} of ${asked.length}`);
    if (answer === "rest") return decided;
    if (answer === "sure") for (const each of [draft, ...rest]) if (isSure(each)) decided.set(each.name, decisionOf("accept", each));
    const said = RULE_ANSWERS.find((each) => each === answer);
    if (said !== undefined) decided.set(draft.name, decisionOf(said, draft));
    if (answer === "change") decided.set(draft.name, yield* askChange(server, draft, tools));
  }
  return decided;
}

/** Tells whether a draft may be accepted without a look at each: also one that is sure that nothing takes the call back. */
export function isSure(draft: ToolDraft): boolean {
  return draft.confidence === "high" && draft.unresolved.length === 0;
}

/** Tells whether there is something to accept, and nothing missing in it: what is held anyway needs nobody's yes. */
export function proposes({ class: kind, by, unresolved }: ToolDraft): boolean {
  return unresolved.length === 0 && (kind !== "irreversible" || by !== undefined);
}

function decisionOf(answer: RuleAnswer, draft: ToolDraft): Decision {
  if (answer === "readonly") return { kind: "accept", draft: asRead(draft) };
  if (answer !== "accept") return { kind: answer };
  return proposes(draft) ? { kind: "accept", draft } : { kind: "gate" };
}

function asRead({ by: _, ...draft }: ToolDraft): ToolDraft {
  return { ...draft, class: "readonly", snapshot: null, observe: null, inverse: null, notRestored: [], unresolved: [] };
}

function manyQuestion(server: string, open: readonly ToolDraft[]): Question {
  const rest = open.filter((draft) => !isSure(draft)).length;
  const sure = open.filter((draft) => isSure(draft) && proposes(draft)).length;
  const hint = "the others wait for a person's yes";
  const choices: Choice[] = [
    ...(sure === 0 ? [] : [{ value: "only-sure", label: `accept the ${sure} that are sure`, hint }]),
    ...(sure === 0 || rest === 0 ? [] : [{ value: "sure", label: `accept the ${sure} that are sure, then look at ${rest} others` }]),
    { value: "pick", label: "pick which to look at", hint },
    { value: "each", label: `look at all ${open.length}` },
    { value: "none", label: "accept none", hint: "each call waits for a person's yes" },
  ];
  return {
    kind: "one",
    id: `many:${server}`,
    title: `${server}: ${open.length} tools may change things. How do you want to go through them?`,
    details: [],
    flag: "--accept sure|all|none",
    choices,
    usual: sure === 0 ? "pick" : "only-sure",
  };
}

function pickQuestion(server: string, open: readonly ToolDraft[]): Question {
  return {
    kind: "several",
    id: `pick:${server}`,
    title: `${server}: which tools do you want to look at?`,
    details: [],
    flag: "--rule TOOL=accept",
    choices: open.map(({ name, reason }) => ({ value: name, label: name, hint: reason })),
    usual: [],
    isLong: true,
  };
}

function toolQuestion(server: string, draft: ToolDraft, tool: ListedTool | undefined, rest: readonly ToolDraft[], place: string): Question {
  const sure = [draft, ...rest].filter((each) => isSure(each) && proposes(each)).length;
  const proposal = proposes(draft);
  const choices: Choice[] = [
    ...(proposal ? [{ value: "accept", label: `accept ${acceptedWords(draft)}` }] : []),
    { value: "change", label: proposal ? "change the suggestion" : "say how it is undone" },
    { value: "readonly", label: "it only reads" },
    { value: "gate", label: "always ask me", hint: "each call waits for a person's yes" },
    { value: "leave", label: "leave it for later", hint: "until then each call waits for a person's yes" },
    ...(sure > 1 ? [{ value: "sure", label: `accept all ${sure} that are sure`, hint: "this one too, if it is" }] : []),
    ...(rest.length > 0
      ? [{ value: "rest", label: `leave this one and the ${rest.length === 1 ? "last" : `${rest.length} after it`}` }]
      : []),
  ].filter(({ value }) => value !== "readonly" || draft.class !== "readonly");
  return {
    kind: "one",
    id: `tool:${server}:${draft.name}`,
    title: `${server} (${place}): ${draft.name}`,
    details: toolDetails(draft, tool),
    flag: "--rule TOOL=accept|gate|leave|readonly",
    choices,
    usual: usualFor(draft),
  };
}

/** What is proposed is preselected where it is more than a guess: a way back, or that a person is asked each time. */
function usualFor(draft: ToolDraft): "accept" | "gate" | "leave" {
  if (proposes(draft)) return draft.confidence === "low" ? "leave" : "accept";
  return draft.unresolved.length === 0 ? "gate" : "leave";
}

function acceptedWords({ by, class: kind, inverse }: ToolDraft): string {
  if (by === undefined && kind === "readonly") return "(it only reads)";
  return by === undefined && inverse !== null ? `(undo sends ${inverse.tool})` : "the suggestion";
}

const CONFIDENCE = { high: "sure", medium: "likely", low: "a guess" } as const;

function toolDetails(draft: ToolDraft, tool: ListedTool | undefined): readonly string[] {
  const says = `${draft.name}: ${draft.said === "" ? "the server doesn't say what it does" : `the server says: ${draft.said}`}`;
  const proposed = `${draft.class}, that is: ${CLASS_WORDS[draft.class]} (${CONFIDENCE[draft.confidence]})`;
  const suggestion = `suggestion: ${proposes(draft) ? proposed : "each call waits for a person's yes"}`;
  const missing = draft.notRestored.length === 0 ? [] : [`not put back: ${draft.notRestored.join(", ")}`];
  const guess = absenceGuess(draft);
  const guessed = guess === undefined ? [] : [`a guess: ${guess}`];
  const open = draft.unresolved.length === 0 ? [] : [`to be said by you: ${draft.unresolved.join(", ")}`];
  return [says, suggestion, `because ${draft.reason}`, ...callPreview(draft, tool), ...missing, ...guessed, ...open];
}

function* askChange(server: string, draft: ToolDraft, tools: readonly ListedTool[]): Asking<Decision> {
  const part = (name: string) => ({ id: `change:${server}:${draft.name}:${name}`, details: [], flag: "the manifest's own text" });
  // The answer is one of the choices, which are the classes.
  const kind = (yield {
    ...part("class"),
    kind: "one",
    title: `${draft.name}: what can undo do for it?`,
    choices: ACTION_CLASSES.map((value) => ({ value, label: CLASS_WORDS[value], hint: value })),
    usual: draft.class,
  }) as ActionClass;
  if (kind === "readonly") return decisionOf("readonly", draft);
  if (kind === "irreversible") return { kind: "gate" };
  const { by: _, ...rest } = draft;
  const changed = { ...rest, class: kind, notRestored: [], unresolved: [] };
  const choose = function* (name: "snapshot" | "inverse", wrong: (call: DraftCall) => string | undefined): Asking<DraftCall | null> {
    const before = draft[name];
    const none = name === "snapshot" ? [{ value: "", label: "none" }] : [];
    const chosen = yield {
      ...part(name),
      kind: "one",
      title: `${draft.name}: which call ${name === "snapshot" ? "reads what was there before" : "puts it back"}?`,
      choices: [...none, ...tools.map((tool) => ({ value: tool.name, label: tool.name }))],
      usual: before?.tool ?? none[0]?.value ?? tools[0]?.name ?? "",
    };
    if (chosen === "") return null;
    const tool = String(chosen);
    const text = yield {
      ...part(`${name}-args`),
      kind: "text",
      title: `${tool}: its arguments, as JSON`,
      details: [`$.NAME is an argument of the call${name === "inverse" ? ", $snapshot.NAME what was read, $result.NAME its result" : ""}`],
      usual: before?.tool === tool ? printJson(before.args) : '{"id":"$.id"}',
      check: (written) => {
        const args = argumentsIn(written);
        return args === undefined ? "not a JSON object" : wrong({ tool, args });
      },
    };
    const words = before?.tool === tool ? before.absentWhen : undefined;
    return { tool, args: argumentsIn(String(text)) ?? {}, ...(words && { absentWhen: words }) };
  };
  const snapshot = yield* choose("snapshot", () => undefined); // judged together with the inverse, which reads it
  const inverse = yield* choose("inverse", (call) => ruleProblem(server, { ...changed, snapshot, inverse: call }));
  const observe = snapshot === null && inverse?.tool === draft.inverse?.tool ? draft.observe : null;
  return { kind: "accept", draft: { ...changed, snapshot, observe, inverse } };
}

const CLASS_WORDS: Readonly<Record<ActionClass, string>> = {
  readonly: "it changes nothing",
  reversible: "what was there is read first, and written back",
  compensable: "another call offsets it",
  irreversible: "nothing: a person is asked each time",
};

function argumentsIn(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined; // the question says so, and is asked on
  }
}
