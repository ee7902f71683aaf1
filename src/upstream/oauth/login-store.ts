// Where are the tokens of a login kept? In the system's keychain, else in a file that only its owner can read. Never in the journal, the
// manifest or a log.
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject, type Json, type JsonObject, parseJson } from "../../core/json.ts";

export interface LoginPlace {
  /** Absolute; made when the first login is kept there. */
  readonly folder: string;
  readonly useKeychain: boolean;
}

/** Whose login it is: one for each name and address, so that two entries with one address can be two accounts. */
export interface LoginKey {
  readonly name: string;
  /** The server's address, as `URL` prints it. */
  readonly url: string;
}

/** All that is needed to use and renew a login. Its members are what the authorization server gave, unchanged. */
export interface StoredTokens {
  /** The authorization server's address. */
  readonly issuer: string;
  /** Its metadata (RFC 8414); null where it has none. */
  readonly metadata: JsonObject | null;
  /** Who we are to it: client_id and, if it gave one, client_secret. */
  readonly client: JsonObject;
  /** What the tokens are for (RFC 8707). */
  readonly resource: string;
  /** Its token response: access_token, refresh_token. */
  readonly tokens: JsonObject;
}

const SERVICE = "synartesis";

/** Reads a login; undefined where there is none that can be read. */
export async function readLogin(place: LoginPlace, key: LoginKey): Promise<StoredTokens | undefined> {
  const kept = (await fromKeychain(place, key)) ?? (await readFile(fileOf(place, key), "utf8").catch(() => undefined)); // no such file: no login
  return kept === undefined ? undefined : tokensFrom(kept);
}

/** Keeps a login; tells where. */
export async function keepLogin(place: LoginPlace, key: LoginKey, login: StoredTokens): Promise<"keychain" | "file"> {
  const text = JSON.stringify(login);
  if (place.useKeychain && (await keptInKeychain(key, text))) {
    await rm(fileOf(place, key), { force: true });
    return "keychain";
  }
  await mkdir(place.folder, { recursive: true, mode: 0o700 });
  const half = join(place.folder, `.${crypto.randomUUID()}`);
  try {
    await writeFile(half, text, { mode: 0o600, flag: "wx" });
    await rename(half, fileOf(place, key));
  } finally {
    await rm(half, { force: true });
  }
  return "file";
}

/** Forgets a login; tells whether there was one. */
export async function forgetLogin(place: LoginPlace, key: LoginKey): Promise<boolean> {
  const was = await readLogin(place, key);
  if (place.useKeychain) await Bun.secrets.delete({ service: SERVICE, name: nameOf(key) }).catch(() => false); // no keychain: nothing in it
  await rm(fileOf(place, key), { force: true });
  return was !== undefined;
}

function nameOf({ name, url }: LoginKey): string {
  return `${name} ${url}`;
}

function fileOf({ folder }: LoginPlace, key: LoginKey): string {
  return join(folder, `${key.name}-${new Bun.CryptoHasher("sha256").update(nameOf(key)).digest("hex").slice(0, 16)}.json`);
}

async function fromKeychain(place: LoginPlace, key: LoginKey): Promise<string | undefined> {
  if (!place.useKeychain) return undefined;
  return (await Bun.secrets.get({ service: SERVICE, name: nameOf(key) }).catch(() => null)) ?? undefined; // no keychain: a file, then
}

/** False where there is no keychain, it is locked, or it takes no text of this size. */
async function keptInKeychain(key: LoginKey, value: string): Promise<boolean> {
  return Bun.secrets.set({ service: SERVICE, name: nameOf(key), value }).then(
    () => true,
    () => false,
  );
}

function tokensFrom(text: string): StoredTokens | undefined {
  const value = jsonOf(text);
  if (!isJsonObject(value)) return undefined;
  const { issuer, metadata, client, resource, tokens } = value;
  if (typeof issuer !== "string" || typeof resource !== "string" || !isJsonObject(client) || !isJsonObject(tokens)) return undefined;
  return typeof tokens["access_token"] === "string"
    ? { issuer, metadata: isJsonObject(metadata) ? metadata : null, client, resource, tokens }
    : undefined;
}

function jsonOf(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    return null; // a damaged file is no login: somebody has to log in again
  }
}
