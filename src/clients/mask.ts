// How is an entry shown to a person? With every value that may be a secret covered: variables, headers, and arguments that look like one.
import { isJsonObject, type Json } from "../core/json.ts";
import { addNeedle, hideTexts } from "../core/secret-texts.ts";
import { CLEARED_VARIABLES } from "./wrapping.ts";

/** What stands for a value that isn't shown. */
export const MASK = "•••";

/** A shorter one is found in any text, and is no secret. */
const LEAST_SECRET = 5;

const COVERED = new Set(["env", "envs", "environment", "headers", "http_headers", "oauth", "auth"]);
const SECRET_WORD = "(?:token|key|secret|passw|pwd|auth|credential|bearer)[\\w.-]{0,64}";
const SECRET_NAME = `[\\w.-]{0,64}${SECRET_WORD}`;
const IS_SECRET_NAME = new RegExp(`^${SECRET_NAME}$`, "i");
const SECRET_OPTION = new RegExp(`^--?(?:${SECRET_NAME}|[\\w.-]{0,64}header[\\w.-]{0,64})`, "i");
/** `NAME: value` or `NAME=value`, as a whole word and within one (`Server=a;Password=b`). */
const NAMED_WHOLE = new RegExp(`^(${SECRET_NAME} ?[:=]).+`, "is");
const NAMED_WITHIN = new RegExp(`(${SECRET_WORD} ?[:=])[^\\s;&,]+`, "gi");
/** What services give out as keys begins so, or is long and made by no person. */
const KEY_LIKE =
  /^(?:gh[opsu]_|github_pat_|glpat-|xox[a-z]-|sk[-_]|pk[-_]|rk[-_]|pat-|ntn_|lin_api_|hf_|npm_|AKIA|AIza|ya29\.|eyJ)[\w.~+/=-]{8,}$/;
const RANDOM_LIKE = /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[\w+=-]{20,}$|^[0-9a-f]{32,}$/;

/** Gives an entry as it may be shown. */
export function maskedEntry(entry: Json): Json {
  if (Array.isArray(entry)) return maskedWords(entry);
  if (!isJsonObject(entry)) return typeof entry === "string" ? maskedText(entry) : entry;
  const members = Object.entries(entry).map(([name, value]) => [name, maskedMember(name, value)] as const);
  return Object.fromEntries(members);
}

function maskedMember(name: string, value: Json): Json {
  if (COVERED.has(name)) return covered(value);
  return typeof value === "string" && IS_SECRET_NAME.test(name) ? MASK : maskedEntry(value);
}

function covered(value: Json): Json {
  if (!isJsonObject(value)) return MASK;
  const isOurs = (name: string, text: Json) => text === "" && CLEARED_VARIABLES.some((each) => each === name);
  return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, isOurs(name, text) ? text : MASK]));
}

function maskedWords(words: readonly Json[]): readonly Json[] {
  return words.map((word, index) => {
    const before = words[index - 1];
    if (typeof word !== "string") return maskedEntry(word);
    if (typeof before === "string" && SECRET_OPTION.test(before) && !before.includes("=") && !word.startsWith("-")) return MASK;
    const [option] = SECRET_OPTION.exec(word) ?? [];
    return option !== undefined && word[option.length] === "=" ? `${option}=${MASK}` : maskedText(word);
  });
}

/** Covers in a text what is covered in an entry: a server may print its own secrets. */
export function withoutSecretsOf(entry: Json, text: string): string {
  const needles = new Map<string, string>();
  for (const secret of secretsIn(entry, maskedEntry(entry))) addNeedle(needles, secret, MASK);
  return maskedText(String(hideTexts(text, needles)));
}

function secretsIn(entry: Json, masked: Json): readonly string[] {
  if (typeof entry === "string") {
    const [start = "", ...rest] = typeof masked === "string" ? masked.split(MASK) : [""];
    const isCovered = rest.length > 0 || typeof masked !== "string";
    const secret = entry.slice(start.length, entry.length - (rest.at(-1) ?? "").length);
    return isCovered && secret.length >= LEAST_SECRET ? [secret] : [];
  }
  if (Array.isArray(entry)) return entry.flatMap((each, index) => secretsIn(each, Array.isArray(masked) ? (masked[index] ?? null) : MASK));
  if (!isJsonObject(entry)) return [];
  return Object.entries(entry).flatMap(([name, each]) => secretsIn(each, isJsonObject(masked) ? (masked[name] ?? null) : MASK));
}

/** Covers a password in an address, what stands behind its `?`, the value of a name that says that it is a secret, and what looks like a key. */
export function maskedText(text: string): string {
  if (KEY_LIKE.test(text) || RANDOM_LIKE.test(text)) return MASK;
  return text
    .replace(/([a-z][a-z0-9+.-]{0,30}:\/\/)[^/\s@]*@/gi, `$1${MASK}@`)
    .replace(/(https?:\/\/[^\s?]*\?)\S+/gi, `$1${MASK}`)
    .replace(NAMED_WHOLE, `$1${MASK}`)
    .replace(NAMED_WITHIN, `$1${MASK}`)
    .replace(/(bearer\s+)\S+/gi, `$1${MASK}`);
}
