// How do two objects become one that says what either says?
import { isJsonObject, type JsonObject, objectFrom, printJson } from "../../core/json.ts";

/** All members of both, at any depth, and all elements of arrays; else the first's where both have one, but true wins over false. */
export function union(first: JsonObject, second: JsonObject): JsonObject {
  const members = new Map(Object.entries(first));
  for (const [name, value] of Object.entries(second)) {
    const own = members.get(name);
    if (own === undefined || own === false) members.set(name, value);
    else if (Array.isArray(own) && Array.isArray(value))
      members.set(name, [...new Map([...own, ...value].map((element) => [printJson(element), element])).values()]);
    else if (isJsonObject(own) && isJsonObject(value)) members.set(name, union(own, value));
  }
  return objectFrom(members);
}
