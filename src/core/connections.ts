// Which actions build on which? Two ways show it: both touch one thing, or a later one's arguments carry a value that an earlier one's result
// introduced, an id, say. Pure; where a value says too little, there is no connection.
import { isExactNumber, isJsonObject, type Json } from "./json.ts";

/** What connections are found by. */
export interface ConnectedAction {
  readonly id: string;
  readonly seq: number;
  readonly resources: readonly string[];
  readonly args: Json;
  /** The value of its result; undefined where there is none. */
  readonly result: Json | undefined;
  /** Whether what it changed stands, so that something can build on it. */
  readonly stands: boolean;
}

/** A later action builds on an older one. */
export interface Use {
  readonly newer: string;
  readonly older: string;
  /** The value that the older one introduced; undefined where both touch `resource`. */
  readonly value: string | undefined;
  readonly resource: string | undefined;
}

/** Who builds on whom, among the actions that stand. */
export interface Connections {
  /** What an action builds on. */
  usesOf(id: string): readonly Use[];
  /** What builds on an action, directly. */
  usersOf(id: string): readonly Use[];
}

/** Finds the connections among actions, given oldest first. */
export function findConnections(actions: readonly ConnectedAction[]): Connections {
  const uses = new Map<string, Use[]>();
  const users = new Map<string, Use[]>();
  const connect = (use: Use) => {
    entryOf(uses, use.newer).push(use);
    entryOf(users, use.older).push(use);
  };
  /** Per value, the action whose result brought it into the run; undefined where it was there before any. */
  const origins = new Map<string, string | undefined>();
  const latestOn = new Map<string, string>();
  for (const action of actions) {
    if (action.stands) connectResources(action, latestOn, connect);
    const given = new Set(valuesIn(action.args));
    for (const value of given) {
      const older = origins.get(value);
      if (older !== undefined && action.stands) connect({ newer: action.id, older, value, resource: undefined });
      if (!origins.has(value)) origins.set(value, undefined);
    }
    for (const value of action.result === undefined ? [] : valuesIn(action.result))
      if (!origins.has(value)) origins.set(value, action.stands ? action.id : undefined);
  }
  return { usesOf: (id) => uses.get(id) ?? [], usersOf: (id) => users.get(id) ?? [] };
}

/** The last one before on each resource is enough: through it, all that are older are reached. */
function connectResources(action: ConnectedAction, latestOn: Map<string, string>, connect: (use: Use) => void): void {
  const found = new Set<string>();
  for (const resource of action.resources) {
    const older = latestOn.get(resource);
    latestOn.set(resource, action.id);
    if (older === undefined || found.has(older)) continue;
    found.add(older);
    connect({ newer: action.id, older, value: undefined, resource });
  }
}

/** Gives everything that builds on one of these actions, directly or through others, without themselves. */
export function dependentsOf(connections: Connections, ids: Iterable<string>): ReadonlySet<string> {
  const start = new Set(ids);
  const found = new Set<string>();
  const open = [...start];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const { newer } of connections.usersOf(id)) {
      if (found.has(newer) || start.has(newer)) continue;
      found.add(newer);
      open.push(newer);
    }
  }
  return found;
}

/** Longer texts are contents, not names. */
const LONGEST_NAME = 300;

/** Gives the values by which something may be named: an id, a path, a number of several digits; no words, booleans or points in time. */
function* valuesIn(value: Json): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* valuesIn(item);
  else if (isExactNumber(value)) yield value.rawJSON;
  else if (isJsonObject(value)) for (const member of Object.values(value)) yield* valuesIn(member);
  else if (typeof value === "number" && Number.isInteger(value) && Math.abs(value) >= 100) yield String(value);
  else if (typeof value === "string" && isName(value)) yield value;
}

function isName(text: string): boolean {
  if (text.length < 2 || text.length > LONGEST_NAME || /\s/.test(text) || POINT_IN_TIME.test(text)) return false;
  return /^\d+$/.test(text) ? text.length >= 3 : /\d|[/\\@]/.test(text);
}

const POINT_IN_TIME = /^\d{4}-\d\d-\d\d([T ]|$)/;

function entryOf<T>(map: Map<string, T[]>, key: string): T[] {
  const known = map.get(key) ?? [];
  map.set(key, known);
  return known;
}
