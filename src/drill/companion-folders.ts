// Which folders do the companions of a server's rules have? As their commands name them. Only those can be compared byte by byte.
import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { rulesWithin } from "../core/cases.ts";
import { callsOf, matchesServer, type Policy } from "../core/policy.ts";
import type { DirectCommand } from "./session.ts";

/** Lists them, each once, real paths. */
export function companionFolders(
  policy: Policy,
  server: string,
  commandOf: (server: string) => DirectCommand | undefined,
): readonly string[] {
  const rules = policy.rules.filter(({ match }) => matchesServer(match, server)).flatMap(rulesWithin);
  const named = new Set(rules.flatMap((rule) => callsOf(rule).map(([, call]) => call.server)));
  const folders = [...named].flatMap((name) => {
    const command = commandOf(name);
    if (command === undefined) return [];
    return rootsIn(command.args).map((root) => resolve(command.cwd, root));
  });
  return [...new Set(folders.filter((folder) => existsSync(folder)).map((folder) => realpathSync(folder)))];
}

/** What stands behind `--root` and `--repo` of a companion. */
function rootsIn(args: readonly string[]): readonly string[] {
  const at = args.indexOf("companion");
  if (at === -1) return [];
  return args.slice(at).flatMap((word, index, words) => {
    const joined = /^--(?:root|repo)=(.+)$/.exec(word)?.[1];
    const next = /^--(?:root|repo)$/.test(word) ? words[index + 1] : undefined;
    return joined ?? next ?? [];
  });
}
