// What belongs to a server that is drilled? The companions of its rules, and their folders, as their commands name them: only those can be compared byte by
// byte. A companion that another server's rules use too belongs to that one as well.
import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { rulesWithin } from "../core/cases.ts";
import { matchesServer } from "../core/match-rule.ts";
import { callsOf, type Policy } from "../core/policy.ts";
import { isOwnCompanion } from "../manifest/expand-source.ts";
import type { DirectCommand } from "./session.ts";

/** Lists them, each once, real paths. */
export function companionFolders(
  policy: Policy,
  server: string,
  commandOf: (server: string) => DirectCommand | undefined,
): readonly string[] {
  const folders = [...usedBy(policy, server)].flatMap((name) => {
    const command = commandOf(name);
    if (command === undefined) return [];
    return rootsIn(command.args).map((root) => resolve(command.cwd, root));
  });
  return [...new Set(folders.filter((folder) => existsSync(folder)).map((folder) => realpathSync(folder)))];
}

/** Tells whether the data of a server may be lost: it is marked `scratch`, or a companion of ours that only the rules of such servers use. */
export function mayChange(policy: Policy, name: string): boolean {
  const server = policy.servers.find((each) => each.name === name);
  if (server === undefined || server.scratch === true) return server !== undefined;
  if (server.hidden !== true || server.source.kind !== "command" || !isOwnCompanion(server.source)) return false;
  const users = policy.servers.filter((each) => each !== server && usedBy(policy, each.name).has(name));
  return users.length > 0 && users.every(({ scratch }) => scratch === true);
}

/** The servers that the rules of a server read or put back through. */
function usedBy(policy: Policy, server: string): ReadonlySet<string> {
  const rules = policy.rules.filter(({ match }) => matchesServer(match, server)).flatMap(rulesWithin);
  return new Set(rules.flatMap((rule) => callsOf(rule).map(([, call]) => call.server)));
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
