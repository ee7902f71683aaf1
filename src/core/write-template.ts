// How is a template written down? As a policy would write it, so that compiling it gives the same template again.
import { isJsonObject, type Json, objectFrom } from "./json.ts";
import type { Template } from "./template.ts";

/** Writes a compiled template as the value that it was compiled from. */
export function writeTemplate(template: Template): Json {
  switch (template.kind) {
    case "literal":
      return escaped(template.value);
    case "reference": {
      const { reference, missing, negate } = template;
      if (negate) return { from: reference.text, negate };
      return missing === undefined ? reference.text : { from: reference.text, missing };
    }
    case "text":
      return template.parts.map((part) => (typeof part === "string" ? escaped(part) : part.text)).join("");
    case "list":
      return template.items.map(writeTemplate);
    case "each":
      return { for_each: writeTemplate(template.list), item: writeTemplate(template.item) };
    case "object":
      return objectFrom(template.members.map(([name, member]) => [name, writeTemplate(member)] as const));
  }
}

/** A dollar that begins no reference is written twice. */
function escaped(value: Json): Json {
  if (typeof value === "string") return value.replaceAll("$", "$$$$"); // in a replacement, each `$$` is one dollar
  if (Array.isArray(value)) return value.map(escaped);
  if (isJsonObject(value)) return objectFrom(Object.entries(value).map(([name, member]) => [name, escaped(member)] as const));
  return value;
}
