import { expect, test } from "bun:test";
import { draftTools, type ToolDraft } from "../../src/draft/draft-tools.ts";
import type { ListedTool } from "../../src/upstream/upstream.ts";
import { processorTime } from "../support/patience.ts";
import { madeUp, shows } from "./made-up.ts";

/** The draft for the first of these tools. */
function draftOf(...tools: readonly ListedTool[]): ToolDraft {
  const [draft] = draftTools(tools);
  if (draft === undefined) throw new Error("no draft");
  return draft;
}

/** All inputs in one object with these members. */
function nested(...names: readonly string[]): Partial<ListedTool> {
  return { inputSchema: { type: "object", properties: { request: shows(...names) }, required: ["request"] } };
}

/** Class, snapshot and inverse, as `reversible get_note set_note`. */
function shortly({ class: drafted, snapshot, inverse }: ToolDraft): string {
  return `${drafted} ${snapshot?.tool ?? "-"} ${inverse?.tool ?? "-"}`;
}

test("each kind of change is paired with the tools that show it before and take it back", () => {
  const cases: readonly (readonly [string, readonly ListedTool[]])[] = [
    ["reversible get_note update_note", [madeUp("update_note", "id text"), madeUp("get_note", "id"), madeUp("list_notes")]],
    ["reversible getNoteById updateNote", [madeUp("updateNote", "id text"), madeUp("getNoteById", "id"), madeUp("searchNotes", "query")]],
    ["reversible notes.read notes.update", [madeUp("notes.update", "noteId text"), madeUp("notes.read", "noteId")]],
    ["reversible get_issue update_issue_title", [madeUp("update_issue_title", "issue_number title"), madeUp("get_issue", "issue_number")]],
    ["reversible read_page write_page", [madeUp("write_page", "path content"), madeUp("read_page", "path")]],
    [
      "reversible read_page write_page",
      [madeUp("edit_page", "path edits[]"), madeUp("read_page", "path"), madeUp("write_page", "path content")],
    ],
    ["reversible get_setting set_setting_value", [madeUp("set_setting_value", "key value"), madeUp("get_setting", "key")]],
    [
      "reversible read_page upsert_page",
      [madeUp("delete_page", "path"), madeUp("read_page", "path"), madeUp("upsert_page", "path content")],
    ],
    ["compensable - delete_note", [madeUp("create_note", "text"), madeUp("delete_note", "id")]],
    ["compensable - delete_notes", [madeUp("create_notes", "texts[]"), madeUp("delete_notes", "ids[]")]],
    ["compensable get_note create_note", [madeUp("delete_note", "id"), madeUp("get_note", "id"), madeUp("create_note", "text")]],
    ["compensable - remove_member", [madeUp("add_member", "room user"), madeUp("remove_member", "room user")]],
    ["compensable - add_member", [madeUp("remove_member", "room user"), madeUp("add_member", "room user")]],
    ["compensable - detach_tag_from_note", [madeUp("attach_tag_to_note", "tag note"), madeUp("detach_tag_from_note", "tag note")]],
    ["compensable - enable_rule", [madeUp("disable_rule", "id"), madeUp("enable_rule", "id")]],
    ["compensable - unstar_note", [madeUp("star_note", "id"), madeUp("unstar_note", "id")]],
    ["compensable - toggle_light", [madeUp("toggle_light", "id")]],
    ["compensable - move_note", [madeUp("move_note", "source destination")]],
    ["reversible get_note move_note", [madeUp("move_note", "note_id parent"), madeUp("get_note", "note_id")]],
    ["compensable - update_note", [madeUp("delete_note", "note_id"), madeUp("update_note", "note_id archived!?")]],
    ["compensable - update_note", [madeUp("create_note", "text"), madeUp("update_note", "note_id archived!?")]],
    ["compensable - hide_panel", [madeUp("show_panel", "id"), madeUp("hide_panel", "id")]],
    ["compensable - unshield_door", [madeUp("shield_door", "id"), madeUp("unshield_door", "id")]],
    ["compensable - shield_door", [madeUp("unshield_door", "id"), madeUp("shield_door", "id")]],
    [
      "compensable - remove_guest_from_room",
      [madeUp("assign_guest_to_room", "guest room"), madeUp("remove_guest_from_room", "guest room")],
    ],
    ["compensable - add_song_to_show", [madeUp("remove_song_from_show", "song show"), madeUp("add_song_to_show", "song show place?")]],
    ["compensable - pause_resume_engine", [madeUp("pause_resume_engine", "engine_id action=PAUSE|RESUME")]],
    ["compensable - drop_view", [madeUp("create_view", "view_name"), madeUp("drop_view", "view_name")]],
    ["compensable - delete_mark", [madeUp("create_mark", "name"), madeUp("remove_mark", "name"), madeUp("delete_mark", "name")]],
    [
      "compensable - delete_step",
      [madeUp("create_substep", "step_id name"), madeUp("delete_step", "step_id"), madeUp("delete_room", "id")],
    ],
    [
      "reversible get_card move_card",
      [madeUp("move_card", "cardId listId"), madeUp("get_cards_by_list", "listId"), madeUp("get_card", "cardId")],
    ],
    [
      "reversible get_shape_schema update_shape",
      [madeUp("update_shape", "shape fields{}"), madeUp("list_shapes"), madeUp("get_shape_schema", "shape")],
    ],
    ["reversible get_goal update_goal", [madeUp("update_goal", "goal_id join_method=merge|push?"), madeUp("get_goal", "goal_id")]],
    [
      "compensable - deleteItem",
      [
        madeUp("createSheet", "name"),
        madeUp("deleteItem", "itemId", { description: "Deletes a sheet or a text" }),
        madeUp("deleteRow", "row"),
      ],
    ],
  ];
  for (const [expected, tools] of cases) expect([tools[0]?.name, shortly(draftOf(...tools))]).toEqual([tools[0]?.name, expected]);
});

