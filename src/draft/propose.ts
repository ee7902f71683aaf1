// What can undo do for a tool, and by which calls? One answer per kind of deed, always the less undoable where it could be either. A proposal
// for a person: it is in force only when one accepts it.
import { type Arguments, offsettingArguments, restoringArguments } from "./arguments.ts";
import { withObservation } from "./observe.ts";
import { addsTo, type Catalog, type FoundTool, findCounterpart, findOnlyRemover, findOpposite, findRead } from "./pair.ts";
import { compensable, held, name, type Proposal, reversible, said } from "./proposal.ts";
import { proposeMove } from "./propose-move.ts";
import { COPYING, isControl, isIdentity, isSearch, namesThing, sameInput } from "./same-input.ts";
import { bareThing, showsMany, type ToolFacts } from "./tool-facts.ts";
import { ACTIVITIES, CONTAINERS, deedOf, STARTED } from "./verbs.ts";

/** Proposes for one tool that is no certain read, by what its verb says. */
export function propose(catalog: Catalog, call: ToolFacts): Proposal {
  if (call.thing.length === 0 && call.inputs.some(({ key, required }) => required && key === "url"))
    return held("high", "what it does is decided by the address that it is given");
  const several = call.inputs.find(
    ({ key, type }) => (type === "array" || type === "object") && SEVERAL.has(deedOf(key) ?? "") && deedOf(key) !== call.deed,
  );
  if (several !== undefined && call.deed !== "run")
    return held("medium", `it can be told to ${several.key}, and does several things at once`);
  if (ON_MANY.has(call.deed ?? "") && call.inputs.some(isSearch) && !call.inputs.some((input) => namesThing(input, call)))
    return held("medium", `${said(call)}, and what it is done to is searched for: no read shows for certain the same`);
  switch (call.deed) {
    case "change":
    case "put":
      return proposeChange(catalog, call);
    case "add":
      return proposeOpposite(catalog, call) ?? proposeAddition(catalog, call);
    case "remove":
      return proposeRemoval(catalog, call);
    case "move":
      return proposeMove(call) ?? proposeChange(catalog, call);
    case "toggle":
      // Told what is to be, a second call says the same once more.
      if (call.inputs.some((input) => (input.type === "boolean" || input.choices.length > 1) && !isControl(input)))
        return proposeChange(catalog, call);
      return compensable(call, { facts: call, certain: true }, offsettingArguments(call, call), "a second call of it switches it back");
    case "switch":
      return proposeOpposite(catalog, call) ?? held("low", `${said(call)}, and no tool says the opposite`);
    case "final":
      return proposeOpposite(catalog, call) ?? held("high", `${said(call)}, which nothing takes back`);
    case "run":
      return proposeLaunch(catalog, call) ?? held("high", `${said(call)}: what it does is decided by what it is given`);
    default:
      return held("low", "nothing in its name says what it changes");
  }
}

/** Inputs that are called like a verb of these, and hold things, say to what each is done. */
const SEVERAL: ReadonlySet<string> = new Set(["add", "change", "remove"]);
const ON_MANY: ReadonlySet<string> = new Set(["change", "put", "remove", "move"]);

/** Inputs that say how a text is edited: written back, they would edit it once more. */
const EDITS = new Set("edit edits old new patch diff search replace replacement line offset append prepend".split(" "));

function proposeChange(catalog: Catalog, call: ToolFacts): Proposal {
  const read = findRead(catalog, call);
  if (read === undefined)
    return proposeOpposite(catalog, call) ?? held("medium", `${said(call)}, and no read shows its state before with what the call has`);
  const one = call.thing.at(-1) ?? "";
  const many = call.inputs.some(({ key, type, required }) => required && type === "array" && (key === one || key === `${one} ids`));
  const each = showsMany(call) && call.where.length > 0;
  if ((many || each) && read.identity.size === 0)
    return held("medium", `${said(call)} several at once, and no read shows those and no others`);
  const edits =
    call.deed === "change" && call.inputs.some(({ key, required }) => required && key.split(" ").some((word) => EDITS.has(word)));
  const writer = edits ? findCounterpart(catalog, call, ["put"]) : { facts: call, certain: true };
  if (writer === undefined) return held("medium", `${said(call)} in part, and no tool writes the whole of it back`);
  return reversible(call, read, writer);
}

