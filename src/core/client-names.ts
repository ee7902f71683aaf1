// Under which names does a client see the tools and prompts of several servers behind one entry? `server__name`. Pure; says what is
// wrong with a name, and never makes up another one.

const SEPARATOR = "__";
/** What the APIs behind common clients take as a tool's name (both figures are theirs, not of MCP, which allows more). */
const MOST_CHARACTERS = 64;
const TAKEN = /^[a-zA-Z0-9_-]+$/;

/** Gives what the names of a server's tools and prompts begin with. */
export function namePrefix(server: string): string {
  return `${server}${SEPARATOR}`;
}

/** Says why common clients don't take a tool's name, to be read after the name; undefined where they do. */
export function nameTrouble(name: string): string | undefined {
  if (!TAKEN.test(name)) return "has characters other than letters, digits, `_` and `-`";
  if (name.length > MOST_CHARACTERS) return `has ${name.length} characters, more than ${MOST_CHARACTERS}`;
  return undefined;
}

/** Finds two servers of which one's tools could be taken for the other's: `a` and `a_` both have names that begin with `a___`. */
export function confusableServers(servers: readonly string[]): readonly [string, string] | undefined {
  for (const one of servers)
    for (const other of servers) if (one !== other && namePrefix(other).startsWith(namePrefix(one))) return [one, other];
  return undefined;
}

/** Says in words what is wrong with two such servers. */
export function confusableText([one, other]: readonly [string, string]): string {
  const name = `${namePrefix(other)}x`;
  return `the servers "${one}" and "${other}" can't stand behind one entry: a tool named \`${name}\` could be either one's`;
}
