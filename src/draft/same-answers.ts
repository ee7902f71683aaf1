// Does the same server, in two clients, have to be asked about twice? Only if somebody wants that; each keeps a policy of its own.
import { digestOf } from "../core/digest.ts";
import type { Facts, FoundServer, Listing } from "./next-step.ts";
import type { Question } from "./questions.ts";
import type { OpenTools } from "./tool-questions.ts";

/** Tells whether two servers list the very same tools, so that they needn't be asked about twice. */
export function isAlike(other: Listing | undefined, { tools, open }: OpenTools): boolean {
  if (other?.kind !== "listed" || other.open.length !== open.length) return false;
  return digestOf(other.tools.map(({ raw }) => raw)) === digestOf(tools.map(({ raw }) => raw));
}

/** Asks whether what was answered for the server `like` holds for this one too. */
export function sameQuestion({ found }: Facts, { title }: FoundServer, { server }: OpenTools, like: string): Question {
  const other = found.find(({ id }) => id === like)?.title ?? like;
  return {
    kind: "one",
    id: `same:${server}`,
    title: `${title}: the same answers as for ${other}?`,
    details: [
      `It has the very same tools, but is started otherwise (other words, variables or folder), so it gets a policy of its own, "${server}".`,
    ],
    flag: "--rule TOOL=accept|gate|leave|readonly",
    choices: [
      { value: "same", label: `the same as for ${other}` },
      { value: "each", label: "look at its tools too" },
    ],
    usual: "same",
  };
}
