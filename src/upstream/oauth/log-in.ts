// How does a person log in to a server at a URL? OAuth 2.1 as MCP wants it ("Authorization"): what protects the server is asked of the server
// (RFC 9728, RFC 8414), we become known to it, and a person agrees in a browser (PKCE, RFC 8707). Nothing is kept before all of it went well.
import type { OAuthServerInfo } from "@modelcontextprotocol/sdk/client/auth.js";
import type { AuthorizationServerMetadata, OAuthClientInformationMixed } from "@modelcontextprotocol/sdk/shared/auth.js";
import type { JsonObject } from "../../core/json.ts";
import { openCallback } from "./callback.ts";
import { type Challenge, challengeOf } from "./challenge.ts";
import { keepLogin, type LoginKey, type LoginPlace } from "./login-store.ts";
import { patientFetch } from "./patient-fetch.ts";

export interface LoginRequest extends LoginKey {
  readonly place: LoginPlace;
  /** The manifest's headers, expanded. */
  readonly headers: Readonly<Record<string, string>>;
  /** What to ask for; what the server says it wants unless given. */
  readonly scope: string | undefined;
  /** Who we are, where the authorization server was told beforehand. */
  readonly client: { readonly id: string; readonly secret: string | undefined } | undefined;
  /** The https address of our client metadata document, where somebody has published one. */
  readonly clientMetadataUrl: string | undefined;
  /** The port of the callback; 0: any. */
  readonly port: number;
  readonly signal: AbortSignal;
  /** Shows a person where to agree. */
  onAddress(address: URL): void;
}

export type LoginEnd =
  | { readonly kind: "logged-in"; readonly kept: "keychain" | "file"; readonly issuer: string }
  /** The server answers without one. */
  | { readonly kind: "not-needed" }
  | { readonly kind: "failed"; readonly why: string };

/** Logs in. Resolves when a person has agreed or refused, or the signal is aborted. */
export async function logIn(request: LoginRequest): Promise<LoginEnd> {
  try {
    const challenge = await challengeOf(new URL(request.url), request.headers);
    if (challenge.kind !== "wanted") return challenge;
    return await agree(request, challenge);
  } catch (error) {
    // The SDK's helpers and the authorization server's refusals arrive as exceptions; all of them end the login, whatever they say.
    return failed(error instanceof Error ? error.message : String(error));
  }
}

async function agree(request: LoginRequest, challenge: Extract<Challenge, { kind: "wanted" }>): Promise<LoginEnd> {
  const { discoverOAuthServerInfo, startAuthorization, exchangeAuthorization } = await import("@modelcontextprotocol/sdk/client/auth.js");
  const found = await discoverOAuthServerInfo(request.url, {
    fetchFn: patientFetch,
    ...(challenge.metadataUrl === undefined ? {} : { resourceMetadataUrl: challenge.metadataUrl }),
  });
  const resource = await resourceOf(request, found);
  const { authorizationServerUrl: issuer, authorizationServerMetadata: metadata } = found;
  if (metadata === undefined && found.resourceMetadata === undefined)
    return failed("it says neither who gives out its tokens (RFC 9728), nor does its own origin (RFC 8414)");
  const scope = request.scope ?? challenge.scope ?? found.resourceMetadata?.scopes_supported?.join(" ");
  const state = crypto.randomUUID();
  await using callback = openCallback(state, request.port);
  const client = await clientFor(request, found, callback.redirectUrl, scope);
  const withMetadata = metadata === undefined ? {} : { metadata };
  const { authorizationUrl, codeVerifier } = await startAuthorization(issuer, {
    ...withMetadata,
    clientInformation: client,
    redirectUrl: callback.redirectUrl,
    state,
    resource,
    ...(scope === undefined ? {} : { scope }),
  });
  if (!isSafe(authorizationUrl)) return failed(`its authorization server asks to open ${authorizationUrl.origin}, which is not https`);
  request.onAddress(authorizationUrl);
  const answer = await Promise.race([callback.answer, aborted(request.signal)]);
  if (answer === "aborted") return failed("nobody has agreed to it in time");
  if (answer.kind === "refused") return failed(`the authorization server refused: ${answer.description ?? answer.error}`);
  if (!isIssuer(answer.issuer, metadata)) return failed("the answer came from another authorization server than was asked (RFC 9207)");
  const tokens = await exchangeAuthorization(issuer, {
    ...withMetadata,
    clientInformation: client,
    authorizationCode: answer.code,
    codeVerifier,
    redirectUri: callback.redirectUrl,
    resource,
    fetchFn: patientFetch,
  });
  const kept = { issuer, metadata: plain(metadata ?? null), client: plain(client) ?? {}, resource, tokens: plain(tokens) ?? {} };
  return { kind: "logged-in", kept: await keepLogin(request.place, request, kept), issuer };
}

/** What the tokens are to be for: as the server names itself, which has to be this server; else its address. */
async function resourceOf(request: LoginRequest, found: OAuthServerInfo): Promise<string> {
  const { selectResourceURL } = await import("@modelcontextprotocol/sdk/client/auth.js");
  // Of the provider it only asks for a check of one's own, and we have none.
  await selectResourceURL(request.url, {} as Parameters<typeof selectResourceURL>[1], found.resourceMetadata);
  return found.resourceMetadata?.resource ?? request.url;
}

/** Told beforehand, by a document at an address, or by registering now (RFC 7591): in this order, as MCP 2025-11-25 wants it. */
async function clientFor(
  { client, clientMetadataUrl }: LoginRequest,
  { authorizationServerUrl, authorizationServerMetadata: metadata }: OAuthServerInfo,
  redirectUrl: string,
  scope: string | undefined,
): Promise<OAuthClientInformationMixed> {
  if (client !== undefined) return { client_id: client.id, ...(client.secret === undefined ? {} : { client_secret: client.secret }) };
  if (clientMetadataUrl !== undefined) {
    if (metadata?.client_id_metadata_document_supported !== true)
      throw new Error("its authorization server takes no client metadata documents; leave --client-metadata out");
    return { client_id: clientMetadataUrl };
  }
  if (metadata !== undefined && metadata.registration_endpoint === undefined)
    throw new Error("its authorization server registers no clients by itself; register Synartesis there and give --client-id");
  const { registerClient } = await import("@modelcontextprotocol/sdk/client/auth.js");
  return registerClient(authorizationServerUrl, {
    ...(metadata === undefined ? {} : { metadata }),
    clientMetadata: {
      client_name: "Synartesis",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    },
    ...(scope === undefined ? {} : { scope }),
    fetchFn: patientFetch,
  });
}

/** A browser is only sent to https, or to this machine. */
function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && ["127.0.0.1", "[::1]", "localhost"].includes(hostname));
}

function isIssuer(named: string | null, metadata: AuthorizationServerMetadata | undefined): boolean {
  if (named !== null) return metadata === undefined || named === metadata.issuer;
  return (metadata as JsonObject | undefined)?.["authorization_response_iss_parameter_supported"] !== true;
}

function aborted(signal: AbortSignal): Promise<"aborted"> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve("aborted");
    else signal.addEventListener("abort", () => resolve("aborted"), { once: true });
  });
}

function plain(value: object | null): JsonObject | null {
  return JSON.parse(JSON.stringify(value)) as JsonObject | null; // it came from JSON; this drops what is undefined
}

function failed(why: string): LoginEnd {
  return { kind: "failed", why };
}
