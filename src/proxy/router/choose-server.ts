// Which server is a request of the client's for? By the name, the address or the task id that it carries, or by the vendor of its
// method. Where nothing says it, the client is told so: a request is never sent to a server on a guess.
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import { isModernRequest } from "../../wire/era.ts";
import type { RequestMessage } from "../../wire/message.ts";
import { respell, valueAt } from "../../wire/respell.ts";
import type { Owners, ResourceOwners } from "./resource-owners.ts";
import type { RoutedServer } from "./routed-server.ts";

/** Where a request goes. `servers` has more than one where any of them may have the resource: they are asked in turn. */
export type Choice =
  | { readonly kind: "servers"; readonly servers: readonly RoutedServer[]; readonly message: RequestMessage }
  | { readonly kind: "none"; readonly code: number; readonly text: string };

const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const RESOURCE_METHODS = new Set(["resources/read", "resources/subscribe", "resources/unsubscribe"]);
const NAME = ["params", "name"];
const TASK = ["params", "taskId"];
const ADDRESS = ["params", "uri"];
/** What comes before the slash of the methods that name a tool or a prompt. */
const NAMING = new Set(["tools", "prompts"]);

/** Chooses, and writes the request as that server knows it: without its own name in front of names and task ids. */
export function chooseServer(message: RequestMessage, servers: readonly RoutedServer[], owners: ResourceOwners): Choice {
  const family = message.method.split("/", 1)[0] ?? "";
  if (message.method === "completion/complete") return byReference(message, servers, owners);
  if (RESOURCE_METHODS.has(message.method)) return byAddress(message, ADDRESS, servers, owners);
  const task = byPrefix(message, TASK, servers);
  if (family === "tasks") return task ?? refusal(INVALID_PARAMS, unknownWord("task", message, TASK, servers));
  const named = byPrefix(message, NAME, servers);
  if (named !== undefined) return named;
  if (NAMING.has(family)) return refusal(INVALID_PARAMS, unknownWord(family === "tools" ? "tool" : "prompt", message, NAME, servers));
  const address = valueAt(message.value, ADDRESS);
  if (typeof address === "string" && owners.ownersOf(address).kind === "one") return byAddress(message, ADDRESS, servers, owners);
  return task ?? byVendor(message, family, servers);
}

/** By a text at the path that begins with a server's name. */
function byPrefix(message: RequestMessage, path: readonly string[], servers: readonly RoutedServer[]): Choice | undefined {
  const text = valueAt(message.value, path);
  const server = typeof text === "string" ? servers.find(({ prefix }) => text.startsWith(prefix)) : undefined;
  if (server === undefined || typeof text !== "string") return undefined;
  return to(server, respell(message, path, text.slice(server.prefix.length)));
}

function byReference(message: RequestMessage, servers: readonly RoutedServer[], owners: ResourceOwners): Choice {
  const named = byPrefix(message, ["params", "ref", "name"], servers);
  if (named !== undefined) return named;
  const address = valueAt(message.value, ["params", "ref", "uri"]);
  if (typeof address !== "string") return refusal(INVALID_PARAMS, unknownWord("prompt", message, ["params", "ref", "name"], servers));
  const ofTemplate = owners.ownersOfTemplate(address);
  if (ofTemplate.kind === "unknown") return byAddress(message, ["params", "ref", "uri"], servers, owners);
  return byOwners(message, address, ofTemplate, servers);
}

function byAddress(message: RequestMessage, path: readonly string[], servers: readonly RoutedServer[], owners: ResourceOwners): Choice {
  const address = valueAt(message.value, path);
  if (typeof address !== "string") return refusal(INVALID_PARAMS, `${path.join(".")} must be the address of a resource`);
  // The state that a server asked to have back is that server's (2026-07-28, "Multi Round-Trip Requests").
  const asked = valueAt(message.value, ["params", "requestState"]) === undefined ? undefined : owners.lastOwnerOf(address);
  return byOwners(message, address, asked?.kind === "one" ? asked : owners.ownersOf(address), servers);
}

function byOwners(message: RequestMessage, address: string, owners: Owners, servers: readonly RoutedServer[]): Choice {
  if (owners.kind === "clash") return refusal(INVALID_PARAMS, clashText(address, owners.servers));
  const isModern = isModernRequest(message);
  const candidates = servers.filter((server) =>
    owners.kind === "one" ? server.name === owners.server : server.serves("resources", isModern),
  );
  if (candidates.length === 0) return refusal(METHOD_NOT_FOUND, "no server behind this entry has resources");
  return { kind: "servers", servers: candidates, message };
}

/** A vendor's own method goes to the one server that announced something of this vendor ("experimental", and "extensions" where there is such). */
function byVendor(message: RequestMessage, vendor: string, servers: readonly RoutedServer[]): Choice {
  const isModern = isModernRequest(message);
  const announced = servers.filter((server) => vendorsOf(server.announced(isModern)).includes(vendor));
  const [server, ...more] = announced;
  if (server !== undefined && more.length === 0) return to(server, message);
  const names = servers.map(({ name }) => name).join(", ");
  const why = `Method not found: nothing in this ${message.method} says which of the servers behind this entry it is for (${names})`;
  return refusal(METHOD_NOT_FOUND, `${why}. A server that needs it can have an entry of its own: synartesis proxy --server NAME`);
}

function vendorsOf(capabilities: JsonObject | undefined): readonly string[] {
  const announced = [capabilities?.["experimental"], capabilities?.["extensions"]].filter(isJsonObject);
  return announced.flatMap((names) => Object.keys(names)).flatMap((name) => (name.includes("/") ? [name.split("/", 1)[0] ?? ""] : []));
}

/** Says that a resource is offered by several servers, and what to do. */
export function clashText(address: string, servers: readonly string[]): string {
  const which = `the resource ${address} is offered by several servers (${servers.join(", ")}), so it can't be told which one is meant`;
  return `${which}. Give each of them an entry of its own: synartesis proxy --server NAME`;
}

function unknownWord(what: string, message: RequestMessage, path: readonly string[], servers: readonly RoutedServer[]): string {
  const word: Json | undefined = valueAt(message.value, path);
  const prefixes = servers.map(({ prefix }) => prefix).join(", ");
  if (typeof word !== "string") return `${path.join(".")} must name a ${what}`;
  return `Unknown ${what}: ${word} (here they begin with the name of their server: ${prefixes})`;
}

function to(server: RoutedServer, message: RequestMessage): Choice {
  return { kind: "servers", servers: [server], message };
}

function refusal(code: number, text: string): Choice {
  return { kind: "none", code, text };
}
