// What does the demo CRM know, and what may change in it? Pure functions from one state to the next; never touches a file or a clock.
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";

export const PLANS = ["free", "pro", "enterprise"] as const;
export type Plan = (typeof PLANS)[number];

/** One customer as it stands in the state file; members that a person added by hand are kept. */
export interface Customer extends JsonObject {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly plan: Plan;
  readonly notes: string;
  /** ISO 8601, UTC. */
  readonly updated_at: string;
}

/** An e-mail in the outbox: `to`, `subject`, `body`, `sent_at` (ISO 8601, UTC). */
export interface SentEmail extends JsonObject {
  readonly to: string;
  readonly subject: string;
  readonly body: string;
  readonly sent_at: string;
}

/** Everything in the state file. */
export interface CrmState extends JsonObject {
  /** The number that the next created customer gets: `c-<next_id>`. */
  readonly next_id: number;
  readonly customers: readonly Customer[];
  readonly outbox: readonly SentEmail[];
}

/** The members of a customer that a caller may set. */
export type CustomerFields = Pick<Customer, "name" | "email" | "plan" | "notes">;

/** What an operation gives: a value (with the next state, if it changes anything), or the reason why not, in plain words. */
export type Operation<Value> =
  | { readonly kind: "done"; readonly value: Value; readonly state?: CrmState }
  | { readonly kind: "refused"; readonly message: string };

/** Gives the customers that a new demo starts with; the same every time. */
export function seedCustomers(): readonly Customer[] {
  const updated_at = "2026-01-05T09:00:00.000Z";
  return [
    {
      id: "c-1",
      name: "Ada Byron",
      email: "ada@byron.example",
      plan: "enterprise",
      notes: "Prefers phone calls. Renews in May.",
      updated_at,
    },
    { id: "c-2", name: "Grace Murray", email: "grace@murray.example", plan: "pro", notes: "Asked for a Cobol export.", updated_at },
    { id: "c-3", name: "Alan Holt", email: "alan@holt.example", plan: "free", notes: "", updated_at },
    {
      id: "c-4",
      name: "Katherine Coleman",
      email: "katherine@coleman.example",
      plan: "pro",
      notes: "Invoices to accounting@coleman.example.",
      updated_at,
    },
    { id: "c-5", name: "Edsger Rijk", email: "edsger@rijk.example", plan: "free", notes: "Never calls before noon.", updated_at },
  ];
}

/** Builds the state with these customers and an empty outbox. */
export function newState(customers: readonly Customer[]): CrmState {
  return { next_id: customers.length + 1, customers, outbox: [] };
}

/** Checks that a parsed state file is what the CRM can work with; the reason names the place, for the person who edited it. */
export function checkState(
  value: Json,
): { readonly kind: "state"; readonly state: CrmState } | { readonly kind: "invalid"; readonly reason: string } {
  const reason = firstProblem(value);
  // Checked member by member just above.
  return reason === undefined ? { kind: "state", state: value as CrmState } : { kind: "invalid", reason };
}

function firstProblem(value: Json): string | undefined {
  if (!isJsonObject(value)) return "it must hold one object";
  const { next_id: nextId, customers, outbox } = value;
  if (typeof nextId !== "number" || !Number.isSafeInteger(nextId) || nextId < 1) return "next_id must be a whole number from 1 on";
  if (!Array.isArray(customers)) return "customers must be a list";
  if (!Array.isArray(outbox)) return "outbox must be a list";
  const seen = new Set<string>();
  for (const [index, customer] of customers.entries()) {
    const problem = customerProblem(customer);
    if (problem !== undefined) return `customers[${index}]: ${problem}`;
    if (seen.has(customer.id)) return `customers[${index}]: the id ${customer.id} is there twice`;
    seen.add(customer.id);
  }
  return undefined;
}

function customerProblem(customer: Json): string | undefined {
  if (!isJsonObject(customer)) return "must be an object";
  for (const name of ["id", "name", "email", "notes", "updated_at"]) {
    if (typeof customer[name] !== "string") return `${name} must be a text`;
  }
  return PLANS.some((plan) => plan === customer["plan"]) ? undefined : `plan must be one of ${PLANS.join(", ")}`;
}

/** Finds a customer by its exact id. */
export function getCustomer(state: CrmState, id: string): Operation<Customer> {
  const customer = state.customers.find((each) => each.id === id);
  return customer === undefined ? notFound(id) : { kind: "done", value: customer };
}

/** Finds the customers whose id, name, email or notes contain the text, upper and lower case alike. */
export function searchCustomers(state: CrmState, query: string): Operation<readonly Customer[]> {
  const wanted = query.toLowerCase();
  const value = state.customers.filter(({ id, name, email, notes }) =>
    [id, name, email, notes].some((text) => text.toLowerCase().includes(wanted)),
  );
  return { kind: "done", value };
}

/** Adds a customer under the next free id. `now` is ISO 8601, UTC. */
export function createCustomer(state: CrmState, fields: CustomerFields, now: string): Operation<Customer> {
  let number = state.next_id;
  // A person may have written a customer with a higher number into the file by hand.
  while (state.customers.some((each) => each.id === `c-${number}`)) number++;
  const value: Customer = { id: `c-${number}`, ...fields, updated_at: now };
  return { kind: "done", value, state: { ...state, next_id: number + 1, customers: [...state.customers, value] } };
}

/** Changes the given fields of a customer and leaves the others. */
export function updateCustomer(state: CrmState, id: string, fields: Partial<CustomerFields>, now: string): Operation<Customer> {
  const found = getCustomer(state, id);
  if (found.kind === "refused") return found;
  const value: Customer = { ...found.value, ...fields, updated_at: now };
  return { kind: "done", value, state: { ...state, customers: state.customers.map((each) => (each.id === id ? value : each)) } };
}

/** Removes a customer; its id is not given out again. */
export function deleteCustomer(state: CrmState, id: string): Operation<Customer> {
  const found = getCustomer(state, id);
  if (found.kind === "refused") return found;
  return { ...found, state: { ...state, customers: state.customers.filter((each) => each.id !== id) } };
}

/** Puts a deleted customer back under its own id, at its place in the order of numbers. */
export function restoreCustomer(state: CrmState, id: string, fields: CustomerFields, now: string): Operation<Customer> {
  if (state.customers.some((each) => each.id === id)) return { kind: "refused", message: `already exists: ${id}` };
  const value: Customer = { id, ...fields, updated_at: now };
  const after = state.customers.findIndex((each) => idNumber(each.id) > idNumber(id));
  const customers = after === -1 ? [...state.customers, value] : state.customers.toSpliced(after, 0, value);
  return { kind: "done", value, state: { ...state, customers } };
}

/** Appends an e-mail to the outbox; nothing leaves this machine. */
export function sendEmail(state: CrmState, email: Omit<SentEmail, "sent_at">, now: string): Operation<SentEmail> {
  const { to, subject, body } = email as SentEmail;
  const value: SentEmail = { to, subject, body, sent_at: now };
  return { kind: "done", value, state: { ...state, outbox: [...state.outbox, value] } };
}

function notFound(id: string): { readonly kind: "refused"; readonly message: string } {
  return { kind: "refused", message: `not found: ${id}` };
}

/** The number in `c-7`; ids of another form come last. */
function idNumber(id: string): number {
  const digits = /^c-(\d+)$/.exec(id)?.[1];
  return digits === undefined ? Number.POSITIVE_INFINITY : Number(digits);
}
