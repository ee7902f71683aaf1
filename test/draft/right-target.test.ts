// Does a draft take back what the call did, and nothing else? Each case is a server of our own whose obvious inverse would hit another thing.
import { expect, test } from "bun:test";
import { draftTools, type ToolDraft } from "../../src/draft/draft-tools.ts";
import type { ListedTool } from "../../src/upstream/upstream.ts";
import { madeUp } from "./made-up.ts";

/** The draft for the first of these tools. */
function draftOf(...tools: readonly ListedTool[]): ToolDraft {
  const [draft] = draftTools(tools);
  if (draft === undefined) throw new Error("no draft");
  return draft;
}

test("P3: the place that a call may be told is told to its read and to its inverse, so that no namesake elsewhere is changed", () => {
  const make = madeUp("create_vat", "vat hall kind? namespace? dry_run!?");
  const drop = madeUp("delete_vat", "vat namespace? kind? reason?");
  expect(draftOf(make, drop).inverse?.args).toEqual({ vat: "$.vat", namespace: "$.namespace", kind: "$.kind" });
  const change = draftOf(madeUp("update_vat", "vat_id level namespace?"), madeUp("get_vat", "vat_id namespace?"));
  expect(change.snapshot?.args).toEqual({ vat_id: "$.vat_id", namespace: "$.namespace" });
  expect(change.inverse?.args).toEqual({ vat_id: "$.vat_id", namespace: "$.namespace", level: "$snapshot.level" });
  // What the call writes is no place.
  const named = draftOf(madeUp("update_vat", "vat_id name?"), madeUp("get_vat", "vat_id name?"));
  expect(named.snapshot?.args).toEqual({ vat_id: "$.vat_id" });
});

test("P3: a move that names its places by several inputs goes back with all of them exchanged", () => {
  const move = draftOf(madeUp("move_barrel", "source_cellar source_barrel destination_cellar destination_barrel"));
  expect(move.inverse?.args).toEqual({
    source_cellar: "$.destination_cellar",
    source_barrel: "$.destination_barrel",
    destination_cellar: "$.source_cellar",
    destination_barrel: "$.source_barrel",
  });
});

test("P3: a toggle that is told what is to be isn't taken back by being told the same once more", () => {
  const toggle = madeUp("toggle_lamp", "lamp_id lit!");
  expect(draftOf(toggle)).toMatchObject({ class: "irreversible", inverse: null });
  expect(draftOf(toggle, madeUp("get_lamp", "lamp_id")).inverse?.args).toEqual({ lamp_id: "$.lamp_id", lit: "$snapshot.lit" });
});

test("P3: what may have been there before isn't deleted for sure by the name that the call gave it", () => {
  const drop = madeUp("delete_shelf", "name");
  const make = madeUp("create_shelf", "name");
  expect(draftOf(make, drop)).toMatchObject({ class: "compensable", confidence: "medium" });
  for (const description of [
    "Creates a shelf. Does nothing if it already exists.",
    "Makes a shelf; if it already exists, it is returned as it is",
    "Adds the shelf if it doesn't exist.",
  ])
    expect([description, draftOf({ ...make, description }, drop)]).toMatchObject([description, { class: "irreversible", inverse: null }]);
  expect(draftOf({ ...make, description: "Fails when the shelf is there." }, drop).class).toBe("compensable");
  // Of what it writes over, the state before counts.
  const both = { ...make, description: "Create or update a shelf" };
  expect(draftOf(both, drop, madeUp("get_shelf", "name"))).toMatchObject({ class: "reversible", inverse: { tool: "create_shelf" } });
});

test("P3: a removal of another kind, and one that a call can't be told apart from others by, is no way back", () => {
  expect(draftOf(madeUp("create_pebble", "text"), madeUp("remove_sub_pebble", "id sub_pebble_id"))).toMatchObject({ inverse: null });
  expect(draftOf(madeUp("create_critique", "page"), madeUp("delete_pending_critique", "page"))).toMatchObject({ inverse: null });
  // Beside its folder, a file's name is no path.
  const file = draftOf(madeUp("create_scroll", "filename folder? content"), madeUp("delete_scroll", "path"));
  expect(file.inverse?.args).not.toMatchObject({ path: "$.filename" });
});

test("P3: what several are changed to isn't put back from a list of all there is", () => {
  const list = madeUp("list_pebbles");
  for (const call of [madeUp("move_pebbles", "pebble_ids[] box_id"), madeUp("move_pebbles_to_box", "box_id from_box?")])
    expect([call.name, draftOf(call, list, madeUp("get_box", "box_id"))]).toMatchObject([call.name, { inverse: null }]);
  // A read that shows many isn't told which of them the call is about.
  const one = draftOf(madeUp("update_box_pebble", "box_id boxpebble_id weight"), madeUp("get_box_pebbles", "box_id"));
  expect(one).toMatchObject({ confidence: "low", unresolved: ["boxpebble_id"] });
  expect(draftOf(madeUp("resize_pane", "width"), madeUp("find_pane_words"), madeUp("find_pane"))).not.toMatchObject({ confidence: "high" });
});

test("P3: a tool that wants a token which only a first call of it hands out lacks an argument as an inverse", () => {
  const rename = draftOf(madeUp("rename_shelf", "name new_name confirm_token?"));
  expect(rename).toMatchObject({ confidence: "low", unresolved: ["confirm_token"] });
  expect(draftOf(madeUp("rename_shelf", "name new_name confirm!?"))).toMatchObject({ unresolved: [] });
});

test("what ends something answers no id by which it would begin again", () => {
  expect(draftOf(madeUp("disconnect_hose"), madeUp("connect_hose", "id"))).toMatchObject({ confidence: "low", unresolved: ["id"] });
  expect(draftOf(madeUp("connect", "id"), madeUp("disconnect"))).toMatchObject({ confidence: "medium" });
});

test("what is named with a file of its rows isn't shown by what shows the thing", () => {
  const read = madeUp("get_ledger", "ledger_id");
  expect(draftOf(madeUp("replace_ledger_csv", "ledger_id csv_rows"), read)).toMatchObject({ class: "irreversible", inverse: null });
});

test("what a description says goes with a thing makes it one that holds others", () => {
  const rest = [madeUp("get_plot", "name"), madeUp("create_plot", "name")];
  const drop = madeUp("delete_plot", "name");
  expect(draftOf(drop, ...rest).class).toBe("compensable");
  expect(draftOf({ ...drop, description: "Deletes the plot and all of its beds" }, ...rest)).toMatchObject({ class: "irreversible" });
});

test("P5: a look that may take away what it shows, or opens what stands before a person, is no read", () => {
  expect(draftOf(madeUp("get_letters", "tray ackmode?"))).toMatchObject({ class: "irreversible" });
  expect(draftOf(madeUp("open_browser", "words", { annotations: { readOnlyHint: true } }))).toMatchObject({ class: "irreversible" });
  for (const name of ["check_hose", "is_leaking", "hose_logs"])
    expect([name, draftOf(madeUp(name, "id"))]).toMatchObject([name, { class: "readonly", confidence: "medium", todo: true }]);
  for (const name of ["check_item", "check_in_guest", "check_out_book", "check_off_line", "manage_hose_logs"])
    expect([name, draftOf(madeUp(name, "id"))]).toMatchObject([name, { class: "irreversible" }]);
});