test("the arguments name the same thing, whatever each tool calls it, and put back what the call changes", () => {
  const draft = draftOf(madeUp("update_note", "note_id title text?"), madeUp("get_note", "id", { outputSchema: shows("title", "text") }));
  expect(draft.snapshot?.args).toEqual({ id: "$.note_id" });
  expect(draft.inverse?.args).toEqual({ note_id: "$.note_id", title: "$snapshot.title", text: "$snapshot.text" });
  expect(draft).toMatchObject({ confidence: "high", notRestored: [], unresolved: [] });
});

test("P3: what the inverse doesn't put back is named, and makes it uncertain", () => {
  const draft = draftOf(madeUp("update_note", "id title colour?"), madeUp("get_note", "id", { outputSchema: shows("title") }));
  expect(draft).toMatchObject({ class: "reversible", confidence: "medium", notRestored: ["colour"] });
  expect(draft.reason).toContain('not put back: "colour"');
});

test("P3: what isn't known from a schema is never called certain", () => {
  const unsure = [
    draftOf(madeUp("update_note", "id text"), madeUp("get_note", "id")),
    draftOf(madeUp("create_note", "text"), madeUp("delete_note", "id")),
    draftOf(madeUp("delete_note", "id"), madeUp("get_note", "id", { outputSchema: shows("text") }), madeUp("create_note", "text")),
    draftOf(madeUp("start_engine", "id"), madeUp("stop_engine", "id")),
  ];
  for (const draft of unsure) expect([draft.name, draft.confidence]).not.toEqual([draft.name, "high"]);
});

test("P5: no snapshot is proposed that needs what the call doesn't have, or that shows something else", () => {
  const lists: readonly (readonly ListedTool[])[] = [
    [madeUp("update_note", "id text"), madeUp("get_note", "folder name")],
    [madeUp("update_note", "id text"), madeUp("get_current_note")],
    [madeUp("update_note", "id text"), madeUp("get_person", "id")],
    [madeUp("update_note", "id text"), madeUp("open_note", "id", { annotations: { readOnlyHint: false } })],
    [madeUp("update_note_branch", "id"), madeUp("get_note", "id"), madeUp("list_branches")],
  ];
  for (const tools of lists)
    expect([tools.map(({ name }) => name), draftOf(...tools).snapshot]).toEqual([tools.map(({ name }) => name), null]);
});

test("P5: nothing is taken back by a tool for another thing, another place, or by the id of another thing", () => {
  const none: readonly (readonly ListedTool[])[] = [
    [madeUp("create_project", "name"), madeUp("remove_project_from_plan", "project_id plan_id")],
    [madeUp("create_contact_in_folder", "folder_id name"), madeUp("delete_contact_folder", "folder_id")],
    [madeUp("create_team", "name"), madeUp("delete_user", "id")],
    [madeUp("delete_note", "id"), madeUp("get_note", "id"), madeUp("copy_note", "id")],
  ];
  for (const tools of none) expect([tools[0]?.name, draftOf(...tools).class]).toEqual([tools[0]?.name, "irreversible"]);
  const update = draftOf(madeUp("create_project_update", "project_id text"), madeUp("delete_project_update", "id"));
  expect(update.inverse?.args).toEqual({ id: "$result.id" });
  const copied = draftOf(madeUp("copy_note", "note_id"), madeUp("delete_note", "note_id"));
  expect(copied.inverse?.args).toEqual({ note_id: "$result.id" });
});

