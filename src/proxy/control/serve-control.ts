// What may an undo have done through a running proxy? Reads, and steps that the journal has as intended. The socket carries requests, never authority:
// whoever finds it can do nothing by it that the record or the policy doesn't already allow.
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import { keyOf } from "../../recorder/record-inverse.ts";
import { sendInverse, sendRead } from "../../recorder/send.ts";
import { CONTROL, NOT_HERE, writeAnswer } from "../../upstream/live/control-words.ts";
import { within } from "../../upstream/within.ts";
import { buildError, buildResult } from "../../wire/build.ts";
import { requestMeta } from "../../wire/era.ts";
import type { LocalStreams } from "../../wire/local-socket.ts";
import type { RequestMessage } from "../../wire/message.ts";
import { readMessages } from "../../wire/peer.ts";
import { ERROR_CODES } from "../answers.ts";
import type { OpenRun } from "../run-handle.ts";
import type { UndoHold } from "../undo-holds.ts";
import { allowNextPage, intendedStep, isKnownRead, type MadeReads } from "./authority.ts";
import type { LiveSession } from "./live-session.ts";

/** How long an undo waits for the calls under way, in milliseconds; what is still under way then is unknown to it. */
const REST_GRACE = 10_000;

export interface ControlParts {
  readonly log: Log;
  readonly sessions: ReadonlySet<LiveSession>;
  /** Steps of undos that were sent already, by the action's id. */
  readonly sent: Set<string>;
  readonly made: MadeReads;
}

/** Serves one connection until it ends, and lets go of what it holds then. */
export function serveControl(streams: LocalStreams, parts: ControlParts): void {
  const holds: UndoHold[] = [];
  let isOver = false;
  readMessages(streams.input, {
    onMessage(message) {
      if (message.kind !== "request") return;
      void answer(message, parts, (hold) => {
        if (isOver) hold.release();
        else holds.push(hold);
      }).then(({ bytes }) => streams.output.write(bytes));
    },
    onTooLong: () => streams.close(),
    onEnd() {
      isOver = true;
      for (const hold of holds) hold.release();
      void streams.output.end();
    },
  });
}

/** Answers a request. Never rejects. */
async function answer(message: RequestMessage, parts: ControlParts, keep: (hold: UndoHold) => void) {
  const { id, method, value } = message;
  const params = isJsonObject(value["params"]) ? value["params"] : {};
  try {
    const result = await resultOf(method, params, parts, keep);
    if (result !== undefined) return buildResult(id, result);
    parts.log.log("warn", "refused a request on the control socket", { method });
    return buildError(id, NOT_HERE, "there is no such run or server here, or no such request");
  } catch (error) {
    parts.log.log("warn", "a request on the control socket failed", { method, why: String(error) });
    return buildError(id, ERROR_CODES.internal, error instanceof Error ? error.message : String(error));
  }
}

async function resultOf(
  method: string,
  params: JsonObject,
  parts: ControlParts,
  keep: (hold: UndoHold) => void,
): Promise<Json | undefined> {
  if (method === CONTROL.open) return open(params, parts, keep);
  const place = await placeOf(params, parts);
  if (place === undefined) return undefined;
  switch (method) {
    case CONTROL.tools:
      return tools(place);
    case CONTROL.rest:
      return { atRest: place.session.runHandle.holds.isAtRest(place.open.run.id) };
    case CONTROL.read:
      return read(place, params, parts);
    case CONTROL.inverse:
      return inverse(place, params, parts);
    default:
      return undefined;
  }
}

/** A run that goes on, at one of its servers. */
interface Place {
  readonly session: LiveSession;
  readonly open: OpenRun;
}

async function placesOf(run: Json | undefined, { sessions }: ControlParts): Promise<readonly Place[]> {
  if (typeof run !== "string") return [];
  const found = [...sessions].map(async (session) => {
    const open = await session.runHandle.held(run);
    return open === undefined ? [] : [{ session, open }];
  });
  return (await Promise.all(found)).flat();
}

async function placeOf({ run, server }: JsonObject, parts: ControlParts): Promise<Place | undefined> {
  return (await placesOf(run, parts)).find(({ session }) => session.server === server);
}

async function open({ run, holds }: JsonObject, parts: ControlParts, keep: (hold: UndoHold) => void): Promise<Json | undefined> {
  const places = await placesOf(run, parts);
  const [first] = places;
  if (first === undefined) return undefined;
  if (holds === true) {
    const hold = first.session.runHandle.holds.hold(first.open.run.id);
    keep(hold);
    parts.log.log("info", "an undo of a run begins", { run: first.open.run.id });
    await within(REST_GRACE, hold.atRest);
  }
  const living = places.filter(({ session }) => session.upstream.alive);
  return { servers: living.map(({ session }) => ({ name: session.server, pid: session.upstream.pid })) };
}

async function tools(place: Place): Promise<Json> {
  const { upstream, readTimeout, meta } = senderOf(place);
  const listed = await upstream.listTools({ timeout: readTimeout, meta });
  return listed.kind === "failed" ? { ...listed } : { kind: "tools", tools: listed.tools.map(({ raw }) => raw) };
}

async function read(place: Place, { tool, arguments: args }: JsonObject, parts: ControlParts): Promise<Json> {
  const { session, open } = place;
  if (typeof tool !== "string" || args === undefined) return refused(parts, place, "it names no call");
  const call = { server: session.server, tool, args };
  if (!(await isKnownRead(session.policy, open, call, parts.made))) return refused(parts, place, `${session.server}.${tool} is no read`);
  const answer = await sendRead(senderOf(place), call);
  allowNextPage(open, call, answer, parts.made);
  return writeAnswer(answer);
}

async function inverse(place: Place, params: JsonObject, parts: ControlParts): Promise<Json> {
  // Before it is looked whether the undo lives: once that is dead and this at rest, nothing of it will follow.
  const end = place.session.runHandle.holds.enter(place.open.run.id);
  try {
    return await sendStep(place, params, parts);
  } finally {
    end();
  }
}

async function sendStep(place: Place, { undoes }: JsonObject, parts: ControlParts): Promise<Json> {
  const { session, open } = place;
  const step = typeof undoes === "string" ? await intendedStep(open, session.server, undoes) : undefined;
  if (step === undefined) return refused(parts, place, "the journal has no such step of an undo that is under way");
  if (parts.sent.has(step.id)) return refused(parts, place, "this step was sent already", true);
  parts.sent.add(step.id);
  const reply = await sendInverse(senderOf(place), step.call, await keyOf(open, step.undoes));
  switch (reply.kind) {
    case "lost":
      return { kind: "ended", ...(reply.why === undefined ? {} : { why: reply.why, sent: true }) };
    case "not-sent":
      return { kind: "ended", why: reply.why ?? "the server had ended before the call could be sent", sent: false };
    default:
      return writeAnswer(reply);
  }
}

function senderOf({ session: { upstream, readTimeout, roots, meta }, open }: Place) {
  return { upstream, readTimeout, roots: roots(), meta: meta ?? requestMeta(open.run.clientHello) };
}

/** Nothing was done, unless `sent` says so. */
function refused({ log }: ControlParts, { session, open }: Place, why: string, sent = false): Json {
  log.log("warn", "refused a request on the control socket", { run: open.run.id, server: session.server, why });
  return { kind: "ended", why, sent };
}
