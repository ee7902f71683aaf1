// May this request come in at all? Looked at before a byte of its body is read: path, Host and Origin (a web page must not reach us
// through a name of its own: DNS rebinding), method, token. Never says which part of a token was wrong.

import type { HttpParts } from "./http-parts.ts";
import { tokenReader } from "./tokens.ts";

/** The one path that is served. */
export const ENDPOINT = "/mcp";

/** Why a request was refused, as the log names it. */
export type RefusalReason = "path" | "host" | "origin" | "method" | "token" | "stopping";

export type Entrance =
  | {
      readonly kind: "refused";
      readonly status: number;
      readonly reason: RefusalReason;
      readonly message: string;
      readonly headers: HeaderRecord;
    }
  | { readonly kind: "preflight"; readonly headers: HeaderRecord }
  /** `cors` belongs on every answer. */
  | { readonly kind: "let-in"; readonly token: string; readonly cors: HeaderRecord };

export type HeaderRecord = Readonly<Record<string, string>>;

/** Makes the check for one server. */
export function requestChecker(
  parts: Pick<HttpParts, "hostname" | "tokens" | "allowedHosts" | "allowedOrigins">,
): (request: Request) => Entrance {
  const nameOf = tokenReader(parts.tokens);
  const isLocal = isLoopback(parts.hostname);
  const hosts = new Set(parts.allowedHosts.map((host) => host.toLowerCase()));
  const origins = new Set(parts.allowedOrigins.map((origin) => origin.toLowerCase()));
  const hostPasses = (host: string | null) => {
    const name = hostName(host ?? "");
    if (name === undefined) return false;
    return hosts.has(name) || hosts.has((host ?? "").toLowerCase()) || (isLocal ? isLoopback(name) : hosts.size === 0);
  };
  const originPasses = (origin: string) => origins.has(origin.toLowerCase()) || (isLocal && isLoopbackOrigin(origin));

  return (request) => {
    const origin = request.headers.get("origin");
    const refused = (status: number, reason: RefusalReason, message: string, headers: HeaderRecord = {}): Entrance => {
      return { kind: "refused", status, reason, message, headers };
    };
    if (!hostPasses(request.headers.get("host"))) return refused(403, "host", "this host name isn't served here (--allow-host)");
    if (origin !== null && !originPasses(origin)) return refused(403, "origin", "this origin isn't allowed (--allow-origin)");
    const cors = origin === null ? {} : corsHeaders(origin);
    if (URL.parse(request.url)?.pathname !== ENDPOINT)
      return refused(404, "path", `there is nothing here; the endpoint is ${ENDPOINT}`, cors);
    if (request.method === "OPTIONS" && origin !== null) return { kind: "preflight", headers: { ...cors, ...preflightHeaders(request) } };
    if (!["POST", "GET", "DELETE"].includes(request.method))
      return refused(405, "method", `${request.method} isn't served`, { ...cors, allow: "POST, GET, DELETE" });
    const token = nameOf(request.headers.get("authorization"));
    if (token === undefined) {
      const message = request.headers.has("authorization") ? "this token isn't known" : "a token is needed: Authorization: Bearer TOKEN";
      return refused(401, "token", message, { ...cors, "www-authenticate": 'Bearer realm="synartesis"' });
    }
    return { kind: "let-in", token, cors };
  };
}

/** Tells whether a host name or address means this machine only. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, "").toLowerCase();
  return name === "localhost" || name === "::1" || /^127(\.\d{1,3}){3}$/.test(name);
}

/** Gives the name in a Host header, without the port and in lower case; undefined for what is none. */
function hostName(host: string): string | undefined {
  return /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i.exec(host)?.[1]?.toLowerCase();
}

function isLoopbackOrigin(origin: string): boolean {
  const host = /^https?:\/\/([^/@?#]+)$/i.exec(origin)?.[1];
  const name = host === undefined ? undefined : hostName(host);
  return name !== undefined && isLoopback(name);
}

function corsHeaders(origin: string): HeaderRecord {
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "mcp-session-id, www-authenticate, retry-after",
    vary: "origin",
  };
}

function preflightHeaders(request: Request): HeaderRecord {
  const asked = request.headers.get("access-control-request-headers") ?? "";
  return {
    "access-control-allow-methods": "POST, GET, DELETE",
    // The origin was let in, so any header may come (Mcp-Param-* have names of their own); what is no list of names isn't echoed.
    ...(/^[\w ,-]{1,1000}$/.test(asked) ? { "access-control-allow-headers": asked } : {}),
    "access-control-max-age": "600",
  };
}
