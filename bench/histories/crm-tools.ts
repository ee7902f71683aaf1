// What do the tools for customers do, and how would somebody put it back who looks at nothing? The policy for Synartesis stands apart (policy.ts).
import type { JsonObject } from "../../src/core/json.ts";
import { cellOf } from "./cells.ts";
import { type Customer, FIELDS, type Note, Refusal, shown } from "./crm.ts";
import { type Call, done, edited, firstHalf, halfText, pick, type Tool, text } from "./tool.ts";

const list = <Item>(args: JsonObject, name: string): readonly Item[] => args[name] as unknown as readonly Item[]; // the generator's own calls
const customer = (args: JsonObject): Call => ({ tool: "get_customer", args: { id: args["id"] ?? null } });

/** Every tool for customers, by name. */
export const CRM_TOOLS: Readonly<Record<string, Tool>> = {
  get_customer: { family: "read", run: ({ crm }, args) => shown(crm.find(text(args, "id"))) },
  get_note: { family: "read", run: ({ crm }, args) => ({ ...crm.noteOf(text(args, "id"), text(args, "note")) }) },
  get_credit: { family: "read", run: ({ crm }, args) => ({ credit: crm.find(text(args, "id")).credit }) },
  update_customer: {
    family: "fields",
    run({ crm }, { id, ...changes }) {
      crm.change(String(id), changes as Partial<Customer>); // the generator's own calls
      return { id: id ?? null };
    },
    half: (args) => Object.fromEntries(Object.entries(args).slice(0, 2)),
    look: customer,
    back: (args, before) => ({ tool: "update_customer", args: { ...pick(args, ["id"]), ...pick(before, FIELDS) } }),
  },
  set_status: {
    family: "fields",
    run({ crm }, args) {
      const { version } = crm.find(text(args, "id"));
      if (args["version"] !== undefined && args["version"] !== version) throw new Refusal(`its version is ${version} by now`);
      crm.change(text(args, "id"), { status: text(args, "status") });
      return done(args);
    },
    look: customer,
    back: (args, before) => ({ tool: "set_status", args: { ...pick(args, ["id"]), ...pick(before, ["status"]) } }),
  },
  set_tags: {
    family: "fields",
    run({ crm }, args) {
      crm.change(text(args, "id"), { tags: list<string>(args, "tags") });
      return done(args);
    },
    look: customer,
    back: (args, before) => ({ tool: "set_tags", args: { ...pick(args, ["id"]), ...pick(before, ["tags"]) } }),
  },
  set_notes: {
    family: "fields",
    run({ crm }, args) {
      crm.change(text(args, "id"), { notes: list<Note>(args, "notes") });
      return done(args);
    },
    half: (args) => ({ ...args, notes: firstHalf(list<JsonObject>(args, "notes")) }),
    look: customer,
    back: (args, before) => ({ tool: "set_notes", args: { ...pick(args, ["id"]), ...pick(before, ["notes"]) } }),
  },
  edit_body: {
    family: "fields",
    run({ crm }, args) {
      crm.change(text(args, "id"), { body: edited(crm.find(text(args, "id")).body, args) });
      return done(args);
    },
    look: customer,
    back: (args, before) => ({ tool: "set_body", args: { ...pick(args, ["id"]), ...pick(before, ["body"]) } }),
  },
  set_body: {
    family: "fields",
    run({ crm }, args) {
      crm.change(text(args, "id"), { body: text(args, "body") });
      return done(args);
    },
    half: (args) => ({ ...args, body: halfText(text(args, "body")) }),
    look: customer,
    back: (args, before) => ({ tool: "set_body", args: { ...pick(args, ["id"]), ...pick(before, ["body"]) } }),
  },
  add_note: {
    family: "make",
    run({ crm }, args) {
      const { notes } = crm.find(text(args, "id"));
      const note = crm.newId("n");
      crm.change(text(args, "id"), { notes: [...notes, { id: note, text: text(args, "text") }] });
      return { note };
    },
    scope: (args, result) => cellOf(text(args, "id"), "notes", text(result, "note")),
    look: (args, result) => ({ tool: "get_note", args: { ...pick(args, ["id"]), ...pick(result, ["note"]) } }),
    back: (args, _before, result) => ({ tool: "remove_note", args: { ...pick(args, ["id"]), ...pick(result, ["note"]) } }),
  },
  remove_note: {
    family: "remove",
    run({ crm }, args) {
      crm.noteOf(text(args, "id"), text(args, "note"));
      const left = crm.find(text(args, "id")).notes.filter(({ id }) => id !== text(args, "note"));
      crm.change(text(args, "id"), { notes: left });
      return done(args);
    },
    scope: (args) => cellOf(text(args, "id"), "notes", text(args, "note")),
    look: (args) => ({ tool: "get_note", args: pick(args, ["id", "note"]) }),
    back: (args, before) => ({ tool: "restore_note", args: { ...pick(args, ["id", "note"]), ...pick(before, ["text"]) } }),
  },
  restore_note: {
    family: "final",
    run({ crm }, args) {
      const { notes } = crm.find(text(args, "id"));
      if (notes.some(({ id }) => id === text(args, "note"))) throw new Refusal("that note is there");
      crm.change(text(args, "id"), { notes: [...notes, { id: text(args, "note"), text: text(args, "text") }] });
      return done(args);
    },
  },
  add_credit: {
    family: "offset",
    run({ crm }, args) {
      crm.change(text(args, "id"), { credit: crm.find(text(args, "id")).credit + Number(args["amount"]) });
      return done(args);
    },
    look: (args) => ({ tool: "get_credit", args: pick(args, ["id"]) }),
    back: (args) => ({ tool: "add_credit", args: { ...pick(args, ["id"]), amount: -Number(args["amount"]) } }),
  },
  create_customer: {
    family: "make",
    run: ({ crm }, args) => ({ id: crm.add(crm.newId("c"), args as Partial<Customer>).id }), // the generator's own calls
    scope: (_args, result) => text(result, "id"),
    look: (_args, result) => customer(result as JsonObject),
    back: (_args, _before, result) => ({ tool: "delete_customer", args: pick(result, ["id"]) }),
  },
  delete_customer: {
    family: "remove",
    run({ crm }, args) {
      crm.remove(text(args, "id"));
      return done(args);
    },
    scope: (args) => text(args, "id"),
    look: customer,
    back: (_args, before) => ({ tool: "restore_customer", args: { customer: before } }),
  },
  restore_customer: {
    family: "final",
    run({ crm }, args) {
      const given = args["customer"] as unknown as Customer; // as get_customer showed it
      return { id: crm.add(given.id, given).id };
    },
  },
  send_mail: {
    family: "final",
    run({ crm }, args) {
      crm.outbox.push(`${text(args, "to")}: ${text(args, "text")}`);
      return { sent: true };
    },
  },
};
