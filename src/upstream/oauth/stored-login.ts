// Which token goes with a request to a server that somebody has logged in to? The one that is kept; renewed when the server refuses it, also
// by another process of ours. Never asks anybody anything.
import type { AuthorizationServerMetadata, OAuthClientInformationMixed } from "@modelcontextprotocol/sdk/shared/auth.js";
import type { Json, JsonObject } from "../../core/json.ts";
import type { Login } from "../http/http-client.ts";
import { keepLogin, type LoginKey, type LoginPlace, readLogin, type StoredTokens } from "./login-store.ts";
import { patientFetch } from "./patient-fetch.ts";

export interface LoginParts extends LoginKey {
  readonly place: LoginPlace;
  /** The command by which a person logs in, as it runs on this machine. */
  readonly command: string;
}

type Renewal = Awaited<ReturnType<Login["renew"]>>;

/** Gives the login to a server as it is kept. */
export function storedLogin(parts: LoginParts): Login {
  let known: string | undefined;
  let renewing: Promise<Renewal> | undefined;
  const spent = new Set<string>();
  return {
    async token() {
      known ??= accessToken(await readLogin(parts.place, parts));
      return known;
    },
    async renew(refused) {
      // Requests that are refused at the same time share one renewal: a refresh token may be good for one use.
      renewing ??= renew(parts, refused, spent).finally(() => {
        renewing = undefined;
      });
      const renewal = await renewing;
      if (renewal.kind === "token") known = renewal.token;
      return renewal;
    },
  };
}

/** `spent`: refresh tokens that were refused for good, so that a stream that is tried again and again doesn't send them each time. */
async function renew(parts: LoginParts, refused: string | undefined, spent: Set<string>): Promise<Renewal> {
  const kept = await readLogin(parts.place, parts);
  if (kept === undefined) return { kind: "none", why: `nobody has logged in; a person runs: ${parts.command}` };
  const token = accessToken(kept);
  if (token !== undefined && token !== refused) return { kind: "token", token };
  const refreshToken = kept.tokens["refresh_token"];
  if (typeof refreshToken !== "string" || spent.has(refreshToken))
    return { kind: "none", why: `the login has run out; a person runs: ${parts.command}` };
  try {
    const tokens = await refresh(kept, refreshToken);
    await keepLogin(parts.place, parts, { ...kept, tokens });
    return { kind: "token", token: String(tokens["access_token"]) };
  } catch (error) {
    const { InvalidGrantError } = await import("@modelcontextprotocol/sdk/server/auth/errors.js");
    if (error instanceof InvalidGrantError) spent.add(refreshToken);
    const why = `the login could not be renewed (${error instanceof Error ? error.message : "no reason given"}); a person runs: ${parts.command}`;
    // Another process may have used the refresh token first; then its token is there by now.
    const now = accessToken(await readLogin(parts.place, parts));
    return now !== undefined && now !== token ? { kind: "token", token: now } : { kind: "none", why };
  }
}

async function refresh(kept: StoredTokens, refreshToken: string): Promise<JsonObject> {
  const { refreshAuthorization } = await import("@modelcontextprotocol/sdk/client/auth.js");
  const tokens = await refreshAuthorization(kept.issuer, {
    // Both were parsed by the SDK when they were kept.
    ...(kept.metadata === null ? {} : { metadata: kept.metadata as unknown as AuthorizationServerMetadata }),
    clientInformation: kept.client as unknown as OAuthClientInformationMixed,
    refreshToken,
    resource: kept.resource,
    fetchFn: patientFetch,
  });
  return JSON.parse(JSON.stringify(tokens)) as JsonObject;
}

function accessToken(kept: StoredTokens | undefined): string | undefined {
  const token: Json | undefined = kept?.tokens["access_token"];
  return typeof token === "string" ? token : undefined;
}
