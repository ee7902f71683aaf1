// Which actions were asked for? Numbers, servers, resources and times become a set of actions; what builds on them is found, and never left out
// or taken in unasked.
import { type Connections, dependentsOf, type Use } from "../core/connections.ts";
import { normalizePath } from "../core/resource.ts";
import { type ActionStatus, type Choice, isSettled } from "../core/vocabulary.ts";
import { SynartesisError } from "../errors.ts";
import type { UndoAction } from "./gather.ts";

/** Which actions of the chosen runs; all of these have to be true of one. References are a number (of the one run) or an action's id or its beginning. */
export interface Selection {
  /** The highest to undo. */
  readonly from?: string | undefined;
  /** The lowest to undo. */
  readonly to?: string | undefined;
  readonly only?: readonly string[];
  readonly server?: string | undefined;
  /** As a plan shows it, `server:text`, or without the server. */
  readonly resource?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly since?: number | undefined;
  /** What is to become of actions that build on the selected ones. */
  readonly dependents: "refuse" | "with" | "alone";
}

/** Tells whether a selection leaves anything out. */
export function isPartial({ from, to, only, server, resource, since }: Selection): boolean {
  return [from, to, only, server, resource, since].some((part) => part !== undefined);
}

/** Gives the ids of what is selected. @throws SynartesisError usage where a reference finds nothing, refused where something builds on it */
export function selectActions(actions: readonly UndoAction[], selection: Selection, connections: Connections): ReadonlySet<string> {
  const selected = new Set(directly(actions, selection).map(({ id }) => id));
  if (selection.dependents === "alone") return selected;
  const dependents = dependentsOf(connections, selected);
  const standing = actions.filter(({ id, status }) => dependents.has(id) && canBeUndone(status));
  if (selection.dependents === "with") return new Set([...selected, ...standing.map(({ id }) => id)]);
  if (standing.length > 0) throw dependentsError(actions, standing, new Set([...selected, ...dependents]), connections);
  return selected;
}

function directly(actions: readonly UndoAction[], selection: Selection): readonly UndoAction[] {
  const place = (text: string | undefined, fallback: number) =>
    text === undefined ? fallback : actions.indexOf(findAction(actions, text));
  const first = place(selection.to, 0);
  const last = place(selection.from, actions.length - 1);
  if (first > last)
    throw new SynartesisError("usage", `--from ${selection.from} is older than --to ${selection.to}`, {
      hint: "undo goes from the newer one back to the older one",
    });
  const only = selection.only && new Set(selection.only.map((text) => findAction(actions, text)));
  requireNames(actions, selection);
  return actions.filter(
    (action, at) =>
      at >= first &&
      at <= last &&
      (only?.has(action) ?? true) &&
      (selection.server === undefined || action.server === selection.server) &&
      (selection.resource === undefined || touches(action, selection.resource)) &&
      (selection.since === undefined || action.stored.receivedAt >= selection.since),
  );
}

function requireNames(actions: readonly UndoAction[], { server, resource }: Selection): void {
  const servers = [...new Set(actions.map((action) => action.server))];
  if (server !== undefined && !servers.includes(server))
    throw new SynartesisError("usage", `no call of the run went to a server "${server}"`, { hint: `it used ${servers.join(", ")}` });
  if (resource === undefined || actions.some((action) => touches(action, resource))) return;
  const known = [...new Set(actions.flatMap(({ resources }) => resources))];
  throw new SynartesisError("usage", `no call of the run touched "${resource}"`, {
    hint:
      known.length === 0 ? "its rules name no resources" : `it touched ${known.slice(0, 5).join(", ")}${known.length > 5 ? ", ..." : ""}`,
  });
}

function touches({ server, resources }: UndoAction, resource: string): boolean {
  const wanted = [resource, `${server}:${normalizePath(resource)}`];
  return resources.some((key) => wanted.includes(key));
}

/** Finds an action by number, id or the beginning of an id. @throws SynartesisError usage */
export function findAction(actions: readonly UndoAction[], text: string): UndoAction {
  const runs = new Set(actions.map(({ run }) => run));
  // A number is never the beginning of an id: one that no action has would find another by chance.
  const found = actions.filter(({ id, seq }) => (/^\d{1,9}$/.test(text) ? seq === Number(text) : id.startsWith(text.toLowerCase())));
  if (found.length === 1 && found[0] !== undefined) return found[0];
  if (found.length > 1)
    throw new SynartesisError("usage", `"${text}" names several actions`, {
      hint: `write the id: ${found
        .map(({ id }) => id)
        .slice(0, 5)
        .join(", ")}`,
    });
  const [run] = runs;
  throw new SynartesisError("usage", `${runs.size === 1 ? `run ${run} has` : "these runs have"} no action ${text}`, {
    hint: actions.length === 0 ? "nothing was called" : `its actions are ${actions[0]?.seq} to ${actions.at(-1)?.seq}`,
  });
}

/** Gives what a person chose for single actions. @throws SynartesisError usage */
export function chooseActions(
  actions: readonly UndoAction[],
  skip: readonly string[],
  overwrite: readonly string[],
): ReadonlyMap<string, Choice> {
  const choices = new Map<string, Choice>();
  for (const text of skip) choices.set(findAction(actions, text).id, "skip");
  for (const text of overwrite) {
    const { id } = findAction(actions, text);
    if (choices.get(id) === "skip") throw new SynartesisError("usage", `action ${text} can't be skipped and overwritten at once`);
    choices.set(id, "overwrite");
  }
  return choices;
}

function canBeUndone(status: ActionStatus): boolean {
  return !isSettled(status) && status !== "permanent";
}

function dependentsError(
  actions: readonly UndoAction[],
  standing: readonly UndoAction[],
  meant: ReadonlySet<string>,
  connections: Connections,
): SynartesisError {
  const nameOf = (id: string) => String(actions.find((action) => action.id === id)?.seq ?? id);
  const lines = standing.slice(0, 5).flatMap((action) => {
    const use = connections.usesOf(action.id).find(({ older }) => meant.has(older));
    return use === undefined ? [] : [useText(use, nameOf)];
  });
  const more = standing.length > 5 ? `; and ${standing.length - 5} more` : "";
  return new SynartesisError("refused", `other calls build on what would be undone: ${lines.join("; ")}${more}`, {
    hint: "undo them too with --with-dependents, or leave them as they are with --alone",
  });
}

/** Says how one action builds on another, "3 uses "n1", which 2 brought"; `nameOf` names an action by its id. */
export function useText({ newer, older, value, resource }: Use, nameOf: (id: string) => string): string {
  if (value !== undefined) return `${nameOf(newer)} uses "${value}", which ${nameOf(older)} brought`;
  return `${nameOf(newer)} changed ${resource ?? "the same thing"} after ${nameOf(older)}`;
}
