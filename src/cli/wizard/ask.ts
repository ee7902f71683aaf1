// How does a person answer a question of the wizard? By prompts at the terminal, with the keyboard alone; Escape goes back, Ctrl-C stops. Whatever others
// wrote is shown escaped.
import type { Answer, Choice, Question } from "../../draft/questions.ts";
import type { Context } from "../command.ts";
import { cells, shorten, wrapWords } from "../render/layout.ts";
import { visible } from "../render/visible.ts";

/** What a person did at a question. */
export type Reply = { readonly kind: "answer"; readonly answer: Answer } | { readonly kind: "back" } | { readonly kind: "stop" };

/** What clack puts before a line. */
const MARGIN = 3;
/** What it puts before a choice, and around its hint. */
const FRAME = 20;
const LEAST_HINT = 12;
/** Rows that a list leaves free for its question. */
const LONG_LIST = 12;

/** Says something between two questions; lines are wrapped, and kept apart. */
export async function say(context: Context, lines: readonly string[]): Promise<void> {
  const { log } = await import("@clack/prompts");
  const { columns } = context.io.stdout;
  log.message(lines.map((line) => wrapWords(line, columns - MARGIN - 1, line.startsWith("  ") ? "  " : "")).join("\n"));
}

/** Asks one question. `canGoBack`: Escape leads somewhere. */
export async function ask(context: Context, question: Question, canGoBack: boolean): Promise<Reply> {
  if (question.details.length > 0) await say(context, question.details.map(indented));
  // A key acts on the question that was there when it was pressed.
  if (await context.io.forgetKeys()) return { kind: "stop" };
  let last = "";
  const stop = context.io.onKeyName((name) => {
    last = name;
  });
  try {
    const answer = await prompt(context, question, canGoBack);
    if (typeof answer !== "symbol") return { kind: "answer", answer };
    return last === "escape" && !context.signal.aborted ? { kind: "back" } : { kind: "stop" };
  } finally {
    stop();
  }
}

/** Keeps the blanks at the beginning of a line, which say what belongs to what, and shows everything else for what it is. */
function indented(line: string): string {
  const blanks = /^ */.exec(line)?.[0] ?? "";
  return blanks + visible(line.slice(blanks.length));
}

async function prompt({ io, signal }: Context, question: Question, canGoBack: boolean): Promise<Answer | symbol> {
  const { autocompleteMultiselect, multiselect, S_BAR, select, text } = await import("@clack/prompts");
  const message = wrapWords(
    visible(question.title) + (canGoBack ? " (Esc: back, Ctrl-C: stop)" : " (Ctrl-C: stop)"),
    io.stdout.columns - MARGIN - 1,
  );
  if (question.kind === "text") {
    // This prompt alone puts no bar before a further line.
    return text({
      message: message.replaceAll("\n", `\n${S_BAR}  `),
      initialValue: question.usual,
      signal,
      validate: (value) => question.check(value ?? ""),
    });
  }
  const options = question.choices.map((choice) => shown(choice, io.stdout.columns));
  if (question.kind === "one") return select({ message, options, initialValue: question.usual, maxItems: LONG_LIST, signal });
  const initialValues = [...question.usual];
  const several = { message, options, initialValues, maxItems: LONG_LIST, required: false, signal };
  return question.isLong ? autocompleteMultiselect(several) : multiselect(several);
}

/** A hint is there to help: it is cut where it would take more than the line of its choice. */
function shown({ value, label, hint }: Choice, columns: number) {
  const name = visible(label);
  const room = columns - FRAME - cells(name);
  return hint === undefined || room < LEAST_HINT ? { value, label: name } : { value, label: name, hint: shorten(visible(hint), room) };
}
