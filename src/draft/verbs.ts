// What does a word in a tool's name say that the tool does, and which word says the opposite? Plain English, nothing of any one server.
// Where a word has two meanings, the one that is harder to undo stands here.

/**
 * What a tool does by its name. `put` creates or overwrites; `switch` has an opposite, which the name gives; `final`: nothing takes it back;
 * `run`: what it does is decided by what it is given.
 */
export type Deed = "read" | "add" | "change" | "put" | "remove" | "move" | "switch" | "toggle" | "final" | "run";

const WORDS: Readonly<Record<Deed, string>> = {
  read:
    "get list search read describe find count retrieve fetch query show view lookup inspect explain summarize validate compare " +
    "diff peek tail head whoami calculate compute estimate parse is has",
  add: "create add insert make new register upload append duplicate copy clone fork post generate import restore undelete allocate provision",
  change: "update edit set patch modify change configure replace adjust reorder reprioritize scale resize reschedule overwrite",
  put: "write put upsert store",
  remove: "delete remove destroy drop erase unset discard trash",
  move: "move rename",
  switch: "",
  toggle: "toggle",
  final:
    "send reply forward notify email publish submit merge push deploy commit release approve reject pay charge refund buy purchase order book " +
    "transfer cancel complete finish close clear purge wipe truncate reset revert rollback kill terminate sync save click type press drag " +
    "navigate request accept decline dismiss mark migrate apply abort confirm download tweet share reboot restart refresh retry rerun force rotate login logout fill convert",
  run: "run play execute exec eval evaluate invoke call trigger launch interact script perform dispatch",
};

/** Pairs of opposites; each takes the other back. */
const OPPOSITES =
  "enable/disable start/stop lock/unlock attach/detach link/unlink assign/unassign subscribe/unsubscribe activate/deactivate grant/revoke " +
  "archive/unarchive archive/restore open/close close/reopen join/leave mount/unmount install/uninstall pause/resume suspend/resume " +
  "connect/disconnect hide/unhide hide/show freeze/unfreeze schedule/cancel reserve/release associate/disassociate associate/dissociate " +
  "publish/unpublish deploy/undeploy block/unblock like/unlike check/uncheck tag/untag mute/unmute pin/unpin follow/unfollow star/unstar " +
  "watch/unwatch vote/unvote invite/uninvite ban/unban flag/unflag load/unload resolve/unresolve resolve/reopen increment/decrement mark/unmark select/deselect " +
  "bookmark/unbookmark favorite/unfavorite stage/unstage register/unregister register/deregister approve/unapprove bind/unbind cordon/uncordon " +
  "start/end begin/end set/unset merge/unmerge book/cancel assign/remove attach/remove grant/remove link/remove connect/detach";

const DEEDS = new Map<string, Deed>();
for (const [deed, words] of Object.entries(WORDS)) for (const word of words.split(" ")) if (word !== "") DEEDS.set(word, deed as Deed); // the keys are those of the record above
const OPPOSITE = new Map<string, readonly string[]>();
for (const [one = "", other = ""] of OPPOSITES.split(" ").map((pair) => pair.split("/"))) {
  OPPOSITE.set(one, [...(OPPOSITE.get(one) ?? []), other]);
  OPPOSITE.set(other, [...(OPPOSITE.get(other) ?? []), one]);
}
for (const word of OPPOSITE.keys()) if (!DEEDS.has(word)) DEEDS.set(word, "switch");

/** What a word says where a verb stands; undefined for any other word. */
export function deedOf(word: string): Deed | undefined {
  return DEEDS.get(word);
}

/** The words that say the opposite of this one, the likeliest first; of a word that isn't known the one that a syllable makes of it. */
export function oppositesOf(word: string): readonly string[] {
  return (
    OPPOSITE.get(word) ??
    REVERSING.flatMap((syllable) => [syllable + word, ...(word.startsWith(syllable) ? [word.slice(syllable.length)] : [])])
  );
}
const REVERSING = ["un", "dis", "de"];

/** Words between a verb and its thing, or before a verb, that say nothing of either. */
export const FILLERS: ReadonlySet<string> = new Set(
  "a an the all multiple many bulk batch single one new existing current force safely".split(" "),
);
/** What stands behind one of these says where or how, not what. */
export const PREPOSITIONS: ReadonlySet<string> = new Set("in to from of for on with by into at via as using".split(" "));
/** What a read shows of a thing, rather than a thing. */
export const VIEW_WORDS: ReadonlySet<string> = new Set(
  "content contents text detail details info information data metadata value state full properties property settings".split(" "),
);
/** A read that ends so shows how a thing is made up, and that is what a change of it changes. */
export const MAKEUP_WORDS: ReadonlySet<string> = new Set(["schema", "definition", "configuration", "config", "structure"]);
/** What holds other things: with it they go, and no call brings them back. */
export const CONTAINERS: ReadonlySet<string> = new Set(
  (
    "project team workspace repository repo database table index bucket folder directory namespace schema collection organization org account " +
    "site drive notebook section cluster instance stack environment catalog dataset group channel server volume container image user deployment app mailbox board space library vault calendar spreadsheet presentation"
  ).split(" "),
);
/** What begins to work as soon as it is made: removing it doesn't take back what it did, and making it again does it again. */
export const STARTED: ReadonlySet<string> = new Set("run build job pipeline execution".split(" "));
/** What goes on by itself once it is started: stopping it doesn't take back what it did. */
export const ACTIVITIES: ReadonlySet<string> = new Set(
  "process command run job workflow pipeline build task session server execution script deployment recording trace".split(" "),
);
