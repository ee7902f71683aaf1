// Does an edit change what it should and nothing else, whatever the file looks like? Judged by readers that are not the ones that edit: Bun's
// own of JSON with comments, TOML and YAML.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Change, ClientDocument, Format, KeyPath } from "../../../src/clients/formats/document.ts";
import type { Json } from "../../../src/core/json.ts";
import { edit, openText, restore, written } from "../../support/client-documents.ts";
import { type Chooser, chooserOf } from "../../support/random.ts";
import {
  anyMapping,
  anyName,
  anyText,
  anyValue,
  type Mapping,
  type Value,
  writeJson,
  writeToml,
  writeYaml,
} from "../../support/random-files.ts";

interface Kind {
  readonly write: (choose: Chooser, value: { readonly [name: string]: Mapping }) => string;
  readonly read: (text: string) => unknown;
}
const KINDS: Readonly<Record<Format, Kind>> = {
  json: { write: (choose, value) => writeJson(choose, value, { comments: false }), read: (text) => JSON.parse(text) },
  jsonc: { write: (choose, value) => writeJson(choose, value, { comments: true }), read: (text) => Bun.JSONC.parse(text) },
  toml: { write: writeToml, read: (text) => Bun.TOML.parse(text) },
  yaml: { write: writeYaml, read: (text) => Bun.YAML.parse(text) },
};

/** Members of an object by name; `__proto__` is a name like any other. */
function withMember(map: Mapping, name: string, value: Value | undefined): Mapping {
  const members = new Map(Object.entries(map));
  if (value === undefined) members.delete(name);
  else members.set(name, value);
  return Object.fromEntries(members);
}

function isMapping(value: Value | undefined): value is Mapping {
  return typeof value === "object" && !Array.isArray(value);
}

/** Chooses a change of an entry, and says what the entry is then. */
function anyChange(choose: Chooser, entry: Mapping): { readonly change: Change; readonly becomes: Mapping } {
  const names = Object.keys(entry);
  const name = names.length > 0 && choose.chance(60) ? choose.of(names) : anyName(choose);
  const old = Object.hasOwn(entry, name) ? entry[name] : undefined;
  if (old !== undefined && choose.chance(25))
    return { change: { kind: "remove", path: [name] }, becomes: withMember(entry, name, undefined) };
  if (isMapping(old) && choose.chance(60)) {
    const inner = anyName(choose);
    const value = anyValue(choose, 1);
    return {
      change: { kind: "set", path: [name, inner], value: value as Json },
      becomes: withMember(entry, name, withMember(old, inner, value)),
    };
  }
  const value = Array.isArray(old) && choose.chance(50) ? [anyText(choose), ...old.slice(choose.below(2))] : anyValue(choose, 1);
  const after = names.length > 0 && choose.chance(40) ? { after: choose.of(names) } : {};
  return { change: { kind: "set", path: [name], value: value as Json, ...after }, becomes: withMember(entry, name, value) };
}

/** A text cut at an entry: what stands before it, and what stands behind it from the end of its line on. */
function around(document: ClientDocument, path: KeyPath): { readonly before: string; readonly behind: string } {
  const text = written(document);
  const entries = document.entries(path.slice(0, -1));
  const entry = entries.kind === "entries" ? entries.entries.find(({ name }) => name === path.at(-1)) : undefined;
  const own = entry?.kind === "entry" ? entry.text : undefined;
  if (own === undefined) return { before: "", behind: "" };
  const at = text.indexOf(own);
  // White space goes with a line that is taken away; what stands behind the entry in its line may come to stand behind a new line.
  return { before: text.slice(0, at).trimEnd(), behind: text.slice(at + own.length).replace(/^[^\n]*/, "") };
}

const RUNS = 100;
// Ends only what hangs.
const LIMIT = 60_000;

for (const [format, { write, read }] of Object.entries(KINDS) as [Format, Kind][]) {
  describe(format, () => {
    let refused = 0;
    const check = async (seed: number): Promise<void> => {
      const choose = chooserOf(seed);
      const servers: Readonly<Record<string, Mapping>> = {
        first: anyMapping(choose),
        "my.notes": anyMapping(choose),
        last: anyMapping(choose),
      };
      const value = { before: { other: anyMapping(choose, 1) }, servers, after: { other: anyMapping(choose, 1) } };
      const lines = write(choose, value);
      const text = (choose.chance(20) ? "\uFEFF" : "") + (choose.chance(30) && !/\r/.test(lines) ? lines.replaceAll("\n", "\r\n") : lines);
      expect(read(text.replace(/^\uFEFF/, ""))).toEqual(value);
      const document = await openText(format, text);
      const name = choose.of(["first", "my.notes", "last"]);
      let entry = servers[name] as Mapping;
      const changes: Change[] = [];
      for (let count = 1 + choose.below(4); count > 0; count--) {
        const { change, becomes } = anyChange(choose, entry);
        changes.push(change);
        entry = becomes;
      }
      const edited = document.edit(["servers", name], changes);
      if (edited.kind === "refused") {
        refused++;
        // Such a table would have to be moved.
        expect([format, edited.problem.message]).toEqual(["toml", expect.stringMatching(/is written as a table of its own|stand apart/)]);
        return;
      }
      const after = written(edited.document);
      expect(read(after.replace(/^\uFEFF/, ""))).toEqual({ ...value, servers: { ...servers, [name]: entry } });
      const { before, behind } = around(document, ["servers", name]);
      expect(after.startsWith(before) && after.endsWith(behind)).toBe(true);

      const restored = restore(await openText(format, after), edited.patch);
      expect(written(restored.document)).toBe(text);

      // Somebody changes the next entry, and adds to ours.
      const other = name === "last" ? "first" : "last";
      const theirs = edit(edited.document, ["servers", other], { kind: "set", path: ["theirs"], value: "1" });
      const both = edit(theirs.document, ["servers", name], { kind: "set", path: ["theirs too"], value: ["2"] });
      const back = restore(both.document, edited.patch);
      expect(back.kept).toEqual([]);
      expect(read(written(back.document).replace(/^\uFEFF/, ""))).toEqual({
        ...value,
        servers: { ...servers, [name]: { ...servers[name], "theirs too": ["2"] }, [other]: { ...servers[other], theirs: "1" } },
      });
    };

    test(
      "P1: a reader gets what was meant and everything else as it was; P3: taken back, the file is byte for byte what it was",
      async () => {
        await fc.assert(fc.asyncProperty(fc.nat(), check), { numRuns: RUNS });
        expect(refused).toBeLessThan(RUNS / 5);
      },
      LIMIT,
    );
  });
}
