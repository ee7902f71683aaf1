// How does the wizard go from its first question to the end? One step after the other: ask, start servers, write, check, connect. Until it is told to write,
// everything is as it was; what somebody else wrote meanwhile is never lost.

import {
  CONNECT,
  FAILED,
  type Facts,
  type FoundServer,
  GUARD,
  nextStep,
  type Outcome,
  REVIEW,
  type ServerDecision,
  SHOW,
  type Told,
} from "../../draft/next-step.ts";
import type { Given, Question } from "../../draft/questions.ts";
import { SynartesisError } from "../../errors.ts";
import type { Context } from "../command.ts";
import { countText } from "../render/counts.ts";
import { wrapWords } from "../render/layout.ts";
import { visible } from "../render/visible.ts";
import { contentOf } from "../replace-file.ts";
import { manifestWith, writeManifest } from "../write-manifest.ts";
import { ask, say } from "./ask.ts";
import { dropAnswers, keepAnswers, keptAnswers } from "./kept-answers.ts";
import type { Failed, Prepared, Ready } from "./prepare.ts";
import { reviewText } from "./review.ts";
import { grouped, listingText } from "./tell-clients.ts";

/** What the wizard is about. */
export interface Setup {
  /** The manifest, which may not exist yet; absolute. */
  readonly file: string;
  readonly candidates: readonly FoundServer[];
  /** Looks at servers, by their ids: all that are meant, together. @throws usage */
  prepare(ids: readonly string[]): Promise<ReadonlyMap<string, Prepared>>;
  /** Whether all of them are meant. */
  readonly isChosen: boolean;
  /** The clients that can be connected, for these servers. */
  clients(ids: readonly string[]): readonly string[];
  readonly told: Told;
  /** Shows what would become of the clients' files, for these servers. */
  onConnect(ids: readonly string[]): Promise<void>;
  /** Looks at what was written, and says what it finds. */
  onWritten(): Promise<void>;
  /** Whether there is somebody to ask. */
  readonly isTerminal: boolean;
}

/** What the wizard came to. `stopped`: somebody stopped it; what was written by then says `isWritten`. */
export interface Result {
  readonly kind: "stopped" | Outcome;
  readonly isWritten: boolean;
  /** The servers that are guarded, or would be, with what was decided about their tools. */
  readonly servers: readonly GuardedServer[];
  /** Those that couldn't be started. */
  readonly failed: readonly (Failed & { readonly id: string })[];
}
export interface GuardedServer extends ServerDecision {
  readonly prepared: Ready;
}

/** Lines of a manifest's change that are shown unless asked for all. */
const MOST_LINES = 24;

/** Goes through the wizard. */
export async function runWizard(context: Context, setup: Setup): Promise<Result> {
  return new Wizard(context, setup).run();
}

class Wizard {
  private readonly context: Context;
  private readonly setup: Setup;
  private readonly about: string;
  private readonly prepared = new Map<string, Prepared>();
  /** What they are called in the manifest, which is part of their questions' ids. */
  private readonly names = new Map<string, string>();
  private given: readonly Given[] = [];
  private kept: Readonly<Record<string, string>> = {};
  /** The manifest as it was, what we wrote in its place, and what we wrote there before somebody went back. */
  private before: Uint8Array | undefined;
  private written: string | undefined;
  private earlier: string | undefined;

  constructor(context: Context, setup: Setup) {
    this.context = context;
    this.setup = setup;
    this.about = [setup.file, ...(setup.isChosen ? setup.candidates.map(({ id }) => id) : [])].join("\n");
    this.before = contentOf(setup.file);
  }

  async run(): Promise<Result> {
    if (this.setup.isTerminal) await this.resume();
    for (;;) {
      const step = nextStep(this.facts(), this.given, this.setup.told);
      if (step.kind === "ask") this.given = step.given;
      if (step.kind === "end") return this.end(step.outcome, step.decided);
      if (step.kind === "list") await this.start(step.servers);
      else if (step.kind === "write") await this.write(step.decided);
      else if (!(await this.ask(step.question, step.decided))) return this.result("stopped", step.decided);
    }
  }

  private facts(): Facts {
    const { candidates, isChosen, clients } = this.setup;
    const listed = new Map([...this.prepared].map(([id, { listing }]) => [id, listing] as const));
    const ready = [...listed].filter(([, { kind }]) => kind === "listed").map(([id]) => id);
    const changes = (decided: readonly ServerDecision[]) => this.before === undefined || this.textWith(decided) !== decoded(this.before);
    return { found: candidates, listed, isChosen, changes, isWritten: this.written !== undefined, clients: clients(ready) };
  }

  private async resume(): Promise<void> {
    const kept = keptAnswers(this.context.io, this.about);
    if (kept === undefined || kept.given.length === 0) return;
    const question: Question = {
      kind: "one",
      id: "resume",
      title: `You stopped here before, after ${countText(kept.given.length, "answer")}.`,
      details: [],
      flag: "--yes",
      choices: [
        { value: "resume", label: "go on from there" },
        { value: "again", label: "begin again" },
      ],
      usual: "resume",
    };
    const reply = await ask(this.context, question, false);
    if (reply.kind !== "answer" || reply.answer !== "resume") return;
    this.given = kept.given;
    this.kept = kept.tools;
  }