function proposeAddition(catalog: Catalog, call: ToolFacts): Proposal {
  if (STARTED.has(call.thing.at(-1) ?? "")) return held("medium", `${said(call)} something that begins to work: what it does stays`);
  // A timeline item that is added to an item isn't that item, but a subtask of a task is a task.
  const suits = (facts: ToolFacts) =>
    bareThing(facts.thing).length >= bareThing(call.thing).length ? !isAnotherKind(facts, call) : !addsTo(call, facts);
  const remove = findCounterpart(catalog, call, ["remove"], suits) ?? findOnlyRemover(catalog, call);
  if (remove !== undefined) {
    const found = offsettingArguments(remove.facts, call);
    if (wasThere(remove.facts, call, found))
      return held("medium", `${said(call)} what was there before, and ${name(remove.facts)} removes it altogether`);
    const offset = proposeDeletion(catalog, call, remove, found);
    return isLink(call, remove.facts) ? offset : withObservation(catalog, remove, offset);
  }
  const trash = findTrash(catalog, call);
  if (trash === undefined) return proposeClosing(catalog, call) ?? held("medium", `${said(call)}, and no tool removes what it adds`);
  const found = offsettingArguments(trash.facts, call, { [trash.input]: true });
  return withObservation(catalog, trash, compensable(call, trash, found, `${name(trash.facts)} puts what it adds into the trash`));
}

/** Of what only connects two things nobody changes anything. */
function isLink(call: ToolFacts, remover: ToolFacts): boolean {
  return !CREATES.has(call.verb ?? "") && !DELETES.has(remover.verb ?? "") && isRelation(call, remover);
}

/** Who deletes by the name that the call gave deletes what was there already under it, and with a container all that is in it by then. */
function proposeDeletion(catalog: Catalog, call: ToolFacts, remove: FoundTool, found: Arguments): Proposal {
  const removes = `${name(remove.facts)} removes what it adds`;
  const byName = DELETES.has(remove.facts.verb ?? "") && !Object.values(found.args).some((value) => String(value).includes("$result"));
  if (byName && MAY_EXIST.test(call.tool.description?.slice(0, 2000) ?? ""))
    return held("medium", `${said(call)} what may be there already, and ${name(remove.facts)} removes it altogether`);
  const holds = remove.facts.where.length === 0 && isContainer(catalog, remove.facts);
  const proposal = compensable(call, remove, found, holds ? `${removes}, with all that is in it by then` : removes);
  const also = byName && proposal.class === "compensable" ? " (not sure: whether it was there before)" : "";
  return proposal.confidence === "high" && (byName || holds)
    ? { ...proposal, confidence: "medium", reason: proposal.reason + also }
    : proposal;
}
const MAY_EXIST =
  /\b(nothing|no-op|skip\w*|ignor\w*|return\w*|reus\w*|overwrit\w*|replac\w*|updat\w*|idempotent)\b[^.]{0,60}\b(already )?exists?\b|\balready exists?\b[^.]{0,60}\b(nothing|no-op|skip\w*|ignor\w*|return\w*|reus\w*|overwrit\w*|replac\w*|updat\w*)\b|\bif (it|one|they|none) (does not|doesn't|do not|don't) (already |yet )?exist\b/i;

/** A sub-issue is removed from an issue, and no issue is made by that; what is made needn't be pending, either. */
function isAnotherKind({ thing, verb }: ToolFacts, call: ToolFacts): boolean {
  const theirs = bareThing(thing);
  const more = theirs.slice(0, theirs.length - bareThing(call.thing).length);
  const said = (word: string) => call.where.includes(word) || call.inputs.some(({ key }) => key.split(" ").includes(word));
  return more.some((word) => !said(word) && (KINDS.has(word) || (verb === "remove" && CREATES.has(call.verb ?? ""))));
}
const KINDS: ReadonlySet<string> = new Set(["sub", "child", "pending", "draft", "temporary"]);

const CREATES: ReadonlySet<string> = new Set("create make new register insert allocate provision generate".split(" "));
const DELETES: ReadonlySet<string> = new Set(["delete", "destroy", "drop", "erase"]);

