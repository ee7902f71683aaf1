// What does an agent do next, and what goes wrong with it? Chosen at random from what is there, so that most calls have an effect. The same seed
// gives the same history.
import type { JsonObject } from "../../src/core/json.ts";
import type { Chooser } from "../../test/support/random.ts";
import { linesOf, partsOf, placeOfLine, textOf } from "./cells.ts";
import { FIELDS } from "./crm.ts";
import type { Call } from "./tool.ts";
import { toolOf } from "./tools.ts";
import { type Fault, NO_FAULT, type World } from "./world.ts";

/** Chooses for one history, and makes up words that no other place has, so that equal contents are never an accident. */
export class Imagination {
  readonly choose: Chooser;
  /** The cells that the latest deed changed: what others reach for, so that there is something to overlap. */
  hot: readonly string[] = [];
  #words = 0;
  #recent: readonly string[] = [];

  constructor(choose: Chooser) {
    this.choose = choose;
  }

  word(kind: string): string {
    return `${kind} ${++this.#words}x`;
  }

  line(place: string): string {
    return `${place}| ${this.word("line")}`;
  }

  /** One of the names; the one that was chosen last more often, so that several work at one thing. */
  lately(names: readonly string[]): string | undefined {
    if (names.length === 0) return undefined;
    const again = this.#recent.filter((name) => names.includes(name));
    const chosen = this.choose.of(again.length > 0 && this.choose.chance(75) ? again : names);
    this.#recent = [...this.#recent.filter((name) => name !== chosen), chosen].slice(-2);
    return chosen;
  }

  /** One of the names that were changed just now, more often than any other. */
  hotOr<Name extends string>(names: readonly Name[], part: "field" | "member"): Name {
    const hot = this.hot.map((cell) => partsOf(cell)[part]);
    const found = names.filter((name) => hot.includes(name));
    return this.choose.of(found.length > 0 && this.choose.chance(40) ? found : names);
  }

  /** A text with one line replaced, taken out or added, told as a replacement of some text by another. */
  edit(text: string): { find: string; replace: string } | undefined {
    const lines = linesOf(text);
    if (lines.length === 0) return undefined;
    const place = this.hotOr(lines.map(placeOfLine), "member");
    const near = this.choose.chance(30) ? this.choose.of([-2, -1, 1, 2]) : 0;
    const at = Math.min(lines.length - 1, Math.max(0, lines.findIndex((line) => placeOfLine(line) === place) + near));
    const line = lines[at] ?? "";
    if (lines.length > 4 && this.choose.chance(20)) return { find: `${line}\n`, replace: "" };
    if (this.choose.chance(70)) return { find: line, replace: this.line(placeOfLine(line)) };
    const next = lines[at + 1];
    const [low, high] = [Number(placeOfLine(line)), next === undefined ? 9999 : Number(placeOfLine(next))];
    if (high - low < 2) return { find: line, replace: this.line(placeOfLine(line)) };
    const between = String(Math.min(low + 50, Math.floor((low + high) / 2))).padStart(4, "0");
    return { find: `${line}\n`, replace: `${line}\n${this.line(between)}\n` };
  }

  /** A text of several lines. */
  text(): string {
    const count = 6 + this.choose.below(6);
    return textOf(Array.from({ length: count }, (_, index) => this.line(String((index + 1) * 100).padStart(4, "0"))));
  }
}

/** Fills a new world. */
export function furnish(world: World, imagine: Imagination): void {
  for (const id of ["c-1", "c-2", "c-3"]) {
    const notes = [1, 2, 3].map((number) => ({ id: `n-${id.slice(2)}${number}`, text: imagine.word("note") }));
    world.crm.add(id, {
      name: imagine.word("name"),
      phone: imagine.word("phone"),
      credit: imagine.choose.below(50),
      tags: ["red", "blue", "tall"],
      notes,
      body: imagine.text(),
    });
  }
  for (const name of ["plan.txt", "todo.txt"]) world.folder.write(name, imagine.text());
}

type Make = (world: World, imagine: Imagination) => Call | undefined;

