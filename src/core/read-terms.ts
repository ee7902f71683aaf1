// What does a policy say of how a read's answer is to be taken? Plain data, kept with each action, so that undo reads as the call's day did.
import type { Patterns } from "./extract.ts";
import type { Json } from "./json.ts";
import { missedParts } from "./missed-parts.ts";
import type { RuleRecord } from "./rule-record.ts";

/** How the answer of one read is taken. What isn't said is absent. */
export interface ReadTerms {
  /** Lower-cased substrings of the error by which this server says that the thing does not exist. */
  readonly absentWhen: readonly string[];
  /** Whole texts (`*` stands for anything) of a plain result by which it says that; empty: the policy says that no answer does. */
  readonly absentResults?: readonly string[];
  /** What is taken out of the only text, in place of the result's value. */
  readonly extract?: Patterns;
  /** The state is the list of the answer's blocks, where its text alone doesn't show it. */
  readonly blocks?: true;
  readonly pages?: Pages;
  /** The parts that a whole answer has. */
  readonly complete?: Json;
}

/** How a read goes on where one answer doesn't show everything; paths as they are written. */
export interface Pages {
  /** The read's argument that takes the cursor, as `$.cursor`. */
  readonly cursor: string;
  /** Where an answer has the next cursor, as `$snapshot.nextCursor`; nothing, `null`, `""` or `false` there: it is the last page. */
  readonly next: string;
  /** The list that goes on, as `items`. */
  readonly items: string;
}

/** How a state is read: one call's terms, or those of several by name. */
export interface ReadWords extends ReadTerms {
  readonly failedWhen: readonly string[];
  /** The state is the very text, even if it could be read as JSON. */
  readonly asText?: true;
  /** What of the state is kept out of the record, by paths as written: `$snapshot.secret`. */
  readonly redact?: readonly string[];
  /** Where several reads make the state. */
  readonly reads?: readonly NamedTerms[];
}

/** The terms of one of several reads. */
export type NamedTerms = ReadTerms & { readonly name: string; readonly asText?: true };

const TERMS = ["absentWhen", "absentResults", "extract", "blocks", "pages", "complete"] as const;

/** Gives the terms alone. */
export function termsOf(read: ReadTerms): ReadTerms {
  const said = TERMS.flatMap((name) => (read[name] === undefined ? [] : [[name, read[name]] as const]));
  return Object.fromEntries(said) as unknown as ReadTerms; // exactly these members, each as it was
}

/** Gives the words by which one of the reads is taken: the only one, or that of a name. */
export function wordsFor(words: ReadWords, name: string | undefined): ReadWords {
  if (name === undefined) return words;
  const { failedWhen, reads = [] } = words;
  return { absentWhen: [], ...reads.find((read) => read.name === name), failedWhen };
}

/** What to write where `absent_when` is missing. */
export const ABSENCE_HINT =
  "name the words by which the server's error says that the thing doesn't exist, or, where it answers that as a plain result, its whole text: `absent_when: { result: [\"...*\"] }`";

/** Tells whether a policy says by what this read is known to find nothing. */
export function knowsAbsence({ absentWhen, absentResults, reads }: Omit<ReadWords, "failedWhen">): boolean {
  return reads === undefined ? absentWhen.length > 0 || absentResults !== undefined : reads.every((read) => knowsAbsence(read));
}

/** Says how a value isn't whole; undefined where it is. `null` is also what isn't there. */
export function incompleteness({ complete }: ReadTerms, value: Json): string | undefined {
  if (complete === undefined) return undefined;
  const [missed] = missedParts(value, complete).filter(({ left, right }) => !(left === undefined && right === null));
  if (missed === undefined) return undefined;
  const { path, left, right } = missed;
  return `${path === "" ? "it" : path} is ${left === undefined ? "not there" : JSON.stringify(left)}, where a whole answer has ${JSON.stringify(right)}`;
}

/** Gives today's words in the form in which a state was recorded: states that were read in different ways don't compare. */
export function inRecordedForm(today: RuleRecord, recorded: RuleRecord): RuleRecord {
  const {
    asText: _asText,
    extract: _extract,
    blocks: _blocks,
    pages: _pages,
    complete: _complete,
    redact: _redact,
    confirm: _confirm,
    reads,
    ...words
  } = today;
  const form = {
    ...formOf(recorded),
    ...(recorded.redact && { redact: recorded.redact }),
    ...(recorded.confirm && { confirm: recorded.confirm }),
  };
  if (recorded.reads === undefined) return { ...words, ...form };
  const named = recorded.reads.map((read) => {
    const { absentWhen, absentResults } = reads?.find(({ name }) => name === read.name) ?? read;
    return { ...formOf(read), name: read.name, absentWhen, ...(absentResults && { absentResults }) };
  });
  return { ...words, ...form, reads: named };
}

function formOf({
  asText,
  extract,
  blocks,
  pages,
  complete,
}: Omit<ReadWords, "failedWhen">): Pick<ReadWords, "asText" | "extract" | "blocks" | "pages" | "complete"> {
  return {
    ...(asText && { asText }),
    ...(extract && { extract }),
    ...(blocks && { blocks }),
    ...(pages && { pages }),
    ...(complete !== undefined && { complete }),
  };
}