/** What is added to something by an id that the call has isn't made by it: who deletes it deletes what there was. */
function wasThere(target: ToolFacts, call: ToolFacts, { args }: Arguments): boolean {
  if (CREATES.has(call.verb ?? "") || !DELETES.has(target.verb ?? "")) return false;
  const needed = target.inputs.filter(({ required }) => required);
  return needed.length > 0 && needed.every(({ key, name }) => /(^| )id$/.test(key) && String(args[name] ?? "").startsWith("$."));
}

/** Where nothing removes it, it can at least be put away. */
function proposeClosing(catalog: Catalog, call: ToolFacts): Proposal | undefined {
  const closing = findCounterpart(catalog, call, ["switch", "final"], ({ verb }) => verb === "archive" || verb === "close");
  if (closing === undefined) return undefined;
  const target = { ...closing, certain: false };
  const found = offsettingArguments(closing.facts, call);
  return withObservation(catalog, target, compensable(call, target, found, `${name(closing.facts)} puts away what it adds`));
}

/** `run_pod` makes a pod where another tool removes pods; what a job or a command has done stays. */
function proposeLaunch(catalog: Catalog, call: ToolFacts): Proposal | undefined {
  const thing = call.thing.at(-1);
  if ((call.verb !== "run" && call.verb !== "launch") || thing === undefined || ACTIVITIES.has(thing)) return undefined;
  const remove = findCounterpart(catalog, call, ["remove"]);
  if (remove === undefined || !remove.certain) return undefined;
  const args = offsettingArguments(remove.facts, call);
  const found = withObservation(catalog, remove, compensable(call, remove, args, `${name(remove.facts)} removes what it starts`));
  return found.confidence === "high" ? { ...found, confidence: "medium" } : found;
}

const TRASH_INPUTS = new Set(["archived", "archive", "in trash", "trashed", "trash", "deleted", "is deleted", "is archived"]);

/** A tool that changes the same thing and has an input by which it goes to the trash, and comes back. */
function findTrash(catalog: Catalog, call: ToolFacts): (FoundTool & { readonly input: string }) | undefined {
  const found = findCounterpart(catalog, call, ["change"]);
  const input = found?.facts.inputs.find(({ key, type }) => TRASH_INPUTS.has(key) && type === "boolean");
  return found === undefined || input === undefined ? undefined : { ...found, input: input.name };
}

function proposeRemoval(catalog: Catalog, call: ToolFacts): Proposal {
  if (call.words.includes("all")) return held("high", `${said(call)} all of them at once`);
  const opposite = proposeOpposite(catalog, call);
  if (opposite !== undefined && opposite.unresolved.length === 0) return opposite;
  const trash = call.where.length === 0 ? findTrash(catalog, call) : undefined;
  if (trash !== undefined) {
    const found = offsettingArguments(trash.facts, call, { [trash.input]: false });
    return compensable(call, { ...trash, certain: false }, found, `${name(trash.facts)} takes it out of the trash again`);
  }
  if (call.where.length === 0 && isContainer(catalog, call))
    return held("medium", `${said(call)} something that may hold other things, which go with it`);
  const add = findCounterpart(catalog, call, call.verb === "remove" ? ["add", "put", "change"] : ["put", "add", "change"], (facts) =>
    isMaker(facts, call),
  );
  if (add === undefined) return held("medium", `${said(call)}, and no tool makes it again`);
  const back = offsettingArguments(add.facts, call);
  if (back.unresolved.length === 0 && back.grounded && call.verb === "remove" && isRelation(add.facts, call))
    return compensable(call, add, back, `${name(add.facts)} adds it again from the same arguments`);
  const read = findRead(catalog, call);
  if (read === undefined) return held("medium", `${said(call)}, and no read shows it before with what the call has`);
  if (add.facts.deed !== "add") return reversible(call, read, add);
  const made = restoringArguments(add.facts, call, read);
  const again = compensable(
    call,
    add,
    made,
    `${name(read.reader)} shows it before, and ${name(add.facts)} makes it again, as a new one`,
    read,
  );
  return again.confidence === "high" ? { ...again, confidence: "medium" } : again;
}