  private async start(ids: readonly string[]): Promise<void> {
    const prepared = await this.setup.prepare(ids);
    const told: (readonly [string, string])[] = [];
    for (const { id, title } of this.setup.candidates) {
      const one = prepared.get(id);
      if (one === undefined) continue;
      this.prepared.set(id, one);
      if ("digest" in one) this.rename(id, one.listing.server);
      const changed = "digest" in one && this.kept[id] !== undefined && this.kept[id] !== one.digest ? one.listing.server : undefined;
      // What was said of other tools, under the same names, was never said of these.
      const stale = (given: Given) => given.id === FAILED || (changed !== undefined && given.id.split(":")[1] === changed);
      this.given = this.given.filter((given) => !stale(given));
      told.push([visible(title), listingText(one)]);
    }
    const lines = grouped(told).flatMap(([titles, text]) => [titles, `  ${text}`]);
    if (this.setup.isTerminal) await say(this.context, lines);
  }

  /** Keeps what was answered where a server is called otherwise than when it was asked about. */
  private rename(id: string, name: string): void {
    const earlier = this.names.get(id) ?? name;
    this.names.set(id, name);
    this.given = this.given.map((given) => {
      const [kind, server, ...rest] = given.id.split(":");
      return server === earlier ? { ...given, id: [kind, name, ...rest].join(":") } : given;
    });
  }

  /** Asks, and takes the answer; false where the person stops. */
  private async ask(question: Question, decided: readonly ServerDecision[]): Promise<boolean> {
    if (!this.setup.isTerminal) throw unanswered(question);
    if (question.id === REVIEW) this.show(decided, MOST_LINES);
    if (question.id === CONNECT) await this.setup.onConnect(decided.map(({ id }) => id));
    for (;;) {
      const reply = await ask(this.context, question, this.given.length > 0);
      if (reply.kind === "stop") return this.stop();
      if (reply.kind === "back") {
        this.written = undefined;
        this.given = this.given.slice(0, -1);
        this.keep();
        return true;
      }
      if (reply.answer !== SHOW) {
        // Which names servers get in the manifest depends on which others are guarded, too.
        if (question.id === GUARD) this.prepared.clear();
        this.given = [...this.given, { id: question.id, answer: reply.answer }];
        this.keep();
        return true;
      }
      this.show(decided, Number.POSITIVE_INFINITY);
    }
  }

  private keep(): void {
    const tools = Object.fromEntries([...this.prepared].flatMap(([id, each]) => ("digest" in each ? [[id, each.digest] as const] : [])));
    keepAnswers(this.context.io, {
      about: this.about,
      given: this.given.filter(({ id }) => id !== REVIEW),
      tools: { ...this.kept, ...tools },
    });
  }

  private stop(): false {
    const kept = this.given.length === 0 ? "" : "; your answers are kept, and the next time it goes on from here";
    const done = this.written === undefined ? "nothing was changed" : `${visible(this.setup.file)} was written`;
    this.context.note(`\n${wrapWords(done + kept, this.context.io.stdout.columns)}`);
    return false;
  }

  private textWith(decided: readonly ServerDecision[]): string {
    const changes = this.guarded(decided).flatMap(({ prepared, ...decision }) => prepared.change(decision) ?? []);
    return manifestWith(this.setup.file, this.before, changes);
  }

  private show(decided: readonly ServerDecision[], most: number): void {
    const { io } = this.context;
    const before = this.before === undefined ? "" : decoded(this.before);
    const after = this.textWith(decided);
    const servers = this.guarded(decided).flatMap(({ prepared: { listing } }) => (listing.isKnown ? [] : [listing]));
    this.context.print(`\n${reviewText(this.setup.file, { before, after, most }, servers, io)}\n`);
  }

  /** Writes over what was there, or over what we wrote ourselves before somebody went back. */
  private async write(decided: readonly ServerDecision[]): Promise<void> {
    const { file } = this.setup;
    const text = this.textWith(decided);
    const now = contentOf(file);
    const isOurs = this.earlier !== undefined && now !== undefined && decoded(now) === this.earlier;
    if (writeManifest(file, isOurs ? now : this.before, text).kind === "replaced") {
      this.written = text;
      this.earlier = text;
      return this.setup.onWritten();
    }
    if (!this.setup.isTerminal)
      throw new SynartesisError("refused", `${file} was changed meanwhile, and was left as it is`, { hint: "run the command again" });
    await say(this.context, [`${visible(file)} was changed meanwhile, and was left as it is. This is what it would become now:`]);
    this.before = contentOf(file);
    // It may have a server of the same name by now, or this very one.
    this.prepared.clear();
    this.given = this.given.filter(({ id }) => id !== REVIEW);
  }

  private end(kind: Outcome, decided: readonly ServerDecision[]): Result {
    // Only somebody who stopped has where to go on from.
    if (kind !== "nothing" || this.given.at(-1)?.id !== REVIEW) dropAnswers(this.context.io);
    return this.result(kind, decided);
  }

  private result(kind: Result["kind"], decided: readonly ServerDecision[]): Result {
    const failed = [...this.prepared].flatMap(([id, prepared]) => ("error" in prepared ? [{ id, ...prepared }] : []));
    return { kind, isWritten: this.written !== undefined, servers: this.guarded(decided), failed };
  }

  private guarded(decided: readonly ServerDecision[]): readonly GuardedServer[] {
    return decided.flatMap((each) => {
      const prepared = this.prepared.get(each.id);
      return prepared === undefined || "error" in prepared ? [] : [{ ...each, prepared }];
    });
  }
}

function decoded(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

function unanswered({ title, flag }: Question): SynartesisError {
  return new SynartesisError("usage", `nobody is there to answer: ${visible(title)}`, { hint: `say it with ${flag}` });
}
