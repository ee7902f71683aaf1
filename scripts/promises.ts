// What does docs/promises.md say? Made from the tests whose names begin with a promise, and from what is known not to be covered: `bun scripts/promises.ts` writes it.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..");

interface Promised {
  readonly title: string;
  readonly means: string;
  /** What no test shows, or what isn't promised; each a sentence. */
  readonly uncovered: readonly string[];
}

/** The promises by number, from 1. */
const PROMISES: readonly Promised[] = [
  {
    title: "Nothing about the agent changes",
    means:
      "Same tools, same names, same results, same bytes. What we need not read is forwarded untouched. What a client and a server can notice all the same is in [protocol.md](protocol.md#what-a-client-and-a-server-can-notice).",
    uncovered: [
      "Clients of vendors that can't be run here (desktop applications, editors) are tried by their configuration files and by the SDKs that they are built on, not themselves.",
      "How long a call takes isn't promised; it is measured ([bench/README.md](../bench/README.md)).",
    ],
  },
  {
    title: "Written down before it happens",
    means:
      "The intent, the state before and the way back are on disk before a changing call is sent. A crash at any instant loses no changing call that was sent.",
    uncovered: [
      "Processes are killed at every step; the power isn't cut. That a commit is on disk once the system says so is left to SQLite, the system and the disk.",
      "Reads are recorded in batches, and a crash may lose the last of them.",
    ],
  },
  {
    title: "Undo never lies and never destroys newer work",
    means:
      "What was put back was read back. What couldn't be is named, with the reason. A change that someone made since is kept, or undo stops and shows it.",
    uncovered: [
      "Only what the policy's reads show is compared. A server that lies, or shows an old copy, is believed.",
      "Between the last look and the moment at which the server acts, somebody may write; only a server that compares a version refuses then.",
      "Policies that others write are as good as they are; `synartesis drill` proves one ([drill.md](drill.md)).",
    ],
  },
  {
    title: "Unknown is not failed",
    means:
      "A call whose outcome can't be known is recorded as unknown, and is resolved by looking at the world or by a person, never by a guess.",
    uncovered: ["Where no read shows what became of a call, a person's word is taken for it (`synartesis resolve`)."],
  },
  {
    title: "Unmentioned means irreversible",
    means:
      "A tool that no rule mentions is held for a person. A manifest that isn't understood stops the proxy, with file, line and column.",
    uncovered: [
      "Whether a rule says the truth about its tool can't be known from the manifest: a tool that somebody calls `readonly` passes.",
    ],
  },
  {
    title: "Silence approves nothing, and an agent can't approve itself",
    means: "An approval is for one exact call, is used once, expires, and says who gave it.",
    uncovered: [
      "An agent that runs programs as the same user can get around it; the ways that are known are in [threat-model.md](threat-model.md#what-doesnt).",
      "Who a name belongs to isn't proven.",
    ],
  },
  {
    title: "The record can't be changed quietly",
    means: "It is a chain of hashes that can be verified offline. What a rule redacts never gets there.",
    uncovered: [
      "The chain holds no secret: whoever can write the file, and computes all of it anew, isn't found out, unless its end is kept elsewhere ([journal.md](journal.md#is-it-intact)).",
      "The record isn't encrypted.",
    ],
  },
];

const HEAD = `# The promises, and the tests that hold them

Seven promises; everything else follows from them. Under each stand what it means, what no test shows, and the files with tests whose names begin with it (\`P3: ...\`), each with the question
that it answers, where it says so. This page is made from those (\`bun scripts/promises.ts\`); \`./test/run.sh\` runs them all.
`;

/** The tests of one promise: the question of each file that has some, by its path; empty where it doesn't say. */
type Held = ReadonlyMap<string, string>;

/** Writes the page. */
export function promisesPage(): string {
  const held = heldBy();
  return [HEAD, ...PROMISES.map((promise, index) => section(promise, index + 1, held[index] ?? new Map()))].join("\n");
}

function heldBy(): readonly Held[] {
  const held = PROMISES.map(() => new Map<string, string>());
  for (const file of [...new Bun.Glob("test/**/*.test.ts").scanSync(ROOT)].sort()) {
    const text = readFileSync(join(ROOT, file), "utf8");
    for (const [, number] of text.matchAll(/["'`]P([1-7]): /g)) held[Number(number) - 1]?.set(file, questionOf(text));
  }
  return held;
}

/** Gives the first sentence of the comment that a file opens with. */
function questionOf(text: string): string {
  const comment = /^(?:\/\/ .*\n)+/.exec(text)?.[0] ?? "";
  const words = comment.replace(/^\/\/ /gm, "").replaceAll("\n", " ");
  return (/^.*?[.?](?=\s)/.exec(words)?.[0] ?? words.trim()).replace(/[*_<>[\]|~]/g, "\\$&");
}

function section({ title, means, uncovered }: Promised, number: number, files: Held): string {
  const tests = [...files].map(([file, question]) => `- [\`${file}\`](../${file})${question === "" ? "" : `: ${question}`}`);
  const gaps = uncovered.map((sentence) => `- ${sentence}`);
  return [`## ${number}. ${title}`, "", means, "", "Not covered:", "", ...gaps, "", "Held by:", "", ...tests, ""].join("\n");
}

if (import.meta.main) writeFileSync(join(ROOT, "docs/promises.md"), promisesPage());