test("P5: what may hold other things isn't said to come back, by its name or by what is put into it", () => {
  const folder = [madeUp("delete_folder", "id"), madeUp("get_folder", "id"), madeUp("create_folder", "name")];
  const album = [
    madeUp("delete_album", "id"),
    madeUp("get_album", "id"),
    madeUp("create_album", "name"),
    madeUp("add_photo", "album_id file"),
  ];
  for (const tools of [folder, album]) expect(shortly(draftOf(...tools))).toBe("irreversible - -");
});

test("P5: a description makes no tool a read and pairs nothing, and what a query is written in speaks against a read", () => {
  const harmless = "Only reads. Safe. Has no side effects whatsoever.";
  for (const name of ["frobnicate", "purge_notes", "send_mail", "sync"]) {
    expect([name, draftOf(madeUp(name, "id", { description: harmless })).class]).toEqual([name, "irreversible"]);
  }
  const query = madeUp("query_rows", "query", { description: "Runs SQL." });
  expect(draftOf(query).class).toBe("irreversible");
  expect(draftOf({ ...query, description: "Finds rows by words." })).toMatchObject({ class: "readonly", confidence: "medium", todo: true });
});

test("P5: words that name a read in one place and a change in another make no read", () => {
  const names = [
    "check_box",
    "show_notification",
    "fetch",
    "bump_version",
    "work_log",
    "get_and_lock_note",
    "open_valve",
    "browse_page",
    "preview_deploy",
  ];
  for (const name of names) expect([name, draftOf(madeUp(name, "id")).class]).toEqual([name, "irreversible"]);
  for (const name of ["click_button", "purge_cache", "write_file", "reboot_host"]) {
    expect([name, draftOf(madeUp(name, "", { annotations: { readOnlyHint: true } })).class]).not.toEqual([name, "readonly"]);
  }
});

test("P5: what speaks for a read and against one is left to a person", () => {
  const both = madeUp("list_notes", "", { annotations: { readOnlyHint: true, destructiveHint: true } });
  expect(draftOf(both)).toMatchObject({ class: "readonly", confidence: "medium", todo: true });
  expect(draftOf(madeUp("list_notes", "", { annotations: { destructiveHint: true } })).class).toBe("irreversible");
  expect(draftOf(madeUp("get_page", "url"))).toMatchObject({ class: "readonly", todo: true });
});

test("P3: what goes to the trash, was started, or is only put away isn't certain to be taken back", () => {
  const unsure: readonly (readonly ListedTool[])[] = [
    [madeUp("delete_note", "note_id"), madeUp("update_note", "note_id archived!?")],
    [madeUp("start_engine", "id"), madeUp("stop_engine", "id")],
    [madeUp("create_note", "text", { outputSchema: shows("id") }), madeUp("archive_note", "id")],
    [madeUp("book_room", "room day"), madeUp("cancel_room", "room day")],
  ];
  for (const tools of unsure)
    expect([tools[0]?.name, draftOf(...tools)]).toMatchObject([tools[0]?.name, { class: "compensable", confidence: "medium" }]);
});

test("P5: nothing is said to be taken back by deleting what was there before, or by a removal that doesn't say of what", () => {
  const section = draftOf(madeUp("add_card_to_shelf", "shelf_id card_id"), madeUp("delete_card", "card_id"));
  expect(shortly(section)).toBe("irreversible - -");
  expect(shortly(draftOf(madeUp("upload_scan", "scan_id bytes"), madeUp("delete_scan", "scan_id")))).toBe("irreversible - -");
  const lacking: readonly (readonly [string, readonly ListedTool[]])[] = [
    ["filter", [madeUp("insert_rows", "table rows[]"), madeUp("delete_rows", "table filter{}?")]],
    ["id", [madeUp("create_rows", "table rows[]"), madeUp("delete_row", "table id")]],
    ["deck_id", [madeUp("add_row", "table"), madeUp("delete_row", "table deck_id row_id")]],
    ["request", [madeUp("create_row", "request", nested("name", "text")), madeUp("delete_row", "request", nested("name"))]],
  ];
  for (const [input, tools] of lacking) {
    const { name, confidence, unresolved } = draftOf(...tools);
    expect([name, confidence, unresolved]).toEqual([name, "low", [input]]);
  }
  const grant = draftOf(madeUp("add_permission", "file_id email?"), madeUp("remove_permission", "file_id permission_id? email?"));
  expect(grant).toMatchObject({ confidence: "medium", inverse: { args: { file_id: "$.file_id", permission_id: "$result.id" } } });
});

