// How is a call shown that is too long to be read? Every member by name, from its beginning, and exactly how much isn't shown: a long text
// never pushes a recipient out of sight. Pure.
import { isJsonObject, type Json } from "../../core/json.ts";
import { moreText } from "./counts.ts";

/** So many characters of a call's arguments are shown to the person who answers it. */
export const SHOWN_AT_MOST = 20_000;

/** Below this a value isn't looked into any more, and is cut as text. */
const DEEPEST = 8;
/** What a member needs at least, in characters; where there are too many for that, the first ones are shown. */
const LEAST = 40;

/** A value as indented JSON, and how many characters of that aren't shown; the places where they are missing say so. */
export interface Abridged {
  readonly text: string;
  readonly left: number;
}

/** Prints a value within about `room` characters, more only for what is said about the rest. */
export function abridge(value: Json, room = SHOWN_AT_MOST): Abridged {
  return print(value, room, "", 0);
}

/** Cuts a text after `room` characters and says how many more there are. */
export function abridgeText(text: string, room = SHOWN_AT_MOST): string {
  return text.length <= room ? text : `${text.slice(0, room)} ${moreText(text.length - room, "character")}`;
}

function print(value: Json, room: number, indent: string, depth: number): Abridged {
  const whole = JSON.stringify(value, null, 2);
  if (whole.length <= room) return { text: whole.replaceAll("\n", `\n${indent}`), left: 0 };
  if (typeof value === "string") return cutString(value, room);
  const list = Array.isArray(value);
  if (depth >= DEEPEST || !(list || isJsonObject(value)))
    return { text: abridgeText(JSON.stringify(value), room), left: whole.length - room };
  const members = list
    ? value.map((item: Json) => ["", item] as const)
    : Object.entries(value).map(([key, item]) => named(key, item, room));
  return printMembers(members, list ? "[]" : "{}", { room, indent, depth });
}

/** A name may be long, too. */
function named(key: string, item: Json, room: number): readonly [string, Json] {
  return [`${cutString(key, Math.max(LEAST, Math.floor(room / 10))).text}: `, item];
}

function printMembers(
  members: readonly (readonly [string, Json])[],
  brackets: string,
  { room, indent, depth }: { room: number; indent: string; depth: number },
): Abridged {
  const inner = `${indent}  `;
  const shown = members.slice(0, Math.max(1, Math.floor(room / LEAST)));
  const sizes = shown.map(([, item]) => JSON.stringify(item, null, 2).length);
  const names = shown.reduce((sum, [name]) => sum + name.length + inner.length + 2, 0);
  const rooms = shares(sizes, Math.max(room - names, shown.length));
  const printed = shown.map(([name, item], at) => ({ name, ...print(item, rooms[at] ?? 0, inner, depth + 1) }));
  const lines = printed.map(({ name, text }) => `${inner}${name}${text}`);
  const hidden = members.slice(shown.length);
  if (hidden.length > 0) lines.push(`${inner}${moreText(hidden.length, "member")}`);
  const cut = printed.reduce((sum, member) => sum + member.left, 0);
  const left = hidden.reduce((sum, [name, item]) => sum + name.length + JSON.stringify(item, null, 2).length, cut);
  return { text: `${brackets[0]}\n${lines.join(",\n")}\n${indent}${brackets[1]}`, left };
}

/** Shares out `room`: what is small gets all that it needs, and the rest the same each. */
function shares(sizes: readonly number[], room: number): readonly number[] {
  const given = sizes.map(() => 0);
  let rest = room;
  const order = sizes.map((size, at) => ({ size, at })).sort((a, b) => a.size - b.size);
  for (const [done, { size, at }] of order.entries()) {
    const share = Math.min(size, Math.floor(rest / (order.length - done)));
    given[at] = share;
    rest -= share;
  }
  return given;
}

function cutString(text: string, room: number): Abridged {
  const left = text.length - room;
  if (left <= 0) return { text: JSON.stringify(text), left: 0 };
  return { text: `${JSON.stringify(text.slice(0, room))} ${moreText(left, "character")}`, left };
}
