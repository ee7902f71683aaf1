// What does the wizard ask? Questions as data: who asks (a terminal, a script's flags, a test) is none of their business. Texts are as they
// came: whoever shows them escapes them.

/** What was answered: the value of a choice, the values of several, or a text. */
export type Answer = string | readonly string[];

/** One of the answers that can be chosen. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
}

interface Asked {
  /** The same for the same question, whenever it is asked. */
  readonly id: string;
  /** One line. */
  readonly title: string;
  /** What one has to know to answer, in lines. */
  readonly details: readonly string[];
  /** The option that answers it in a script. */
  readonly flag: string;
}

export interface ChoiceQuestion extends Asked {
  readonly kind: "one";
  readonly choices: readonly Choice[];
  /** Preselected. */
  readonly usual: string;
}
export interface SeveralQuestion extends Asked {
  readonly kind: "several";
  readonly choices: readonly Choice[];
  /** Preselected. */
  readonly usual: readonly string[];
  /** There are so many that one types to find them. */
  readonly isLong: boolean;
}
export interface TextQuestion extends Asked {
  readonly kind: "text";
  /** Stands there to be changed. */
  readonly usual: string;
  /** Says what is wrong with an answer; undefined where nothing is. */
  check(text: string): string | undefined;
}
export type Question = ChoiceQuestion | SeveralQuestion | TextQuestion;

/** An answer that a person gave. */
export interface Given {
  readonly id: string;
  readonly answer: Answer;
}

/** Tells whether an answer, kept from another day, is still one that the question takes. */
export function takes(question: Question, answer: Answer): boolean {
  if (question.kind === "text") return typeof answer === "string" && question.check(answer) === undefined;
  const values = question.choices.map(({ value }) => value);
  if (question.kind === "one") return typeof answer === "string" && values.includes(answer);
  return typeof answer !== "string" && answer.every((each) => values.includes(each));
}
