import { expect, test } from "bun:test";
import { draftTools, type ToolDraft } from "../../src/draft/draft-tools.ts";
import { absenceGuess } from "../../src/draft/proposal.ts";
import { renderRule } from "../../src/draft/render-rule.ts";
import type { ListedTool } from "../../src/upstream/upstream.ts";
import { madeUp, shows } from "./made-up.ts";

/** The draft for the first of these tools. */
function draftOf(...tools: readonly ListedTool[]): ToolDraft {
  const [draft] = draftTools(tools);
  if (draft === undefined) throw new Error("no draft");
  return draft;
}

const GUESSED = ["not found", "no such", "does not exist", "doesn't exist"];
const CREATE = madeUp("create_note", "text", { outputSchema: shows("id") });

test("P3: what a call makes is read after it by the id that takes it away, so that undo sees what others changed in it", () => {
  const cases: readonly (readonly [tool: string, args: object, tools: readonly ListedTool[]])[] = [
    ["get_note", { id: "$result.id" }, [CREATE, madeUp("delete_note", "id"), madeUp("get_note", "id")]],
    ["get_note", { note_id: "$result.id" }, [CREATE, madeUp("delete_note", "id"), madeUp("get_note", "note_id"), madeUp("list_notes")]],
    ["read_page", { path: "$.path" }, [madeUp("create_page", "path text"), madeUp("delete_page", "path"), madeUp("read_page", "path")]],
    ["get_note", { note_id: "$result.id" }, [CREATE, madeUp("update_note", "note_id archived!?"), madeUp("get_note", "note_id")]],
    ["get_note", { id: "$result.id" }, [madeUp("register_note", "text"), madeUp("unregister_note", "id"), madeUp("get_note", "id")]],
  ];
  for (const [tool, args, tools] of cases) {
    const { observe, snapshot } = draftOf(...tools);
    expect({ observe, snapshot }).toEqual({ observe: { tool, args, absentWhen: GUESSED }, snapshot: null } as never);
  }
});

test("P3: where no read shows by its id what a call makes, the reason says what goes with it, and it isn't sure", () => {
  for (const read of [madeUp("list_notes"), madeUp("get_shelf", "id"), madeUp("get_note", "id shelf"), madeUp("search_notes", "text")]) {
    const draft = draftOf(CREATE, madeUp("delete_note", "id"), read);
    expect(draft).toMatchObject({ class: "compensable", observe: null, confidence: "medium" });
    expect(draft.reason).toEndWith("; what others change in it until the undo goes with it, unseen");
  }
  const link = draftOf(madeUp("add_member", "room user"), madeUp("remove_member", "room user"));
  expect(link).toMatchObject({ observe: null, confidence: "high" });
  expect(link.reason).not.toContain("others");
});

test("words for what isn't there are guessed for a read that fails then, and the rule and the question say that it is a guess", () => {
  const remove = draftOf(madeUp("delete_note", "id"), madeUp("get_note", "id"), madeUp("create_note", "text"));
  expect(remove.snapshot?.absentWhen).toEqual(GUESSED);
  const change = draftOf(madeUp("update_note", "id text"), madeUp("get_note", "id"));
  expect(change.snapshot?.absentWhen).toEqual(GUESSED);
  for (const accepted of [true, false]) {
    const rule = renderRule("srv", remove, accepted);
    expect(rule).toContain(`absent_when: ${JSON.stringify(GUESSED).replaceAll(",", ", ")} }`);
    expect(rule).toContain(`# A guess: ${absenceGuess(remove)}.`);
  }
  // A list leaves out what isn't there, and what is put where nothing was is held for a person, by any error.
  const listed = draftOf(madeUp("update_rows", "table rows[]"), madeUp("list_rows", "table"), madeUp("get_shelf", "id"));
  const put = draftOf(madeUp("set_setting", "key value"), madeUp("get_setting", "key"));
  for (const draft of [listed, put]) {
    expect(draft.snapshot).not.toBeNull();
    expect(absenceGuess(draft)).toBeUndefined();
  }
});

test("a rule for each value of an argument has the guess, and says so once", () => {
  const draft = draftOf(madeUp("note_write", "method=create|delete id text"), madeUp("get_note", "id"));
  const rule = renderRule("srv", draft, true);
  expect(rule.match(/A guess:/g)).toHaveLength(1);
  expect(rule.match(/absent_when/g)?.length).toBeGreaterThan(1);
});
