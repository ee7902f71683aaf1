// Refuses a waiting call, or takes an approval back that isn't used yet; the reason reaches the agent. Never lets the agent that asked do so.
import { ANSWER_OPTIONS, answerWaiting } from "../answer.ts";
import { defineCommand } from "../command.ts";

export default defineCommand({
  name: "deny",
  usage: "deny [ID | --all] [--reason TEXT] [--by NAME]",
  about:
    "Refuses a waiting call, or takes an approval back that isn't used yet. The agent gets the reason when it makes the call again.\nWith one call waiting, ID may be left out.",
  example: 'deny 7f3a2c --reason "wrong customer"',
  options: {
    all: { kind: "flag", about: "deny every call that waits" },
    reason: { kind: "text", value: "TEXT", about: "what the agent is told" },
    ...ANSWER_OPTIONS,
  },
  positionals: { min: 0, max: 1, from: "deniable-calls" },
  run: (context, { options, positionals }) =>
    answerWaiting(
      context,
      { ...options, id: positionals[0] },
      {
        verb: "denied",
        takesBack: true,
        next: "The agent is told when it makes the call again.",
        give: (journal, action, by) => journal.deny(action.id, by, options.reason ?? null),
      },
    ),
});