test("P5: what several things are done to, or what is only searched for, isn't said to be written back", () => {
  const none: readonly (readonly ListedTool[])[] = [
    [madeUp("update_notes", "create[]? update[]? delete[]?"), madeUp("list_notes")],
    [madeUp("update_rows", "table filter{} update{}"), madeUp("find_rows", "table filter{}")],
    [madeUp("set_rows", "table where values{}"), madeUp("get_rows", "table where")],
    [madeUp("update_rows", "rows[]"), madeUp("find_rows")],
  ];
  for (const tools of none) expect([tools[0]?.name, shortly(draftOf(...tools))]).toEqual([tools[0]?.name, "irreversible - -"]);
});

test("P5: what is made in another place, from something outside, or begins to work, isn't said to be made again", () => {
  const none: readonly (readonly ListedTool[])[] = [
    [madeUp("delete_slide", "deck_id slide_object_id"), madeUp("get_slide", "deck_id"), madeUp("create_slides", "name slides[]")],
    [madeUp("delete_scan", "id"), madeUp("get_scan", "id"), madeUp("upload_scan", "file_path")],
    [madeUp("delete_build", "id"), madeUp("get_build", "id"), madeUp("create_build", "ref")],
    [madeUp("create_build", "ref"), madeUp("delete_build", "id")],
    [madeUp("create_diary_item", "item_id text"), madeUp("delete_item", "item_id")],
    [madeUp("delete_recipe_step", "id"), madeUp("get_recipe_step", "id"), madeUp("create_step", "text")],
    [
      madeUp("delete_debate", "thread_id"),
      madeUp("get_debate", "thread_id"),
      madeUp("create_debate", "text"),
      madeUp("reply_to", "thread_id text"),
    ],
    [madeUp("delete_shape", "shape"), madeUp("get_shape", "shape"), madeUp("create_shape", "shape"), madeUp("create_entry", "shape text")],
    [madeUp("create_remark", "note_id text", { description: "Adds a remark to a note" }), madeUp("delete_notes", "ids[]")],
    [madeUp("createSheet", "name"), madeUp("deleteItem", "itemId", { description: "Deletes a product" }), madeUp("deleteRow", "row")],
  ];
  for (const tools of none) expect([tools[0]?.name, shortly(draftOf(...tools))]).toEqual([tools[0]?.name, "irreversible - -"]);
});

test("P5: a word that stands for a thing in other names of the list is no verb at the end of one", () => {
  const tools = [
    madeUp("ring_lesson_schedule", "schedule_id"),
    madeUp("create_lesson_schedule", "day"),
    madeUp("cancel_lesson", "lesson_id"),
  ];
  expect(shortly(draftOf(...tools))).toBe("irreversible - -");
  expect(shortly(draftOf(madeUp("lesson_schedule", "lesson_id day"), madeUp("cancel_lesson", "lesson_id")))).toBe(
    "compensable - cancel_lesson",
  );
});

test("P5: what is marked as read isn't read by that", () => {
  const draft = draftOf(madeUp("manage_letter", "action=read|unread|archive|unarchive letter_id"), madeUp("get_letter", "letter_id"));
  expect(draft.by?.cases.map(({ class: drafted }) => drafted)).toEqual(["irreversible", "irreversible", "compensable", "compensable"]);
});

