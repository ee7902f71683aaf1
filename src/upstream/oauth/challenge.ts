// Does a server want a login, and what does it say about it? Asked with a message that changes nothing, and no token.
import { buildRequest } from "../../wire/build.ts";
import { failureOf, redirectLoss, statusText } from "../http/failures.ts";
import { letGo } from "../http/http-client.ts";
import { patientFetch } from "./patient-fetch.ts";

/** What the server answers to somebody without a token (RFC 9728, section 5.1). */
export type Challenge =
  | { readonly kind: "wanted"; readonly metadataUrl: URL | undefined; readonly scope: string | undefined }
  | { readonly kind: "not-needed" }
  | { readonly kind: "failed"; readonly why: string };

const HELLO = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "synartesis", version: "1" } };

/** Asks the server. Never rejects. */
export async function challengeOf(url: URL, headers: Readonly<Record<string, string>>): Promise<Challenge> {
  const own = { ...headers, "content-type": "application/json", accept: "application/json, text/event-stream" };
  const { bytes } = buildRequest("1", "initialize", HELLO);
  let response: Response;
  try {
    response = await patientFetch(url, { method: "POST", headers: own, body: bytes, redirect: "manual" });
  } catch (error) {
    return { kind: "failed", why: failureOf(error, url).why };
  }
  letGo(response);
  if (response.status >= 300 && response.status < 400) return { kind: "failed", why: redirectLoss(response, url).why };
  if (response.status === 401) return readChallenge(response);
  if (!response.ok) return { kind: "failed", why: `it answers ${statusText(response)}, which asks for no login` };
  await endSession(url, headers, response);
  return { kind: "not-needed" };
}

async function readChallenge(response: Response): Promise<Challenge> {
  const { extractWWWAuthenticateParams } = await import("@modelcontextprotocol/sdk/client/auth.js");
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
  return { kind: "wanted", metadataUrl: resourceMetadataUrl, scope };
}

/** The question has begun a session that nobody wants. */
async function endSession(url: URL, headers: Readonly<Record<string, string>>, response: Response): Promise<void> {
  const session = response.headers.get("mcp-session-id");
  if (session === null) return;
  const ended = patientFetch(url, { method: "DELETE", headers: { ...headers, "mcp-session-id": session }, redirect: "manual" });
  await ended.then(letGo, () => undefined); // it ends by itself where it can't be told
}
