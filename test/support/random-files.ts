// What may a client's file look like? Texts of one value in every format, with comments, odd white space and every way of writing the same that
// its readers know; chosen at random, the same again for the same choices.
import type { Chooser } from "./random.ts";

export type Value = string | number | boolean | readonly Value[] | { readonly [name: string]: Value };
export type Mapping = { readonly [name: string]: Value };

const TEXTS = [
  "",
  "npx",
  "-y",
  "a b",
  "yes",
  "null",
  "1e3",
  "012",
  "~",
  "#",
  "// no",
  "/* no */",
  "a: b",
  "- a",
  "{x}",
  "[y",
  "it's",
  'say "x"',
  "\\",
  "a\\nb",
  "é",
  "𝄞",
  "&a",
  "*a",
  "!t",
  "%",
  "@at",
  "`",
  "a #b",
  "'",
  "''''",
  "'''",
  '"""',
  " lead",
  "trail ",
  "a,b",
  "=",
  "C:\\x",
  "|",
  ">",
  "?",
  "\u007f",
  "\u2028",
  "\u00a0",
  "\ufeff",
  "$" + "{input:x}",
];
const CONTROLS = ["a\nb", "a\n", "\n", "\t", "a\r\nb", "\u0001", "\u0085"];
const NAMES = [
  "command",
  "args",
  "env",
  "cwd",
  "type",
  "a.b",
  "with space",
  "é",
  "__proto__",
  "constructor",
  "1",
  "true",
  "x-y",
  "url",
  "#",
  "'q'",
];

/** A text, odd more often than not. */
export function anyText(choose: Chooser): string {
  return choose.chance(15) ? choose.of(CONTROLS) : choose.of(TEXTS) + (choose.chance(20) ? choose.of(TEXTS) : "");
}

/** A value that every format can hold. */
export function anyValue(choose: Chooser, depth = 2): Value {
  const kind = choose.below(depth > 0 ? 8 : 5);
  if (kind < 3) return anyText(choose);
  if (kind === 3) return choose.of([0, 1, -7, 300, 1.5, 10_000_000]);
  if (kind === 4) return choose.chance(50);
  if (kind < 7) return Array.from({ length: choose.below(4) }, () => anyValue(choose, kind === 5 ? 0 : depth - 1));
  return anyMapping(choose, depth - 1);
}

/** A mapping with up to four members. */
export function anyMapping(choose: Chooser, depth = 2): Mapping {
  return Object.fromEntries(Array.from({ length: choose.below(5) }, () => [choose.of(NAMES), anyValue(choose, depth)] as const));
}

/** A name that no mapping has yet, or has. */
export function anyName(choose: Chooser): string {
  return choose.of(NAMES);
}

function isMapping(value: Value): value is Mapping {
  return typeof value === "object" && !Array.isArray(value);
}