test("P5: where a server calls a read what is named like a change, or can be told to make one, a person says", () => {
  const readOnly = { annotations: { readOnlyHint: true } };
  for (const [name, inputs] of [
    ["get_letter", "letter_id markRead!?"],
    ["mute_channel", "id"],
    ["download_letter", "letter_id"],
  ] as const)
    expect([name, draftOf(madeUp(name, inputs, readOnly))]).toMatchObject([name, { class: "readonly", confidence: "medium", todo: true }]);
  for (const [name, inputs] of [
    ["adjust_volume", "level"],
    ["append_line", "text"],
    ["download_letter", "letter_id save_path"],
  ] as const)
    expect([name, draftOf(madeUp(name, inputs, readOnly)).class]).toEqual([name, "irreversible"]);
  for (const name of ["check_health", "analyze_email_for_dates", "generate_link", "resolve_name"])
    expect([name, draftOf(madeUp(name, "", readOnly))]).toMatchObject([name, { class: "readonly", confidence: "high" }]);
  expect(draftOf(madeUp("find_rows", "table query{}", readOnly))).toMatchObject({ class: "readonly" });
  expect(draftOf(madeUp("reports_sales"))).toMatchObject({ class: "readonly", confidence: "medium", todo: true });
});

test("P5: a tool that can be told to change something is no read, whatever it is called", () => {
  expect(draftOf(madeUp("get_label", "method=get|delete id")).class).not.toBe("readonly");
  expect(draftOf(madeUp("get_label", "method=get|delete id", { annotations: { readOnlyHint: true } })).class).not.toBe("readonly");
});

test("a tool of many modes is as hard to undo as its least undoable one, and each mode has its own proposal", () => {
  const read = madeUp("get_label", "name");
  const write = draftOf(madeUp("label_write", "method=create|update|delete name color?"), read);
  expect(shortly(write)).toBe("compensable get_label label_write");
  expect(write.by?.argument).toBe("method");
  expect(write.by?.cases.map(({ mode, class: drafted }) => `${mode} ${drafted}`)).toEqual([
    "create compensable",
    "update reversible",
    "delete compensable",
  ]);
  expect(write.by?.cases[0]?.inverse?.args).toEqual({ method: "delete", name: "$.name" });
  expect(draftOf(madeUp("label_write", "method=create|delete|frobnicate name"), read).class).toBe("irreversible");
});

test("the modes may stand in the description of the argument", () => {
  const method = { type: "string", description: "What to do. Options are:\n- 'add' - adds a 'tag'\n- 'remove' - removes it" };
  const inputSchema = { type: "object", properties: { method, item_id: {}, tag_id: {} }, required: ["method", "item_id", "tag_id"] };
  const draft = draftOf({ ...madeUp("item_tag_write"), inputSchema });
  expect(draft.by?.cases.map(({ mode }) => mode)).toEqual(["add", "remove"]);
  expect(draft.class).toBe("compensable");
});

test("a read that its server calls deprecated comes last", () => {
  const old = madeUp("read_page", "path", { description: "DEPRECATED: use read_text_page." });
  expect(draftOf(madeUp("write_page", "path content"), old, madeUp("read_text_page", "path")).snapshot?.tool).toBe("read_text_page");
});

test("the words that all names begin with say nothing", () => {
  const tools = ["create", "delete", "get", "list"].map((verb) => madeUp(`API-${verb}-a-page`, verb === "create" ? "text" : "page_id"));
  expect(shortly(draftOf(...tools))).toBe("compensable - API-delete-a-page");
  const named = ["acme_a", "acme_b", "acme_c", "acme_d", "get_note"].map((name) => madeUp(name));
  expect(draftTools(named).at(-1)).toMatchObject({ class: "readonly", confidence: "high" });
});

test("odd names and schemas are ordinary input", () => {
  const odd = ["__proto__", "constructor", "a".repeat(90), "x/y.z", "löschen_notiz", "get_", "", "\u0000", "\ud800", "create_", "or_or_or"];
  const schemas = [
    {},
    true,
    { type: "object", properties: null },
    { properties: { __proto__: 1, id: true, "a b.c": { enum: [1, null] } } },
  ];
  const tools = odd.flatMap((name, index) =>
    schemas.map((inputSchema, at) => ({ ...madeUp(`${name}${at === 0 ? "" : index}`), inputSchema })),
  );
  expect(draftTools(tools).map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
});

test("400 tools are drafted in less than a second of processor time", () => {
  const verbs = ["create", "update", "delete", "get", "list", "archive", "unarchive", "send"];
  const tools = Array.from({ length: 400 }, (_, index) =>
    madeUp(`${verbs[index % 8]}_thing_${index >> 3}`, "id parent_id? title? body? done!? tags[]?"),
  );
  const spent = processorTime();
  expect(draftTools(tools)).toHaveLength(400);
  expect(spent()).toBeLessThan(1000);
});
