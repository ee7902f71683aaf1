// How is a reason told to an agent that came by servers which it never sees? Without their names: it would look for tools that it can't call.
import { rulesWithin } from "../core/cases.ts";
import { callsOf, checkReadsOf, type Policy } from "../core/policy.ts";

/** Takes the names of a policy's hidden servers, and of their tools, out of a text of ours. */
export function withoutHidden(text: string, policy: Policy): string {
  const hidden = policy.servers.flatMap((server) => (server.hidden ? [server.name] : []));
  if (hidden.length === 0) return text;
  const calls = policy.rules.flatMap(rulesWithin).flatMap((rule) => [...callsOf(rule), ...checkReadsOf(rule)]);
  const tools = new Set(calls.filter(([, { server }]) => hidden.includes(server)).map(([, { server, tool }]) => `${server}.${tool}`));
  const unnamed = [...tools].reduce((said, name) => said.replace(whole(name), "the policy's own look"), text);
  return hidden.reduce((said, name) => said.replace(whole(`the server ${name}`), "the policy's own server"), unnamed);
}

/** A name where it stands by itself, not as a part of a path or of a longer one. */
function whole(name: string): RegExp {
  return new RegExp(`(?<![\\w./-])${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\w/-]|\\.\\w)`, "g");
}
