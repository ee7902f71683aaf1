// An MCP server that wants a login, and the authorization server that gives its tokens out: strict where OAuth 2.1 and MCP are, and told by
// the test where to misbehave.
import { json, serveHttp, type TestHttp } from "./http-server.ts";

export interface OAuthWorld extends Disposable {
  /** The protected MCP server. */
  readonly server: TestHttp;
  readonly authorization: TestHttp;
  /** Tokens that the server takes now. */
  readonly accepted: Set<string>;
  /** What a well-mannered authorization server answers with; to be changed by a test. */
  readonly metadata: Record<string, unknown>;
  readonly resourceMetadata: Record<string, unknown>;
  /** The redirects of clients that have registered, by client id. */
  readonly clients: Map<string, readonly string[]>;
  /** What was wrong with what we did, as the authorization server sees it. */
  readonly complaints: string[];
  /** What is added to the redirect with the code. */
  answerWith: Record<string, string>;
  /** Agrees as a person does: opens the address and follows it back. Gives the last page. */
  agree(address: string): Promise<string>;
}

/** Makes a world; with `server`, that one is protected from now on. */
export function serveOAuth(server: TestHttp = serveHttp()): OAuthWorld {
  const authorization = serveHttp();
  const mcp = server.answer;
  const accepted = new Set<string>();
  const clients = new Map<string, readonly string[]>();
  const codes = new Map<string, URLSearchParams>();
  const refreshTokens = new Set<string>();
  const complaints: string[] = [];
  const base = authorization.url.origin;
  const world: OAuthWorld = {
    server,
    authorization,
    accepted,
    clients,
    complaints,
    answerWith: {},
    metadata: {
      issuer: base,
      authorization_endpoint: `${base}/authorize`,
      token_endpoint: `${base}/token`,
      registration_endpoint: `${base}/register`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none", "client_secret_post"],
    },
    resourceMetadata: { resource: server.url.href, authorization_servers: [base], scopes_supported: ["notes:read"] },
    async agree(address) {
      const asked = await fetch(address, { redirect: "manual" });
      const back = asked.headers.get("location");
      if (back === null) throw new Error(`no redirect: ${asked.status} ${await asked.text()}`);
      return (await fetch(back)).text();
    },
    [Symbol.dispose]() {
      server[Symbol.dispose]();
      authorization[Symbol.dispose]();
    },
  };
  const resourceMetadataUrl = new URL("/.well-known/oauth-protected-resource/mcp", server.url).href;
  server.answer = (seen) => {
    if (seen.path === "/.well-known/oauth-protected-resource/mcp") return json(world.resourceMetadata);
    if (seen.path !== "/mcp") return new Response(null, { status: 404 });
    const token = /^Bearer (.+)$/.exec(seen.headers.get("authorization") ?? "")?.[1];
    if (token !== undefined && accepted.has(token)) return mcp(seen);
    const challenge = `Bearer resource_metadata="${resourceMetadataUrl}", scope="notes:write"`;
    return new Response(null, { status: 401, headers: { "www-authenticate": challenge } });
  };
  const tokens = () => {
    const access = `access-${crypto.randomUUID()}`;
    const refresh = `refresh-${crypto.randomUUID()}`;
    accepted.add(access);
    refreshTokens.add(refresh);
    return json({ access_token: access, refresh_token: refresh, token_type: "Bearer", expires_in: 3600 });
  };
  const refuse = (error: string) => {
    complaints.push(error);
    return json({ error, error_description: `it is ${error}` }, { status: 400 });
  };
  const authorize = (query: URLSearchParams) => {
    const redirect = query.get("redirect_uri") ?? "";
    const client = query.get("client_id") ?? "";
    const known = clients.get(client)?.includes(redirect) === true || client.startsWith("https://") || client === "known";
    if (!known) return refuse("unknown client");
    if (query.get("code_challenge_method") !== "S256" || !query.get("code_challenge")) return refuse("no PKCE");
    if (query.get("resource") !== world.resourceMetadata["resource"]) return refuse("no resource");
    const code = crypto.randomUUID();
    codes.set(code, query);
    const back = new URL(redirect);
    for (const [name, value] of Object.entries({ code, state: query.get("state") ?? "", ...world.answerWith }))
      back.searchParams.set(name, value);
    return new Response(null, { status: 302, headers: { location: back.href } });
  };
  const exchange = (form: URLSearchParams) => {
    if (form.get("resource") !== world.resourceMetadata["resource"]) return refuse("no resource");
    if (form.get("client_id") === "known" && form.get("client_secret") !== "its secret") return refuse("invalid_client");
    if (form.get("grant_type") === "refresh_token")
      return refreshTokens.delete(form.get("refresh_token") ?? "") ? tokens() : refuse("invalid_grant");
    const asked = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const verifier = new Bun.CryptoHasher("sha256").update(form.get("code_verifier") ?? "").digest("base64url");
    if (asked?.get("code_challenge") !== verifier || asked.get("redirect_uri") !== form.get("redirect_uri")) return refuse("invalid_grant");
    return tokens();
  };
  authorization.answer = (seen) => {
    switch (seen.path) {
      case "/.well-known/oauth-authorization-server":
        return json(world.metadata);
      case "/register": {
        const id = `client-${clients.size + 1}`;
        clients.set(id, seen.message.redirect_uris);
        return json({ ...seen.message, client_id: id }, { status: 201 });
      }
      case "/authorize":
        return authorize(new URLSearchParams(seen.search));
      case "/token":
        return exchange(new URLSearchParams(seen.text));
      default:
        return new Response(null, { status: 404 });
    }
  };
  return world;
}
