// Has a manifest the shape that shape.ts describes? Says everything that hasn't; whoever reads it afterwards may pass over what is wrong.
import { DURATION_WORDS, readDuration } from "../core/duration.ts";
import { nearest } from "../core/near-name.ts";
import { type Located, type LocatedMap, textOf } from "./located.ts";
import type { ProblemList } from "./problem.ts";
import { isNamed } from "./shape.ts";
import type { ObjectShape, Shape } from "./shape-kinds.ts";

/** Compares a piece of a manifest with its shape. `what` names it in messages, as in "`args`". */
export function checkShape(node: Located, choice: Shape, what: string, problems: ProblemList): void {
  const shape = chosen(node, choice);
  switch (shape.kind) {
    case "text":
      checkText(node, shape, what, problems);
      break;
    case "number":
      if (node.kind !== "scalar" || node.value !== shape.only) addWrongNumber(node, shape.only, what, problems);
      break;
    case "count":
      if (node.kind !== "scalar" || typeof node.value !== "number" || !Number.isSafeInteger(node.value) || node.value < 1)
        problems.add(node.offset, `${what} must be a whole number from 1, found ${kindOf(node)}`);
      break;
    case "schema":
      if (node.kind !== "map") problems.add(node.offset, `${what} must be a JSON Schema, as a mapping; found ${kindOf(node)}`);
      break;
    case "true":
      if (node.kind !== "scalar" || node.value !== true)
        problems.add(node.offset, `${what} must be \`true\`, found ${kindOf(node)}`, "leave it out where it isn't so");
      break;
    case "duration":
      checkDuration(node, what, problems);
      break;
    case "texts":
      checkTexts(node, shape, what, problems);
      break;
    case "any":
      break;
    case "list":
      if (node.kind === "list") for (const item of node.items) checkShape(item, shape.items, `an entry of ${what}`, problems);
      else problems.add(node.offset, `${what} must be a list, found ${kindOf(node)}`, listHint(node));
      break;
    case "one-or-more":
      if (node.kind !== "list") checkShape(node, shape.items, what, problems);
      else if (node.items.length === 0) problems.add(node.offset, `${what} must not be empty`, "leave it out");
      else for (const item of node.items) checkShape(item, shape.items, `an entry of ${what}`, problems);
      break;
    case "map":
      if (node.kind === "map") for (const entry of node.entries) checkShape(entry.value, shape.values, `\`${entry.name}\``, problems);
      else problems.add(node.offset, `${what} must be a mapping, found ${kindOf(node)}`);
      break;
    case "object":
      if (node.kind === "map") checkObject(node, shape, problems);
      else problems.add(node.offset, `${what} must be a mapping, found ${kindOf(node)}`, `its keys are ${listed(Object.keys(shape.keys))}`);
      break;
    case "value":
      if (node.kind === "scalar" && node.value === null) problems.add(node.offset, `${what} must be a value, found nothing`);
      break;
    case "template":
      if (node.kind === "map" || (node.kind === "scalar" && typeof node.value === "string" && node.value.startsWith("$"))) break;
      problems.add(node.offset, `${what} must be a mapping of arguments, or one reference to a whole value; found ${kindOf(node)}`);
  }
}

/** Which of several shapes is meant. */
function chosen(node: Located, shape: Shape): Exclude<Shape, { kind: "texts-or" | "named" }> {
  if (shape.kind === "texts-or") return node.kind === "map" ? shape.more : { kind: "texts", mayBeEmpty: true };
  if (shape.kind === "named") return node.kind === "map" && isNamed(node.entries) ? { kind: "map", values: shape.one } : shape.one;
  return shape;
}

/** Names what stands at a place, with its article. */
function kindOf(node: Located): string {
  if (node.kind !== "scalar") return node.kind === "map" ? "a mapping" : "a list";
  if (node.value === null) return "nothing";
  return typeof node.value === "string" ? "a string" : `the ${typeof node.value} ${node.value}`;
}

function checkObject(node: LocatedMap, shape: ObjectShape, problems: ProblemList): void {
  for (const entry of node.entries) {
    const known = Object.hasOwn(shape.keys, entry.name) ? shape.keys[entry.name] : undefined;
    if (known !== undefined) checkShape(entry.value, known.shape, `\`${entry.name}\``, problems);
    else problems.add(entry.offset, `unknown key \`${entry.name}\` in ${shape.name}`, keyHint(entry.name, shape));
  }
  for (const [name, key] of Object.entries(shape.keys)) {
    if (key.required && !node.entries.some((entry) => entry.name === name))
      problems.add(node.offset, `\`${name}\` is missing in ${shape.name}`, key.about);
  }
}

function keyHint(name: string, shape: ObjectShape): string {
  const names = Object.keys(shape.keys);
  const meant = nearest(name, names);
  return meant === undefined ? `its keys are ${listed(names)}` : `did you mean \`${meant}\`?`;
}

function checkText(
  node: Located,
  { oneOf, mayBeEmpty }: Omit<Shape & { kind: "text" }, "kind">,
  what: string,
  problems: ProblemList,
): void {
  if (node.kind !== "scalar" || typeof node.value !== "string") {
    const scalar = node.kind === "scalar" && node.value !== null;
    const hint = scalar
      ? `write "${node.value}"`
      : what === "`command`" && node.kind === "list"
        ? "put the program here and the rest into `args`"
        : undefined;
    problems.add(node.offset, `${what} must be a string, found ${kindOf(node)}`, hint);
  } else if (oneOf !== undefined && !oneOf.includes(node.value)) {
    const meant = nearest(node.value, oneOf);
    problems.add(
      node.offset,
      `${what} must be one of ${oneOf.join(", ")}; found \`${node.value}\``,
      meant === undefined ? undefined : `did you mean \`${meant}\`?`,
    );
  } else if (node.value.trim() === "" && !mayBeEmpty) {
    problems.add(node.offset, `${what} must not be empty`);
  }
}

function checkTexts(node: Located, { mayBeEmpty }: { readonly mayBeEmpty?: true }, what: string, problems: ProblemList): void {
  if (node.kind === "map" || (node.kind === "scalar" && typeof node.value !== "string")) {
    problems.add(node.offset, `${what} must be a string or a list of strings, found ${kindOf(node)}`);
  } else if (node.kind === "scalar") {
    checkText(node, {}, what, problems);
  } else if (node.items.length === 0) {
    if (!mayBeEmpty) problems.add(node.offset, `${what} must not be empty`, "leave it out");
  } else {
    for (const item of node.items) checkText(item, {}, `an entry of ${what}`, problems);
  }
}

function checkDuration(node: Located, what: string, problems: ProblemList): void {
  const text = textOf(node);
  if (text === undefined) problems.add(node.offset, `${what} must be ${DURATION_WORDS}; found ${kindOf(node)}`);
  else if (readDuration(text) === undefined) problems.add(node.offset, `${what} must be ${DURATION_WORDS}; found \`${text}\``);
}

function addWrongNumber(node: Located, only: number, what: string, problems: ProblemList): void {
  const found =
    node.kind === "scalar" && typeof node.value === "string"
      ? `the string "${node.value}"`
      : node.kind === "scalar"
        ? String(node.value)
        : kindOf(node);
  problems.add(node.offset, `${what} must be ${only}: this build reads ${what.replaceAll("`", "")} ${only}, found ${found}`);
}

function listHint(node: Located): string | undefined {
  if (node.kind === "map") return "begin each entry with `- `";
  return node.kind === "scalar" && node.value === null ? "write `[]` for none" : undefined;
}

function listed(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}