/** A copy or an upload needs what is gone, as does a change, where it isn't simply set; and it has to be made where it was. */
function isMaker(facts: ToolFacts, call: ToolFacts): boolean {
  const { verb = "", deed, thing } = facts;
  // A step of a recipe isn't made by what makes a step of anything.
  if (bareThing(thing).length < bareThing(call.thing).length) return false;
  if (COPYING.has(verb) || BRINGING.has(verb) || STARTED.has(thing.at(-1) ?? "") || (deed === "change" && verb !== "set")) return false;
  const ids = call.inputs.filter((input) => input.required && isIdentity(input) && input.key.endsWith(" id"));
  const elsewhere = ids.filter((place) => !namesThing(place, call) && sameInput(place, call, facts) === undefined);
  // One of them may be its own, whatever it is called.
  return elsewhere.length === 0 || (elsewhere.length === 1 && !ids.some((id) => namesThing(id, call)));
}
const BRINGING: ReadonlySet<string> = new Set(["upload", "import"]);

/** What other things are put into, by its name or by what other tools need: with it they would go. */
function isContainer({ all, byDeed }: Catalog, call: ToolFacts): boolean {
  const thing = bareThing(call.thing).join(" ");
  if (CONTAINERS.has(call.thing.at(-1) ?? "")) return true;
  if (TAKES_ALONG.test(call.tool.description?.slice(0, 1000) ?? "")) return true;
  const replies = (byDeed.get("final") ?? []).filter(({ verb }) => verb === "reply");
  const adds = [...(byDeed.get("add") ?? []), ...(byDeed.get("put") ?? []), ...replies];
  const names = [`${thing} id`];
  // What is needed alone says which one it is, whatever it is called; unless it is the name of another thing.
  const [only, ...others] = call.inputs.filter(({ required }) => required);
  const stem = only?.key.replace(/ id$/, "") ?? "";
  const own = only?.key === call.thing.join(" ") || (stem !== only?.key && !all.some((facts) => facts.thing.join(" ") === stem));
  if (only !== undefined && others.length === 0 && own) names.push(only.key);
  return adds
    .filter((add) => bareThing(add.thing).join(" ") !== thing)
    .some((add) => add.where.join(" ") === thing || add.inputs.some(({ key, required }) => required && names.includes(key)));
}

/** A description that says so says that other things go, too. */
const TAKES_ALONG = /\b(and|with|including) (all|any) (of )?(its|their|associated|contained|related)\b|\bdeletes? all\b|\bcascad/i;

/** All that is needed to add it again is in the call: nothing of it is lost. */
function isRelation(add: ToolFacts, call: ToolFacts): boolean {
  // Between two things there is little more than that it is there.
  const between = call.where.length > 0 && call.where.join(" ") === add.where.join(" ");
  return add.inputs.every(
    (input) =>
      input.type === "boolean" ||
      input.choices.length === 1 ||
      sameInput(input, add, call)?.required === true ||
      (between && !input.required),
  );
}

function proposeOpposite(catalog: Catalog, call: ToolFacts): Proposal | undefined {
  const opposite = findOpposite(catalog, call);
  if (opposite === undefined) return undefined;
  if (call.thing.some((word) => ACTIVITIES.has(word)) && /^(start|stop|resume|pause|cancel)$/.test(call.verb ?? ""))
    return held("medium", `${said(call)} something that goes on by itself: what it does meanwhile stays`);
  const found = offsettingArguments(opposite.facts, call);
  // What is told nothing may not end the one that this call began.
  const told = opposite.facts.inputs.length > 0 || !call.inputs.some(({ required }) => required);
  const target = { ...opposite, certain: opposite.certain && told };
  const opposed = compensable(call, target, found, `${name(opposite.facts)} says the opposite`);
  const isMade = call.deed === "add" && !isLink(call, opposite.facts);
  const offset = isMade ? withObservation(catalog, opposite, opposed) : opposed;
  // What was started may have done something before it is stopped, and what is merged or booked has been seen by others.
  return (/^(start|stop|begin|end)$/.test(call.verb ?? "") || call.deed === "final" || opposite.facts.deed === "final") &&
    offset.confidence === "high"
    ? { ...offset, confidence: "medium" }
    : offset;
}
