import { describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LoginEnd, type LoginRequest, logIn } from "../../../src/upstream/oauth/log-in.ts";
import { forgetLogin, keepLogin, readLogin } from "../../../src/upstream/oauth/login-store.ts";
import { storedLogin } from "../../../src/upstream/oauth/stored-login.ts";
import { type OAuthWorld, serveOAuth } from "../../support/oauth-server.ts";
import { connect } from "../http/fixture.ts";

/** A folder for logins that goes when the test ends. */
function makePlace() {
  const folder = mkdtempSync(join(tmpdir(), "synartesis-test-"));
  return { folder: join(folder, "logins"), useKeychain: false, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

type Place = ReturnType<typeof makePlace>;

/** Logs in; `person` is handed the address and does something with it. */
function start(
  world: OAuthWorld,
  place: Place,
  options: Partial<LoginRequest> = {},
  person: (address: string) => unknown = (address) => world.agree(address),
): Promise<LoginEnd> {
  return logIn({
    name: "notes",
    url: world.server.url.href,
    place,
    headers: {},
    scope: undefined,
    client: undefined,
    clientMetadataUrl: undefined,
    port: 0,
    signal: new AbortController().signal,
    onAddress: (address) => void person(address.href),
    ...options,
  });
}

const keyOf = (world: OAuthWorld) => ({ name: "notes", url: world.server.url.href });
const loginOf = (world: OAuthWorld, place: Place) => storedLogin({ ...keyOf(world), place, command: "synartesis login notes" });

describe("a login", () => {
  test("goes from the refused server to kept tokens, which a connection then uses", async () => {
    using world = serveOAuth();
    using place = makePlace();
    let address = "";
    const pages: Promise<string>[] = [];
    const end = await start(world, place, {}, (shown) => {
      address = shown;
      pages.push(world.agree(shown));
    });
    expect(end).toEqual({ kind: "logged-in", kept: "file", issuer: world.authorization.url.origin });
    expect(await pages[0]).toContain("You can close this page");
    expect(world.complaints).toEqual([]);
    const asked = new URL(address).searchParams;
    expect(asked.get("scope")).toBe("notes:write");
    expect(asked.get("redirect_uri")).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    const [file] = readdirSync(place.folder);
    expect([statSync(place.folder).mode & 0o777, statSync(join(place.folder, file ?? "")).mode & 0o777]).toEqual([0o700, 0o600]);
    const { upstream } = await connect(world.server, { place: { login: loginOf(world, place) } });
    expect(await upstream.request("x", {})).toMatchObject({ kind: "result" });
  });

  test("that was refused, or not answered in time, keeps nothing", async () => {
    using world = serveOAuth();
    using place = makePlace();
    world.answerWith = { error: "access_denied", error_description: "you may not" };
    expect(await start(world, place)).toEqual({ kind: "failed", why: "the authorization server refused: you may not" });
    const stop = new AbortController();
    expect(await start(world, place, { signal: stop.signal }, () => stop.abort())).toMatchObject({ kind: "failed" });
    expect(await readLogin(place, keyOf(world))).toBeUndefined();
  });

  test("P6: takes no answer with another state, nor from another issuer", async () => {
    using world = serveOAuth();
    using place = makePlace();
    const pages: string[] = [];
    const end = await start(world, place, {}, async (address) => {
      const redirect = new URL(address).searchParams.get("redirect_uri") ?? "";
      pages.push(await (await fetch(`${redirect}?code=stolen&state=guessed`)).text());
      pages.push(await (await fetch(new URL("/else", redirect))).text());
      pages.push(await world.agree(address));
    });
    expect(end.kind).toBe("logged-in");
    expect(pages[0]).toContain("does not belong to the login that is waiting");
    expect(world.complaints).toEqual([]);
    world.answerWith = { iss: "https://elsewhere.example" };
    expect(await start(world, place)).toMatchObject({ kind: "failed", why: expect.stringContaining("another authorization server") });
  });

  test("uses a client id and secret that were given, or the address of a metadata document", async () => {
    using world = serveOAuth();
    using place = makePlace();
    delete world.metadata["registration_endpoint"];
    expect(await start(world, place)).toMatchObject({ kind: "failed", why: expect.stringContaining("give --client-id") });
    expect(await start(world, place, { client: { id: "known", secret: "its secret" } })).toMatchObject({ kind: "logged-in" });
    const clientMetadataUrl = "https://client.example/metadata.json";
    expect(await start(world, place, { clientMetadataUrl })).toMatchObject({ kind: "failed" });
    world.metadata["client_id_metadata_document_supported"] = true;
    expect(await start(world, place, { clientMetadataUrl })).toMatchObject({ kind: "logged-in" });
    expect(world.complaints).toEqual([]);
  });

  test("is not begun where the server names another resource than itself, or an address that is no https", async () => {
    using world = serveOAuth();
    using place = makePlace();
    world.metadata["authorization_endpoint"] = "http://attacker.example/authorize";
    const shown: string[] = [];
    expect(await start(world, place, {}, (address) => shown.push(address))).toMatchObject({ why: expect.stringContaining("not https") });
    world.resourceMetadata["resource"] = "https://elsewhere.example/mcp";
    expect(await start(world, place, {}, (address) => shown.push(address))).toMatchObject({
      why: expect.stringContaining("does not match"),
    });
    expect(shown).toEqual([]);
  });

  test("finds an authorization server that only speaks OpenID Connect", async () => {
    using world = serveOAuth();
    using place = makePlace();
    const { answer } = world.authorization;
    world.authorization.answer = (seen) => {
      if (seen.path === "/.well-known/oauth-authorization-server") return new Response(null, { status: 404 });
      if (seen.path !== "/.well-known/openid-configuration") return answer(seen);
      const oidc = {
        jwks_uri: `${world.authorization.url.origin}/jwks`,
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256"],
      };
      return Response.json({ ...world.metadata, ...oidc });
    };
    expect(await start(world, place)).toMatchObject({ kind: "logged-in" });
  });

  test("is not needed where the server answers without one", async () => {
    using world = serveOAuth();
    using place = makePlace();
    world.server.answer = () => undefined;
    expect(await start(world, place)).toEqual({ kind: "not-needed" });
    expect(world.server.seen.map(({ method }) => method)).toEqual(["POST", "DELETE"]);
  });
});

describe("a login that is kept", () => {
  test("is renewed when the server refuses its token, also in the middle of a session, and the new one is kept", async () => {
    using world = serveOAuth();
    using place = makePlace();
    await start(world, place);
    const { upstream } = await connect(world.server, { place: { login: loginOf(world, place) } });
    const before = (await readLogin(place, keyOf(world)))?.tokens;
    world.accepted.clear();
    const answers = await Promise.all([upstream.request("a", {}), upstream.request("b", {})]);
    expect(answers.map(({ kind }) => kind)).toEqual(["result", "result"]);
    const after = (await readLogin(place, keyOf(world)))?.tokens;
    expect(after?.["access_token"]).not.toEqual(before?.["access_token"]);
    expect(world.authorization.seen.filter(({ text }) => text.includes("grant_type=refresh_token")).length).toBe(1);
    expect(world.complaints).toEqual([]);
  });

  test("is renewed once by two processes that share it, though its refresh token is good for one use", async () => {
    using world = serveOAuth();
    using place = makePlace();
    await start(world, place);
    const [one, other] = [loginOf(world, place), loginOf(world, place)];
    const refused = await one.token();
    await other.token();
    world.accepted.clear();
    const renewed = await Promise.all([one.renew(refused), other.renew(refused)]);
    const again = await other.renew(refused);
    expect(again).toEqual(renewed.find(({ kind }) => kind === "token") as never);
    expect(world.accepted.size).toBeGreaterThan(0);
  });

  test("that can't be renewed says what a person has to run", async () => {
    using world = serveOAuth();
    using place = makePlace();
    expect(await loginOf(world, place).renew(undefined)).toEqual({
      kind: "none",
      why: "nobody has logged in; a person runs: synartesis login notes",
    });
    await start(world, place);
    const kept = await readLogin(place, keyOf(world));
    if (kept) await keepLogin(place, keyOf(world), { ...kept, tokens: { ...kept.tokens, refresh_token: "no more" } });
    world.accepted.clear();
    const { upstream } = await connect(world.server, { initialize: false, place: { login: loginOf(world, place) } });
    const answer = (await upstream.request("x", {})) as { why?: string };
    expect(answer.why).toMatch(/wants a login.*could not be renewed.*synartesis login notes/);
    expect(await upstream.request("y", {})).toMatchObject({ why: expect.stringContaining("the login has run out") });
    expect(world.complaints).toEqual(["invalid_grant"]);
  });

  test("is forgotten on demand, and a damaged file is none", async () => {
    using world = serveOAuth();
    using place = makePlace();
    await start(world, place);
    const file = join(place.folder, readdirSync(place.folder)[0] ?? "");
    expect(readFileSync(file, "utf8")).toContain("access-");
    writeFileSync(file, "{");
    expect(await readLogin(place, keyOf(world))).toBeUndefined();
    await start(world, place);
    expect([await forgetLogin(place, keyOf(world)), await forgetLogin(place, keyOf(world))]).toEqual([true, false]);
    expect(readdirSync(place.folder)).toEqual([]);
  });
});
