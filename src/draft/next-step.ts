// What comes next in the wizard? A script of questions, replayed from the answers that were given: so going back is dropping the last one, and going on
// another day is replaying those that were kept. Pure: what there is to know comes in as facts.

import { type Answer, type Given, type Question, takes } from "./questions.ts";
import { isAlike, sameQuestion } from "./same-answers.ts";
import { askTools, type Decision, type OpenTools, type ToldRule } from "./tool-questions.ts";

/** A server that may be guarded. */
export interface FoundServer {
  /** Unlike that of any other. */
  readonly id: string;
  /** Where it was found and what it is there: `Claude Code: files`. */
  readonly title: string;
  /** How it is started or reached, in a line. */
  readonly about: string;
  /** Whether it is proposed to be guarded. */
  readonly isUsual: boolean;
}

/** What became of starting a server. */
export type Listing =
  | ({
      readonly kind: "listed";
      /** The title of the shipped policy that fits. */
      readonly policy: string | undefined;
      /** The manifest has its policy already, or will have it for another client. */
      readonly isKnown: boolean;
      /** There where the policy's companion has to be told its folders. */
      readonly folders: OpenFolders | undefined;
    } & OpenTools)
  | { readonly kind: "failed"; readonly reason: string; readonly hint: string | undefined };

/** The folders that a companion may read and change, where neither the server's command nor an option says them. */
export interface OpenFolders {
  /** The title of the policy. */
  readonly policy: string;
  /** Empty where none is likely. */
  readonly usual: string;
  /** Says what is wrong with them. */
  check(text: string): string | undefined;
}

/** What is known by now. */
export interface Facts {
  readonly found: readonly FoundServer[];
  /** By their ids; those that weren't started yet are missing. */
  readonly listed: ReadonlyMap<string, Listing>;
  /** Whether the question which servers to guard is to be asked at all. */
  readonly isChosen: boolean;
  readonly isWritten: boolean;
  /** Tells whether the manifest would become another. */
  changes(decided: readonly ServerDecision[]): boolean;
  /** The clients that can be connected, as a person knows them; none where there are none. */
  readonly clients: readonly string[];
}

/** What options said, so that it isn't asked. */
export interface Told {
  /** Answers a question; undefined where a person is to be asked. */
  answer(question: Question): Answer | undefined;
  readonly rule: ToldRule;
}

/** What was decided about one server. */
export interface ServerDecision {
  readonly id: string;
  readonly decisions: ReadonlyMap<string, Decision>;
  /** As they were typed; none where they weren't asked for. */
  readonly folders: readonly string[];
}

/** What has to be done before the next question. */
type Deed =
  /** These are to be started and listed, all that are meant together, with the answer to `FAILED` forgotten. */
  { readonly kind: "list"; readonly servers: readonly string[] } | { readonly kind: "write" };

/** What comes next, with what was decided by then. `given`: the answers of a person that led here, without those that lead nowhere any more. */
export type Step = { readonly decided: readonly ServerDecision[]; readonly given: readonly Given[] } & (
  | { readonly kind: "ask"; readonly question: Question }
  | Deed
  | { readonly kind: "end"; readonly outcome: Outcome }
);
export type Outcome = "nothing" | "written" | "connect";

/** The questions which servers are to be guarded, and whether clients are to be connected. */
export const GUARD = "guard";
export const CONNECT = "connect";
/** The question what to do about the servers that can't be started. */
export const FAILED = "failed";
/** The question before anything is written: who asks it shows the manifest's changes with it. */
export const REVIEW = "write";
/** Its answer that isn't one yet: everything is to be shown first. */
export const SHOW = "show";

/** Gives the next step; answers that no question takes any more count as not given. */
export function nextStep(facts: Facts, given: readonly Given[], told: Told): Step {
  const answers = new Map(given.map(({ id, answer }) => [id, answer]));
  const known = { decided: [] as ServerDecision[], given: [] as Given[] };
  const script = steps(facts, answers, told.rule, known.decided);
  let next = script.next();
  while (next.done !== true) {
    const question = next.value;
    if (question.kind === "list" || question.kind === "write") return { ...known, ...question };
    const said = told.answer(question);
    const answer = said ?? answers.get(question.id);
    if (answer === undefined || !takes(question, answer)) return { ...known, kind: "ask", question };
    if (said === undefined) known.given.push({ id: question.id, answer });
    next = script.next(answer);
  }
  return { ...known, kind: "end", outcome: next.value };
}

type Script = Generator<Question | Deed, Outcome, Answer>;

