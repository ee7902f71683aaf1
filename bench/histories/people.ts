// What does somebody else do in between? A person at the same customers and files, who goes by no server. What it wrote is told besides what it
// changed: a value set to the same thing again changes nothing that any read could show.
import { cellOf, type Effect, effectOf, linesOf, placeOfLine, textOf } from "./cells.ts";
import { type Customer, FIELDS } from "./crm.ts";
import type { Imagination } from "./generate.ts";
import type { World } from "./world.ts";

/** What a person did. */
export interface Edit {
  /** For the story. */
  readonly what: string;
  readonly effect: Effect;
  /** Every cell that was written, whether or not that changed it. */
  readonly wrote: ReadonlySet<string>;
}

/** Does one edit on the world itself. */
export function edit(world: World, imagine: Imagination, bin: Bin): Edit {
  for (;;) {
    const before = world.cells();
    const done = imagine.choose.of(EDITS)(world, imagine, bin);
    if (done === undefined) continue;
    const effect = effectOf(before, world.cells());
    return { what: done.what, effect, wrote: new Set([...effect.keys(), ...(done.wrote ?? [])]) };
  }
}

/** What was seen of customers and files, to be made again after they are gone. */
export class Bin {
  readonly customers = new Map<string, Customer>();
  readonly files = new Map<string, string>();

  /** Keeps what is there now. */
  note({ crm, folder }: World): void {
    for (const [id, customer] of crm.customers) this.customers.set(id, customer);
    for (const name of folder.names()) this.files.set(name, folder.read(name) ?? "");
  }
}

type Done = { readonly what: string; readonly wrote?: readonly string[] } | undefined;
type Act = (world: World, imagine: Imagination, bin: Bin) => Done;

const withCustomer =
  (act: (id: string, world: World, imagine: Imagination, bin: Bin) => Done): Act =>
  (world, imagine, bin) => {
    const id = imagine.lately([...world.crm.customers.keys()]);
    return id === undefined ? undefined : act(id, world, imagine, bin);
  };

const setField = withCustomer((id, { crm }, imagine, bin) => {
  const field = imagine.hotOr([...FIELDS, "status"] as const, "field");
  const now = crm.find(id)[field];
  const former = bin.customers.get(id)?.[field] ?? now;
  const isOld = imagine.choose.chance(12);
  const value = isOld ? imagine.choose.of([now, former]) : imagine.word(`own ${field}`);
  crm.change(id, { [field]: value });
  return { what: `sets ${field} of ${id} to ${value}`, wrote: [cellOf(id, field)] };
});

const editBody = withCustomer((id, { crm }, imagine) => {
  const { body } = crm.find(id);
  const change = imagine.edit(body);
  if (change === undefined) return undefined;
  crm.change(id, { body: body.replace(change.find, () => change.replace) });
  return { what: `edits the body of ${id}: ${JSON.stringify(change.find)} to ${JSON.stringify(change.replace)}` };
});

const editFile: Act = ({ folder }, imagine) => {
  const name = imagine.lately(folder.names());
  const text = name === undefined ? undefined : folder.read(name);
  const change = text === undefined ? undefined : imagine.edit(text);
  if (name === undefined || text === undefined || change === undefined) return undefined;
  folder.write(
    name,
    text.replace(change.find, () => change.replace),
  );
  return { what: `edits ${name}: ${JSON.stringify(change.find)} to ${JSON.stringify(change.replace)}` };
};

const EDITS: readonly Act[] = [
  setField,
  setField,
  setField,
  setField,
  editBody,
  editBody,
  editFile,
  editFile,
  withCustomer((id, { crm }, imagine) => {
    const tag = imagine.hotOr(["green", "small", "old", "red", "mine"], "member");
    const { tags } = crm.find(id);
    crm.change(id, { tags: tags.includes(tag) ? tags.filter((each) => each !== tag) : [...tags, tag] });
    return { what: `${tags.includes(tag) ? "takes" : "adds"} the tag ${tag} ${tags.includes(tag) ? "from" : "to"} ${id}` };
  }),
  withCustomer((id, { crm }, imagine) => {
    const { notes } = crm.find(id);
    const kind = notes.length === 0 ? "add" : imagine.choose.of(["add", "change", "remove"] as const);
    const ids = notes.map((note) => note.id);
    const added = { id: kind === "add" ? crm.newId("n") : imagine.hotOr(ids, "member"), text: imagine.word("own note") };
    const others = notes.filter((note) => note.id !== added.id);
    const changed = notes.map((note) => (note.id === added.id ? added : note));
    crm.change(id, { notes: kind === "add" ? [...notes, added] : kind === "remove" ? others : changed });
    return { what: `${kind}s the note ${added.id} of ${id}` };
  }),
  withCustomer((id, { crm }, { choose }) => {
    const amount = 1 + choose.below(5);
    crm.change(id, { credit: crm.find(id).credit + amount });
    return { what: `adds ${amount} to the credit of ${id}` };
  }),
  withCustomer((id, { crm }) => {
    crm.remove(id);
    return { what: `deletes ${id}` };
  }),
  ({ crm }, imagine) => {
    const { id } = crm.add(crm.newId("c"), { name: imagine.word("own name"), body: imagine.text() });
    return { what: `creates ${id}` };
  },
  ({ crm }, imagine, bin) => {
    const gone = bin.customers.get(imagine.lately([...bin.customers.keys()].filter((id) => !crm.customers.has(id))) ?? "");
    if (gone === undefined) return undefined;
    crm.add(gone.id, imagine.choose.chance(40) ? gone : { ...gone, name: imagine.word("own name") });
    return { what: `makes ${gone.id} again` };
  },
  ({ folder }, imagine) => {
    const name = imagine.lately(folder.names());
    if (name === undefined) return undefined;
    folder.remove(name);
    return { what: `deletes ${name}` };
  },
  ({ folder }, imagine, bin) => {
    const name = imagine.lately([...bin.files.keys()].filter((each) => folder.read(each) === undefined));
    if (name === undefined) return undefined;
    const lines = linesOf(bin.files.get(name) ?? "").map((line, index) =>
      index === 0 && imagine.choose.chance(60) ? imagine.line(placeOfLine(line)) : line,
    );
    folder.write(name, textOf(lines));
    return { what: `makes ${name} again` };
  },
];
