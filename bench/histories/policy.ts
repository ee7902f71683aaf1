// What does Synartesis know of the servers of the histories? A manifest as the author of a policy would write it, no more.

/** The name under which the manifest knows the server. */
export const SERVER = "office";

/** Writes the manifest for a world at an address. */
export function manifestFor(url: URL): string {
  return `version: 1\nservers:\n  office: { url: "${url}" }\n${RULES}`;
}

const CUSTOMER = `{ tool: "office.get_customer", args: { id: "$.id" }, absent_when: ["no such customer"] }`;
const FILE = `{ tool: "office.read_file", args: { path: "$.path" }, absent_when: ["no such file"] }`;
const MOVING = "ignore: [updated_at, version]";

const RULES = `
tools:
  - { match: "office.get_*", class: readonly }
  - { match: "office.read_file", class: readonly }
  - match: "office.update_customer"
    class: reversible
    resource: "$.id"
    snapshot: ${CUSTOMER}
    ${MOVING}
    inverse:
      tool: "office.update_customer"
      args: { id: "$.id", name: "$snapshot.name", plan: "$snapshot.plan", phone: "$snapshot.phone", parent: "$snapshot.parent" }
  - match: "office.set_status"
    class: reversible
    resource: "$.id"
    snapshot: ${CUSTOMER}
    ${MOVING}
    inverse: { tool: "office.set_status", args: { id: "$.id", status: "$snapshot.status", version: "$current.version" } }
  - match: "office.set_tags"
    class: reversible
    resource: "$.id"
    snapshot: ${CUSTOMER}
    ${MOVING}
    sets: [tags]
    inverse: { tool: "office.set_tags", args: { id: "$.id", tags: "$snapshot.tags" } }
  - match: "office.set_notes"
    class: reversible
    resource: "$.id"
    snapshot: ${CUSTOMER}
    ${MOVING}
    inverse: { tool: "office.set_notes", args: { id: "$.id", notes: "$snapshot.notes" } }
  - match: "office.*_body"
    class: reversible
    resource: "$.id"
    snapshot: ${CUSTOMER}
    ${MOVING}
    inverse: { tool: "office.set_body", args: { id: "$.id", body: "$snapshot.body" } }
  - match: "office.add_note"
    class: compensable
    resource: "$.id"
    inverse: { tool: "office.remove_note", args: { id: "$.id", note: "$result.note" } }
    observe: { tool: "office.get_note", args: { id: "$.id", note: "$result.note" }, absent_when: ["no such note", "no such customer"] }
  - match: "office.remove_note"
    class: reversible
    resource: "$.id"
    snapshot: { tool: "office.get_note", args: { id: "$.id", note: "$.note" }, absent_when: ["no such note", "no such customer"] }
    inverse: { tool: "office.restore_note", args: { id: "$.id", note: "$.note", text: "$snapshot.text" } }
  - match: "office.add_credit"
    class: compensable
    resource: "$.id"
    commutes: true
    observe: { tool: "office.get_credit", args: { id: "$.id" }, absent_when: ["no such customer"] }
    inverse: { tool: "office.add_credit", args: { id: "$.id", amount: { from: "$.amount", negate: true } } }
  - match: "office.create_customer"
    class: compensable
    resource: "$result.id"
    ${MOVING}
    observe: { tool: "office.get_customer", args: { id: "$result.id" }, absent_when: ["no such customer"] }
    inverse: { tool: "office.delete_customer", args: { id: "$result.id" } }
  - match: "office.delete_customer"
    class: reversible
    resource: "$.id"
    snapshot: ${CUSTOMER}
    ${MOVING}
    inverse: { tool: "office.restore_customer", args: { customer: "$snapshot" } }
  - { match: "office.send_mail", class: irreversible, gate: never }
  - match: "office.write_file"
    class: reversible
    resource: "$.path"
    snapshot: ${FILE}
    inverse: { tool: "office.write_file", args: { path: "$.path", text: "$snapshot" } }
  - match: "office.edit_file"
    class: reversible
    resource: "$.path"
    snapshot: ${FILE}
    inverse: { tool: "office.write_file", args: { path: "$.path", text: "$snapshot" } }
  - match: "office.create_file"
    class: compensable
    resource: "$.path"
    observe: ${FILE}
    inverse: { tool: "office.delete_file", args: { path: "$.path" } }
  - match: "office.delete_file"
    class: reversible
    resource: "$.path"
    snapshot: ${FILE}
    inverse: { tool: "office.create_file", args: { path: "$.path", text: "$snapshot" } }
`;