function* steps(facts: Facts, answers: ReadonlyMap<string, Answer>, told: ToldRule, decided: ServerDecision[]): Script {
  const chosen = facts.isChosen ? facts.found.map(({ id }) => id) : yield guardQuestion(facts.found);
  const servers = facts.found.filter(({ id }) => chosen.includes(id));
  const isWaiting = servers.some(({ id }) => !facts.listed.has(id)) || answers.get(FAILED) === "retry";
  if (isWaiting) yield { kind: "list", servers: servers.map(({ id }) => id) };
  const failed = servers.flatMap((server) => {
    const listing = facts.listed.get(server.id);
    return listing?.kind === "failed" ? [{ server, listing }] : [];
  });
  if (failed.length > 0) yield failedQuestion(failed);
  for (const server of servers) {
    const listing = facts.listed.get(server.id);
    if (listing?.kind !== "listed") continue;
    const folders = listing.folders === undefined ? undefined : foldersIn(String(yield foldersQuestion(server, listing, listing.folders)));
    if (folders?.length === 0) continue;
    const like = decided.find(({ id }) => isAlike(facts.listed.get(id), listing));
    const said = listing.open.filter((draft) => told(listing.server, draft) !== undefined);
    const isOpen = said.length < listing.open.length;
    const isSame = like !== undefined && isOpen && (yield sameQuestion(facts, server, listing, like.id)) === "same";
    const asked = yield* askTools(isSame ? { ...listing, open: said } : listing, told);
    const decisions = isSame ? new Map([...like.decisions, ...asked]) : asked;
    decided.push({ id: server.id, folders: folders ?? [], decisions });
  }
  if (decided.length === 0) return "nothing";
  const isPlain = facts.isChosen && !isAnythingOpen(facts);
  if (!isPlain && facts.changes(decided) && (yield reviewQuestion(facts, decided)) === "stop") return "nothing";
  if (!facts.isWritten) yield { kind: "write" };
  if (facts.clients.length === 0) return "written";
  return (yield connectQuestion(facts.clients)) === "yes" ? "connect" : "written";
}

/** Where a server was named and nothing about it is open, there is nothing to look at before it is written. */
function isAnythingOpen({ listed }: Facts): boolean {
  return [...listed.values()].some((listing) => listing.kind === "listed" && (listing.open.length > 0 || listing.folders !== undefined));
}

function guardQuestion(found: readonly FoundServer[]): Question {
  return {
    kind: "several",
    id: GUARD,
    title: "Which servers shall be guarded?",
    details: [
      "A guarded server works as before. What an agent changes through it is recorded, and can be put back.",
      "Nothing is written before you have seen it.",
    ],
    flag: "--guard NAME",
    choices: found.map(({ id, title, about }) => ({ value: id, label: title, hint: about })),
    usual: found.filter(({ isUsual }) => isUsual).map(({ id }) => id),
    isLong: false,
  };
}

interface FailedServer {
  readonly server: FoundServer;
  readonly listing: Extract<Listing, { kind: "failed" }>;
}

function failedQuestion(failed: readonly FailedServer[]): Question {
  const [first] = failed;
  const isOne = failed.length === 1;
  return {
    kind: "one",
    id: FAILED,
    title: isOne ? `${first?.server.title ?? ""} can't be listed` : `${failed.length} servers can't be listed`,
    details: isOne ? failed.flatMap(troubleLines) : failed.flatMap((each) => [each.server.title, ...shortened(troubleLines(each))]),
    flag: "--yes",
    choices: [
      { value: "skip", label: isOne ? "go on without it" : "go on without them" },
      { value: "retry", label: "try again" },
    ],
    usual: "skip",
  };
}

function troubleLines({ listing: { reason, hint } }: FailedServer): readonly string[] {
  return [reason, ...(hint === undefined ? [] : [hint])].flatMap((text) => text.split("\n"));
}

/** Of what a server printed, the beginning and the end say the most. */
function shortened(all: readonly string[]): readonly string[] {
  const lines = all.filter((line) => line.trim() !== "");
  const [head, tail] = [5, 3];
  const shown = lines.length <= head + tail + 1 ? lines : [...lines.slice(0, head), "...", ...lines.slice(-tail)];
  return shown.map((line) => `  ${line}`);
}

function foldersQuestion({ title }: FoundServer, { server }: OpenTools, { policy, usual, check }: OpenFolders): Question {
  return {
    kind: "text",
    id: `folders:${server}`,
    title: `${title}: which folders does it work in?`,
    details: [
      `Undo puts files back with a helper of its own (the policy for ${policy} needs it). It may read and change what is in these folders, and nothing else.`,
      "Several: with commas between them. None: this server isn't guarded.",
    ],
    flag: "--root DIR",
    usual,
    check: (text) => (foldersIn(text).length === 0 ? undefined : check(text)),
  };
}

/** Reads the folders that were typed at that question. */
export function foldersIn(text: string): readonly string[] {
  return text
    .split(",")
    .map((folder) => folder.trim())
    .filter((folder) => folder !== "");
}

function reviewQuestion({ listed }: Facts, decided: readonly ServerDecision[]): Question {
  const shared = decided.filter(({ id }) => {
    const listing = listed.get(id);
    return listing?.kind === "listed" && listing.isKnown;
  });
  const policies = decided.length - shared.length;
  const servers = decided.length === 1 ? "1 server" : `${decided.length} servers`;
  return {
    kind: "one",
    id: REVIEW,
    title: "Write this?",
    details: [],
    flag: "--yes",
    choices: [
      {
        value: "write",
        label: "write it",
        hint: shared.length === 0 ? servers : `${decided.length} entries, ${policies} ${policies === 1 ? "policy" : "policies"}`,
      },
      { value: SHOW, label: "show all of it first" },
      { value: "stop", label: "stop", hint: "everything stays as it was" },
    ],
    usual: "write",
  };
}

function connectQuestion(clients: readonly string[]): Question {
  return {
    kind: "one",
    id: CONNECT,
    title: `Put the proxy in front of them in ${clients.join(", ")}?`,
    details: ["`synartesis disconnect` takes it out again, byte for byte."],
    flag: "--connect or --no-connect",
    choices: [
      { value: "yes", label: "yes" },
      { value: "no", label: "not now" },
    ],
    usual: "yes",
  };
}
