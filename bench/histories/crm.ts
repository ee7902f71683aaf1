// What does the CRM of the histories know, and what may change in it? Customers with fields of every kind that undo has to merge. In memory;
// throws Refusal where it won't do something, having changed nothing.
import type { JsonObject } from "../../src/core/json.ts";
import { type Cells, CREDIT, cellOf, linesOf, placeOfLine } from "./cells.ts";

/** What a server says instead of doing what it is told. */
export class Refusal extends Error {}

/** A note in a customer's list. */
export interface Note {
  readonly id: string;
  readonly text: string;
}

/** One customer, as the server shows it. */
export interface Customer {
  readonly id: string;
  name: string;
  plan: string;
  phone: string;
  parent: string;
  status: string;
  credit: number;
  tags: readonly string[];
  notes: readonly Note[];
  /** A text of several lines. */
  body: string;
  /** Moves with every change, as a server's own bookkeeping does. */
  version: number;
  updated_at: string;
}

/** The fields that `update_customer` sets. */
export const FIELDS = ["name", "plan", "phone", "parent"] as const;

/** Everything that a person or a tool does with customers. */
export class Crm {
  readonly customers = new Map<string, Customer>();
  readonly outbox: string[] = [];
  #ids = 0;
  #clock = 0;

  /** Gives an id that was never given before. */
  newId(kind: "c" | "n"): string {
    return `${kind}-${++this.#ids + 100}`;
  }

  find(id: string): Customer {
    const found = this.customers.get(id);
    if (found === undefined) throw new Refusal(`no such customer: ${id}`);
    return found;
  }

  /** Changes a customer, and what moves by itself with it. */
  change(id: string, changes: Partial<Customer>): Customer {
    const before = this.find(id);
    const after = inOrder({ ...before, ...changes, version: before.version + 1, updated_at: this.now() });
    this.customers.set(id, after);
    return after;
  }

  /** Adds a customer with what is given; the rest is empty. */
  add(id: string, given: Partial<Customer>): Customer {
    if (this.customers.has(id)) throw new Refusal(`the id ${id} is in use`);
    const empty = { name: "", plan: "free", phone: "", parent: "", status: "new", credit: 0, tags: [], notes: [], body: "" };
    const customer = inOrder({ ...empty, ...given, id, version: 1, updated_at: this.now() });
    this.customers.set(id, customer);
    return customer;
  }

  remove(id: string): void {
    this.find(id);
    this.customers.delete(id);
  }

  noteOf(id: string, note: string): Note {
    const found = this.find(id).notes.find((each) => each.id === note);
    if (found === undefined) throw new Refusal(`no such note: ${note}`);
    return found;
  }

  /** A copy that shares nothing that changes. */
  copy(): Crm {
    const copy = new Crm();
    for (const [id, customer] of this.customers) copy.customers.set(id, { ...customer });
    copy.#ids = this.#ids;
    copy.#clock = this.#clock;
    return copy;
  }

  cells(): Cells {
    const cells = new Map<string, string>();
    for (const customer of this.customers.values()) {
      const { id } = customer;
      cells.set(id, "here");
      for (const field of [...FIELDS, "status"] as const) cells.set(cellOf(id, field), customer[field]);
      cells.set(cellOf(id, CREDIT), String(customer.credit));
      for (const tag of customer.tags) cells.set(cellOf(id, "tags", tag), "in");
      for (const note of customer.notes) cells.set(cellOf(id, "notes", note.id), note.text);
      for (const line of linesOf(customer.body)) cells.set(cellOf(id, "body", placeOfLine(line)), line);
    }
    return cells;
  }

  /** A moment that no other has. */
  now(): string {
    return new Date(Date.UTC(2026, 0, 1) + ++this.#clock * 1000).toISOString();
  }
}

/** Notes stand in the order of their ids: one that comes back comes back to its place. */
function inOrder(customer: Customer): Customer {
  return { ...customer, notes: customer.notes.toSorted((a, b) => (a.id < b.id ? -1 : 1)) };
}

/** A customer as a result of a tool. */
export function shown(customer: Customer): JsonObject {
  return { ...customer, tags: [...customer.tags], notes: customer.notes.map((note) => ({ ...note })) };
}
