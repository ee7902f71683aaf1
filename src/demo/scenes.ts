// What happens in the guided tour, and in which words? Scenes as data; tour.ts plays them. A line has 76 characters at most.
import type { AgentScript } from "./agent.ts";

/** One thing that a scene does. */
export type Step =
  /** Words between two things that happen. */
  | { readonly kind: "say"; readonly lines: readonly string[] }
  /** The agent appears, in a process of its own. */
  | { readonly kind: "agent"; readonly script: AgentScript }
  /** A person types a synartesis command; the tour stops if it ends with another code. */
  | { readonly kind: "command"; readonly words: readonly string[]; readonly exit: number }
  /** What the CRM's state file holds. */
  | { readonly kind: "customers" }
  | { readonly kind: "outbox" }
  /** A person edits the state file by hand. */
  | { readonly kind: "edit"; readonly id: string; readonly member: "plan" | "email"; readonly value: string };

export interface Scene {
  readonly title: string;
  readonly steps: readonly Step[];
}

export const SCENES: readonly Scene[] = [
  {
    title: "An agent goes wrong",
    steps: [
      { kind: "say", lines: ["Somebody asked an agent to tidy up the test accounts. These are real ones:"] },
      { kind: "customers" },
      { kind: "say", lines: ["The agent works through Synartesis, and doesn't notice that it is there:"] },
      { kind: "agent", script: "cleanup" },
      { kind: "say", lines: ["Every call succeeded, and every one was wrong:"] },
      { kind: "customers" },
    ],
  },
  {
    title: "What did it do?",
    steps: [
      {
        kind: "say",
        lines: [
          "Each call was written down before it was sent, together with the state",
          "that it replaced and the call that would put that state back:",
        ],
      },
      { kind: "command", words: ["show"], exit: 0 },
    ],
  },
  {
    title: "What would undo do?",
    steps: [
      { kind: "say", lines: ["A dry run reads what is there now, and changes nothing:"] },
      { kind: "command", words: ["undo", "--dry-run"], exit: 0 },
    ],
  },
  {
    title: "Undo",
    steps: [
      { kind: "say", lines: ["Newest first; and after each step the record is read again, to be sure:"] },
      { kind: "command", words: ["undo", "--yes"], exit: 0 },
      { kind: "say", lines: ["Alan is back under his old id, the second Ada is gone:"] },
      { kind: "customers" },
    ],
  },
  {
    title: "Somebody else's work",
    steps: [
      { kind: "say", lines: ["The agent tries again, and puts two customers on the wrong plans:"] },
      { kind: "agent", script: "plans" },
      {
        kind: "say",
        lines: ["Before anyone undoes that, a colleague sells Grace the biggest plan,", "and writes it into the same record by hand:"],
      },
      { kind: "edit", id: "c-2", member: "plan", value: "enterprise" },
      { kind: "say", lines: ["Putting back the agent's change would wipe out hers. So undo doesn't:"] },
      { kind: "command", words: ["undo", "--yes"], exit: 1 },
      { kind: "say", lines: ["Edsger is back on his plan; Grace stays as your colleague left her:"] },
      { kind: "customers" },
    ],
  },
  {
    title: "A call that nothing can undo",
    steps: [
      { kind: "say", lines: ["An e-mail can't be called back. The policy says so, and the call is held:"] },
      { kind: "agent", script: "letter" },
      { kind: "say", lines: ["Nothing was sent. You see the whole call before you answer:"] },
      { kind: "command", words: ["gates"], exit: 0 },
    ],
  },
  {
    title: "You decide",
    steps: [
      { kind: "say", lines: ["Ada should get this letter, so you let it through:"] },
      { kind: "command", words: ["approve"], exit: 0 },
      { kind: "say", lines: ["The agent makes the same call again, and now it goes through:"] },
      { kind: "agent", script: "letter" },
      { kind: "outbox" },
      {
        kind: "say",
        lines: [
          "Once: your approval was for this one call, and it is spent.",
          "Has anybody changed the record of all this? Its hash chain would show it:",
        ],
      },
      { kind: "command", words: ["audit", "verify"], exit: 0 },
    ],
  },
];
