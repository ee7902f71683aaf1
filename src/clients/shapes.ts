// What does a client's entry for a server say, and how does it say a command? One reader and one writer for the shapes of all clients.
// Never prints a value: entries hold secrets.
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import type { EntryShape } from "./registry.ts";
import { CLEARED_VARIABLES } from "./wrapping.ts";

/** How the client reaches a server. Texts as they stand in the file, variables included. */
export type EntryReach = EntryCommand | EntryUrl | { readonly kind: "none"; readonly reason: string };

export interface EntryCommand {
  readonly kind: "command";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  /** Variables of the client's own environment that it hands on, where it doesn't hand on all. */
  readonly passed: readonly string[];
  /** What else of it only the client can do, such as to read a file of variables. */
  readonly clientOnly: string | undefined;
}

export interface EntryUrl {
  readonly kind: "url";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Headers whose whole values stand in variables of the client's environment: header, variable, text before it. */
  readonly fromVariables: readonly { readonly header: string; readonly variable: string; readonly before: string }[];
  /** What else of it only the client can do, such as a login of its own. */
  readonly clientOnly: string | undefined;
}

/** One member of an entry to be set, or removed where `value` is undefined. Its path begins in the entry. */
export interface EntryChange {
  readonly path: readonly string[];
  readonly value: Json | undefined;
  /** The member behind which a new one is put. */
  readonly after?: string;
}

/** Where an entry keeps what; `inside` leads from the entry to the object that holds the members. */
interface Layout {
  readonly inside: readonly string[];
  readonly members: JsonObject;
  readonly command: string;
  readonly env: string;
  /** Command and arguments are one list. */
  readonly joined: boolean;
}

const URL_KEYS = ["httpUrl", "serverUrl", "url", "uri"];
const HEADER_KEYS = ["headers", "http_headers", "env_http_headers", "bearer_token_env_var"];
/** Ways to log in that a client has for an address: a command has none of them. */
const CLIENT_ONLY = ["headersHelper", "oauth", "auth", "authProviderType", "scopes", "oauth_resource"];

/** Reads an entry. */
export function readEntry(entry: Json, shape: EntryShape): EntryReach {
  if (!isJsonObject(entry)) return none("its entry is no object");
  const layout = layoutOf(entry, shape);
  const { members } = layout;
  const words = wordsIn(layout);
  if (words.kind === "odd") return none(words.reason);
  const url = URL_KEYS.map((key) => members[key]).find((value) => value !== undefined && value !== "");
  if (words.kind === "words" && url !== undefined) return none("it has a command and an address");
  if (words.kind === "words") return readCommand(layout, words.words);
  if (typeof url === "string") return readUrl(members, url);
  const type = members["type"] ?? members["source"];
  return none(typeof type === "string" ? `it is one of the client's own ("${type}")` : "it has no command and no address");
}

/** Tells whether the client is told not to start it. */
export function isDisabled(entry: Json): boolean {
  return isJsonObject(entry) && (entry["disabled"] === true || entry["enabled"] === false);
}

/** Says what to change so that an entry runs these words. `env` is added to its variables, those that are there stay. */
export function commandChanges(
  entry: JsonObject,
  shape: EntryShape,
  words: readonly string[],
  { env, passed }: { readonly env: Readonly<Record<string, string>>; readonly passed: readonly string[] },
): readonly EntryChange[] {
  const layout = layoutOf(entry, shape);
  const { inside, members } = layout;
  const set = (key: string, value: Json | undefined, after?: string): EntryChange => ({
    path: [...inside, key],
    value,
    ...(after !== undefined && { after }),
  });
  const isUrl = URL_KEYS.some((key) => members[key] !== undefined);
  const [command = "", ...args] = words;
  return [
    ...(layout.joined ? [set(layout.command, [...words])] : [set(layout.command, command), set("args", args, layout.command)]),
    ...envChanges(layout, { ...Object.fromEntries(CLEARED_VARIABLES.map((name) => [name, ""])), ...env }),
    ...(passed.length === 0 ? [] : [set("env_vars", [...passed])]),
    ...(isUrl && members["type"] !== undefined ? [set("type", shape === "opencode" ? "local" : "stdio")] : []),
    ...[...URL_KEYS, ...HEADER_KEYS].filter((key) => members[key] !== undefined).map((key) => set(key, undefined)),
  ];
}