/** Calls on a customer that is there; the weights are how often each stands here. */
const ON_CUSTOMER: Readonly<Record<string, (id: string, world: World, imagine: Imagination) => JsonObject | undefined>> = {
  update_customer: (_id, { crm }, imagine) => {
    const link = imagine.choose.chance(15) ? { parent: imagine.choose.of([...crm.customers.keys()]) } : {};
    return { ...fieldsOf(imagine), ...link };
  },
  set_status: (_id, _world, imagine) => ({ status: imagine.word("status") }),
  set_tags: (id, { crm }, { choose }) => {
    const kept = crm.find(id).tags.filter(() => choose.chance(70));
    return { tags: [...new Set([...kept, choose.of(["green", "small", "old", "red"])])] };
  },
  set_notes: (id, { crm }, imagine) => {
    const kept = crm.find(id).notes.filter(() => imagine.choose.chance(75));
    const notes = kept.map((note) => (imagine.choose.chance(40) ? { ...note, text: imagine.word("note") } : { ...note }));
    const added = imagine.choose.chance(40) ? [{ id: crm.newId("n"), text: imagine.word("note") }] : [];
    return { notes: [...notes, ...added] };
  },
  edit_body: (id, { crm }, imagine) => imagine.edit(crm.find(id).body),
  set_body: (_id, _world, imagine) => ({ body: imagine.text() }),
  add_note: (_id, _world, imagine) => ({ text: imagine.word("note") }),
  remove_note: (id, { crm }, imagine) => {
    const { notes } = crm.find(id);
    return notes.length === 0
      ? undefined
      : {
          note: imagine.hotOr(
            notes.map(({ id: note }) => note),
            "member",
          ),
        };
  },
  add_credit: (_id, _world, { choose }) => ({ amount: 1 + choose.below(9) }),
  delete_customer: () => ({}),
};

const onCustomer =
  (tool: string): Make =>
  (world, imagine) => {
    const id = imagine.lately([...world.crm.customers.keys()]);
    const args = id === undefined ? undefined : ON_CUSTOMER[tool]?.(id, world, imagine);
    return args && { tool, args: { id: id ?? null, ...args } };
  };

const onFile =
  (tool: string, argsOf: (text: string, imagine: Imagination) => JsonObject | undefined): Make =>
  ({ folder }, imagine) => {
    const path = imagine.lately(folder.names());
    const args = path === undefined ? undefined : argsOf(folder.read(path) ?? "", imagine);
    return args && { tool, args: { path: path ?? null, ...args } };
  };

const editFile = onFile("edit_file", (text, imagine) => imagine.edit(text));
const MAKES: readonly Make[] = [
  ...["update_customer", "update_customer", "update_customer", "set_status", "set_tags", "set_notes", "edit_body", "edit_body"].map(
    onCustomer,
  ),
  ...["set_body", "add_note", "add_note", "remove_note", "add_credit", "add_credit", "delete_customer"].map(onCustomer),
  (_world, imagine) => ({ tool: "create_customer", args: { ...fieldsOf(imagine), body: imagine.text() } }),
  (_world, imagine) => ({ tool: "create_customer", args: { name: imagine.word("name") } }),
  (_world, imagine) => ({ tool: "send_mail", args: { to: imagine.word("person"), text: imagine.word("mail") } }),
  onFile("write_file", (_text, imagine) => ({ text: imagine.text() })),
  editFile,
  editFile,
  (_world, imagine) => ({ tool: "create_file", args: { path: `new-${imagine.choose.below(1000)}.txt`, text: imagine.text() } }),
  onFile("delete_file", () => ({})),
  onFile("read_file", () => ({})),
  (_world, { choose }) => ({ tool: "get_customer", args: { id: choose.of(["c-1", "c-2", "nobody"]) } }),
];

/** Chooses the next call of an agent. */
export function nextCall(world: World, imagine: Imagination): Call {
  for (;;) {
    const call = imagine.choose.of(MAKES)(world, imagine);
    if (call === undefined) continue;
    return call.tool === "create_file" && world.folder.read(String(call.args["path"])) !== undefined ? nextCall(world, imagine) : call;
  }
}

/** Chooses what goes wrong with a call; mostly nothing. */
export function faultFor({ tool }: Call, { choose }: Imagination): Fault {
  const { family, half } = toolOf(tool);
  if (family === "read" || !choose.chance(12)) return NO_FAULT;
  const kind = choose.of(["half", "half", "nothing", "lag", "lag", "lost"] as const);
  if (kind === "lost") return { kind: choose.chance(50) ? "lost-done" : "lost-undone" };
  if (kind === "half") return half === undefined ? { kind: "nothing" } : { kind };
  if (kind === "nothing") return { kind };
  return family === "final" ? NO_FAULT : { kind, reads: 1 + choose.below(2) };
}

/** One to three fields with something new in them. */
function fieldsOf(imagine: Imagination): JsonObject {
  const names = FIELDS.filter(() => imagine.choose.chance(35));
  return Object.fromEntries((names.length === 0 ? ["name"] : names).map((name) => [name, imagine.word(name)]));
}
