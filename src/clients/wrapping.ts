// Which command line puts the proxy in front of a server, and which one is behind it? The words only: knows no files.
import { basename } from "node:path";
import { RUNTIME_VARIABLES } from "../upstream/environment.ts";

/** Our words before a server's own. */
export interface Wrapping {
  /** What starts this program. */
  readonly program: readonly string[];
  /** The server's name in the manifest. */
  readonly server: string;
  /** Absolute where `connect` wrote it. */
  readonly manifest: string | undefined;
}

/** Variables that the wrapped entry empties: they would let somebody change what our executable does. */
export const CLEARED_VARIABLES = RUNTIME_VARIABLES;

/** Writes the words that start the proxy of one server; `inner` is the server's own command, undefined where the manifest has its address. */
export function wrap({ program, server, manifest }: Wrapping, inner: readonly string[] | undefined): readonly string[] {
  const options = ["--server", server, ...(manifest === undefined ? [] : ["--manifest", manifest])];
  return [...program, "proxy", ...options, ...(inner === undefined ? [] : ["--", ...inner])];
}

/** Takes a command line apart: our wrapping, if it is one, and the command behind it (undefined where the proxy takes it from the manifest). */
export function unwrap(
  words: readonly string[],
): { readonly wrapping: Wrapping; readonly inner: readonly string[] | undefined } | undefined {
  const at = words.findIndex((word, index) => word === "proxy" && isOurs(words[index - 1]));
  if (at < 0) return undefined;
  const end = words.indexOf("--", at);
  const ours = words.slice(at + 1, end < 0 ? undefined : end);
  const server = optionOf(ours, "--server");
  if (server === undefined && end >= 0) return undefined;
  return {
    wrapping: { program: words.slice(0, at), server: server ?? "", manifest: optionOf(ours, "--manifest") },
    inner: end < 0 ? undefined : words.slice(end + 1),
  };
}

/** Our executable by its name, or this program's source that a checkout runs. */
function isOurs(word: string | undefined): boolean {
  return word !== undefined && (/^synartesis([-.].*)?$/.test(basename(word)) || word.endsWith("/src/main.ts"));
}

function optionOf(words: readonly string[], name: string): string | undefined {
  const at = words.indexOf(name);
  const joined = words.find((word) => word.startsWith(`${name}=`));
  return at >= 0 ? words[at + 1] : joined?.slice(name.length + 1);
}
