// Lets a waiting call through, once. Never lets the agent that asked do so.
import { ANSWER_OPTIONS, answerWaiting } from "../answer.ts";
import { defineCommand } from "../command.ts";
import { APPROVAL_LASTS } from "../render/gates.ts";

export default defineCommand({
  name: "approve",
  usage: "approve [ID | --all] [--by NAME]",
  about:
    "Lets exactly one waiting call through, once, within an hour; the agent has to make it again.\nWith one call waiting, ID may be left out.",
  example: "approve 7f3a2c --by maria",
  options: { all: { kind: "flag", about: "approve every call that waits" }, ...ANSWER_OPTIONS },
  positionals: { min: 0, max: 1, from: "held-calls" },
  run: (context, { options, positionals }) =>
    answerWaiting(
      context,
      { ...options, id: positionals[0] },
      {
        verb: "approved",
        takesBack: false,
        next: "The agent has to make the call again; the approval counts once, for an hour.",
        give: (journal, action, by) => journal.approve(action.id, by, APPROVAL_LASTS),
      },
    ),
});
