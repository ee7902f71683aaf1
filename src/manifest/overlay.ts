// What is a rule's case, or the rule once its snapshot is known, written out whole? The rule's keys with those that the part says anew in their
// place. What the part's class can't have isn't inherited; a gate that is loose for it isn't either. Reads no meaning into the rest.
import { entryOf, type LocatedEntry, type LocatedMap, memberOf, textOf } from "./located.ts";

/** Which keys choose a part, or try out the whole: they are never inherited. */
const CHOOSING = ["by", "cases", "when_absent", "when_present", "drill"];

/** What a rule can't have whose calls nothing undoes. */
const UNDOING = ["inverse", "observe", "confirm", "commutes"];

/** Writes a part out. Everything keeps the place where it stands. */
export function overlay(rule: LocatedMap, part: LocatedMap): LocatedMap {
  const own = part.entries.map(({ name }) => name);
  const inherited = rule.entries.filter(({ name }) => !own.includes(name) && !CHOOSING.includes(name));
  const kept = inherited.flatMap((entry) => inheritedBy(textOf(memberOf(part, "class")), entry));
  return { kind: "map", offset: part.offset, entries: [...kept, ...part.entries] };
}

function inheritedBy(actionClass: string | undefined, entry: LocatedEntry): readonly LocatedEntry[] {
  if (actionClass !== "irreversible" && actionClass !== "readonly") return [entry];
  if (UNDOING.includes(entry.name)) return [];
  if (entry.name === "gate" && actionClass === "irreversible" && textOf(entry.value) !== "always") return [];
  if (entry.name !== "undo") return [entry];
  const remedy = actionClass === "irreversible" ? entryOf(entry.value, "remedy") : undefined;
  return remedy === undefined ? [] : [{ ...entry, value: { kind: "map", offset: entry.value.offset, entries: [remedy] } }];
}