/** Says what to change so that an entry runs its own words again, where nothing else is known of what stood there. */
export function unwrapChanges(entry: JsonObject, shape: EntryShape, words: readonly string[]): readonly EntryChange[] {
  const layout = layoutOf(entry, shape);
  const { inside, members } = layout;
  const [command = "", ...args] = words;
  const env = members[layout.env];
  const ours = isJsonObject(env) ? CLEARED_VARIABLES.filter((name) => env[name] === "") : [];
  const isOnlyOurs = isJsonObject(env) && ours.length > 0 && Object.keys(env).length === ours.length;
  const place = [...inside, layout.env];
  return [
    { path: [...inside, layout.command], value: layout.joined ? [...words] : command },
    ...(layout.joined ? [] : [{ path: [...inside, "args"], value: args }]),
    ...(isOnlyOurs ? [{ path: place, value: undefined }] : ours.map((name) => ({ path: [...place, name], value: undefined }))),
  ];
}

function envChanges({ inside, members, env, command, joined }: Layout, added: Readonly<Record<string, string>>): readonly EntryChange[] {
  const before = members[env];
  if (!isJsonObject(before)) return [{ path: [...inside, env], value: added, after: joined ? command : "args" }];
  const missing = Object.entries(added).filter(([name]) => !Object.hasOwn(before, name));
  return missing.map(([name, value]) => ({ path: [...inside, env, name], value }));
}

function layoutOf(entry: JsonObject, shape: EntryShape): Layout {
  const { transport, config, command } = entry;
  if (shape === "goose") {
    const nested = isJsonObject(config) ? { inside: ["config"], members: config } : { inside: [], members: entry };
    return { ...nested, command: "cmd", env: "envs", joined: false };
  }
  if (shape === "opencode") return { inside: [], members: entry, command: "command", env: "environment", joined: true };
  const usual = { command: "command", env: "env", joined: false };
  if (shape === "codex") return { inside: [], members: entry, ...usual };
  if (isJsonObject(transport)) return { inside: ["transport"], members: transport, ...usual };
  if (isJsonObject(command)) return { inside: ["command"], members: command, ...usual, command: "path" };
  return { inside: [], members: entry, ...usual };
}

type Words =
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "none" }
  | { readonly kind: "odd"; readonly reason: string };

function wordsIn({ members, command, joined }: Layout): Words {
  const told = members[command];
  if (told === undefined || told === null || told === "") return { kind: "none" };
  if (joined) {
    if (!isTexts(told) || told.length === 0) return { kind: "odd", reason: "its command is no list of texts" };
    return { kind: "words", words: told };
  }
  const args = members["args"] ?? [];
  if (typeof told !== "string") return { kind: "odd", reason: "its command is no text" };
  if (!isTexts(args)) return { kind: "odd", reason: "its args are no list of texts" };
  return { kind: "words", words: [told, ...args] };
}

function readCommand({ members, env: key }: Layout, [command = "", ...args]: readonly string[]): EntryReach {
  const env = members[key] ?? {};
  const passed = members["env_vars"] ?? [];
  if (!isRecordOfTexts(env)) return none("its variables are no texts");
  const cwd = members["cwd"];
  return {
    ...{ kind: "command", command, args, env },
    cwd: typeof cwd === "string" && cwd !== "" ? cwd : undefined,
    passed: isTexts(passed) ? passed : [],
    clientOnly: ["envFile", "env_keys"].find((key) => members[key] !== undefined && !isEmptyList(members[key])),
  };
}

function readUrl(members: JsonObject, url: string): EntryReach {
  const headers = members["headers"] ?? members["http_headers"] ?? {};
  const named = members["env_http_headers"] ?? {};
  const bearer = members["bearer_token_env_var"];
  if (!isRecordOfTexts(headers) || !isRecordOfTexts(named)) return none("its headers are no texts");
  return {
    ...{ kind: "url", url, headers },
    fromVariables: [
      ...Object.entries(named).map(([header, variable]) => ({ header, variable, before: "" })),
      ...(typeof bearer === "string" ? [{ header: "Authorization", variable: bearer, before: "Bearer " }] : []),
    ],
    clientOnly: CLIENT_ONLY.find((key) => members[key] !== undefined && members[key] !== false),
  };
}

function isEmptyList(value: Json | undefined): boolean {
  return Array.isArray(value) && value.length === 0;
}

function isTexts(value: Json): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function isRecordOfTexts(value: Json): value is Readonly<Record<string, string>> {
  return isJsonObject(value) && Object.values(value).every((each) => typeof each === "string");
}

function none(reason: string): EntryReach {
  return { kind: "none", reason };
}