/** Writes a value as JSON with comments and trailing commas, if told, and white space anywhere. */
export function writeJson(choose: Chooser, value: Value, options: { readonly comments: boolean }, indent = "\n"): string {
  const gap = () => {
    const comment = options.comments && choose.chance(10) ? choose.of(["/* c */", "/* , } */", "// c\n", '// "x": {\n', "/**/"]) : "";
    return choose.of(["", "", "", " ", "  ", "\t", "\n", indent]) + comment + choose.of(["", "", " "]);
  };
  const write = (each: Value): string => writeJson(choose, each, options, `${indent}  `);
  if (typeof value !== "object") {
    const text = JSON.stringify(value);
    return typeof value === "string" && choose.chance(10) ? text.replace(/[a-z]$/, (last) => last) : text;
  }
  const items = isMapping(value)
    ? Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}${gap()}:${gap()}${write(each)}`)
    : (value as readonly Value[]).map(write);
  const [open, close] = isMapping(value) ? ["{", "}"] : ["[", "]"];
  const style = choose.below(3);
  const lead = () => (style === 0 ? `${indent}  ` : style === 1 ? " " : gap());
  const last = options.comments && items.length > 0 && choose.chance(30) ? `${gap()},` : "";
  return `${open}${items.map((item) => lead() + item + (style === 2 ? gap() : "")).join(",")}${last}${style === 0 ? indent : gap()}${close}`;
}

function tomlText(choose: Chooser, text: string): string {
  const plain = /^[^'\p{Cc}\u007f]*$/u.test(text);
  if (plain && choose.chance(40)) return `'${text}'`;
  const basic = JSON.stringify(text).replaceAll("\u007f", "\\u007f");
  if (choose.chance(15)) return `"""\n${basic.slice(1, -1)}"""`;
  return plain && !text.includes("'") && choose.chance(10) ? `'''\n${text}'''` : basic;
}

function tomlKey(choose: Chooser, name: string): string {
  if (/^[\w-]+$/.test(name) && choose.chance(80)) return name;
  return /^[^']*$/.test(name) && choose.chance(50) ? `'${name}'` : JSON.stringify(name);
}

function tomlValue(choose: Chooser, value: Value): string {
  if (typeof value === "string") return tomlText(choose, value);
  if (typeof value !== "object") return String(value);
  if (isMapping(value)) {
    const members = Object.entries(value).map(
      ([name, each]) => `${tomlKey(choose, name)}${choose.of([" = ", "="])}${tomlValue(choose, each)}`,
    );
    return members.length === 0 ? choose.of(["{}", "{ }"]) : choose.of([`{ ${members.join(", ")} }`, `{${members.join(",")}}`]);
  }
  const items = value.map((each) => tomlValue(choose, each));
  if (choose.chance(60) || items.length === 0) return `[${items.join(", ")}]`;
  return `[${items.map((item) => `\n  ${choose.chance(20) ? "# c ]\n  " : ""}${item},${choose.of(["", " # c"])}`).join("")}\n]`;
}

const tail = (choose: Chooser) => choose.of(["", "", "", " ", " # c", "# = ["]);
const between = (choose: Chooser) => choose.of(["", "", "", "\n", "# c\n", "  # [c]\n\n"]);

/** Writes members of a table below `path`: in lines, in tables below it, or with dotted keys. */
function tomlMembers(choose: Chooser, members: Mapping, path: readonly string[], prefix: string): string {
  let lines = "";
  let tables = "";
  for (const [name, value] of Object.entries(members)) {
    const key = prefix + tomlKey(choose, name);
    const filled = isMapping(value) && Object.keys(value).length > 0;
    if (filled && choose.chance(30)) lines += tomlMembers(choose, value, [], `${key}${choose.of([".", " . "])}`);
    else if (isMapping(value) && path.length > 0 && choose.chance(50)) tables += tomlTable(choose, value, [...path, name]);
    else
      lines += `${between(choose)}${choose.of(["", "", "  "])}${key}${choose.of([" = ", "=", "  =\t"])}${tomlValue(choose, value)}${tail(choose)}\n`;
  }
  return lines + tables;
}

function tomlTable(choose: Chooser, members: Mapping, path: readonly string[]): string {
  const header = path.map((name) => tomlKey(choose, name)).join(choose.of([".", ".", " . "]));
  return `${between(choose)}[${header}]${tail(choose)}\n${tomlMembers(choose, members, path, "")}`;
}

/** Writes a mapping of mappings as TOML, in whatever shape its tables are. */
export function writeToml(choose: Chooser, value: { readonly [name: string]: Mapping }): string {
  return Object.entries(value)
    .map(([name, members]) => {
      if (choose.chance(70))
        return Object.entries(members)
          .map(([inner, each]) => tomlTable(choose, each as Mapping, [name, inner]))
          .join("");
      return tomlTable(choose, members, [name]);
    })
    .join("");
}

function yamlText(choose: Chooser, text: string): string {
  if (/^[a-z]{2,}$/.test(text) && !/^(yes|null|true|no|on|off)$/.test(text) && choose.chance(60)) return text;
  if (/^[\x20-\x7e]*$/.test(text) && choose.chance(40)) return `'${text.replaceAll("'", "''")}'`;
  return JSON.stringify(text).replace(/[\u007f-\u009f\u2028\ufeff]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function yamlFlow(choose: Chooser, value: Value): string {
  if (typeof value === "string") return yamlText(choose, value);
  if (typeof value !== "object") return String(value);
  const sep = choose.of([", ", ",  "]);
  if (!isMapping(value)) return `[${value.map((each) => yamlFlow(choose, each)).join(sep)}]`;
  return `{${Object.entries(value)
    .map(([name, each]) => `${yamlText(choose, name)}: ${yamlFlow(choose, each)}`)
    .join(sep)}}`;
}

/** What stands behind a key's colon: in its line, or in lines that stand further in. */
function yamlBelow(choose: Chooser, value: Value, indent: string): string {
  const comment = choose.of(["", "", "", " # c", "  # - c"]);
  const step = " ".repeat(1 + choose.below(4));
  const space = () => choose.of(["", "", "", "\n", `${indent}# c\n`]);
  if (isMapping(value) && Object.keys(value).length > 0 && choose.chance(80)) {
    const inner = indent + step;
    return `${comment}\n${Object.entries(value)
      .map(([name, each]) => `${space()}${inner}${yamlText(choose, name)}:${yamlBelow(choose, each, inner)}`)
      .join("")}`;
  }
  if (Array.isArray(value) && value.length > 0 && choose.chance(70)) {
    const inner = choose.chance(50) ? indent : indent + step;
    return `${comment}\n${value.map((each: Value) => `${space()}${inner}- ${yamlFlow(choose, each)}${choose.of(["", " # c"])}\n`).join("")}`;
  }
  if (typeof value === "string" && /^[a-z]+$/.test(value) && choose.chance(40))
    return ` ${choose.of([">-", "|-"])}${comment}\n${indent}${step}${value}\n`;
  return `${choose.of([" ", "  "])}${yamlFlow(choose, value)}${comment}\n`;
}

/** Writes a mapping as YAML, in lines or between braces. */
export function writeYaml(choose: Chooser, value: Mapping): string {
  return Object.entries(value)
    .map(([name, each]) => `${choose.of(["", "", "# c\n", "\n"])}${yamlText(choose, name)}:${yamlBelow(choose, each, "")}`)
    .join("");
}
