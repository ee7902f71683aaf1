import { describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sendCall } from "../../../src/upstream/send-call.ts";
import type { Answer } from "../../../src/upstream/upstream.ts";
import { json, serveHttp } from "../../support/http-server.ts";
import { missing, testUnless } from "../../support/needing.ts";
import { makeSandbox } from "../../support/sandbox.ts";
import { connect } from "./fixture.ts";

const call = async (url: URL, options: Parameters<typeof connect>[1] = {}): Promise<Answer> => {
  const { upstream } = await connect(url, { initialize: false, ...options });
  return sendCall(upstream, { name: "t" });
};

describe("P4: a call that can't have been carried out is told apart from one that may have been", () => {
  test("nothing listens there, or the name is unknown: it was not sent", async () => {
    const server = serveHttp();
    server[Symbol.dispose]();
    expect(await call(server.url)).toMatchObject({
      sent: false,
      why: expect.stringContaining("connection refused"),
    });
    expect(await call(new URL("http://no-such-host.invalid/mcp"))).toMatchObject({ sent: false, why: expect.stringContaining("(DNS)") });
  });

  test("it doesn't speak https there: it was not sent", async () => {
    using server = serveHttp();
    expect(await call(new URL(server.url.href.replace("http:", "https:")))).toMatchObject({
      sent: false,
      why: expect.stringContaining("TLS"),
    });
    expect(server.seen).toEqual([]);
  });

  testUnless(missing("openssl"), "a certificate that nobody vouches for: it was not sent, unless the authority is ours", async () => {
    const folder = mkdtempSync(join(tmpdir(), "synartesis-test-"));
    try {
      const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
      const words = [
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=localhost",
      ];
      Bun.spawnSync(["openssl", ...words, "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert], { stderr: "ignore" });
      using server = serveHttp(undefined, { tls: { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") } });
      const { why, sent } = (await call(server.url)) as { why: string; sent: boolean };
      expect([sent, server.seen.length]).toEqual([false, 0]);
      expect(why).toContain("its certificate isn't accepted");
      using sandbox = makeSandbox();
      sandbox.write("synartesis.yaml", `version: 1\nservers:\n  far: { url: "${server.url}" }\n`);
      expect((await sandbox.run("check")).out).toContain("its certificate isn't accepted");
      sandbox.env["NODE_EXTRA_CA_CERTS"] = cert;
      await sandbox.run("check");
      expect(server.of("initialize").length).toBe(1);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test.each([
    [400, false],
    [403, false],
    [413, false],
    [429, false],
    [408, true],
    [500, true],
    [502, true],
    [503, true],
  ])("HTTP %i: may have been carried out: %p", async (status, sent) => {
    using server = serveHttp(() => new Response("an odd reason\u0007", { status }));
    const answer = await call(server.url);
    const { why } = answer as { why: string };
    expect(answer).toMatchObject({ kind: "ended", sent });
    expect(why).toContain(`HTTP ${status}`);
    expect(why).toEndWith("an odd reason");
    expect(server.seen.length).toBe(1);
  });

  test("a connection that breaks before the response: it may have been", async () => {
    let times = 0;
    const listener = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        data(socket) {
          times++;
          socket.end();
        },
      },
    });
    expect(await call(new URL(`http://127.0.0.1:${listener.port}/`))).toMatchObject({ sent: true, why: expect.stringContaining("broke") });
    expect(times).toBe(1);
    listener.stop(true);
  });

  test("a web page where a reply was due: it may have been, and the address is doubted", async () => {
    using server = serveHttp(() => new Response("<!doctype html><title>Sign in</title>", { headers: { "content-type": "text/html" } }));
    expect(await call(server.url)).toMatchObject({ sent: true, why: expect.stringMatching(/"Sign in".*is this the right address\?/) });
  });

  test("a success without the reply in it: it may have been", async () => {
    using server = serveHttp(({ message }) => json({ jsonrpc: "2.0", id: `not ${message.id}`, result: {} }));
    expect(await call(server.url)).toMatchObject({ sent: true, why: expect.stringContaining("without the reply") });
  });
});

describe("redirects", () => {
  test("within the origin are followed where the message stays a POST", async () => {
    using server = serveHttp(({ path }) =>
      path === "/mcp" ? new Response(null, { status: 307, headers: { location: "/mcp/" } }) : undefined,
    );
    expect(await call(server.url)).toMatchObject({ kind: "result" });
    expect(server.seen.map(({ path }) => path)).toEqual(["/mcp", "/mcp/"]);
  });

  test("to another origin are not, so that no secret goes there; the address is told without its query", async () => {
    using elsewhere = serveHttp();
    using server = serveHttp(() => new Response(null, { status: 308, headers: { location: `${elsewhere.url.href}?key=1` } }));
    const answer = await call(server.url, { place: { headers: { authorization: "Bearer secret" } } });
    expect(answer).toMatchObject({ sent: false, why: expect.stringContaining(`redirects to ${elsewhere.url.href} `) });
    expect(elsewhere.seen).toEqual([]);
  });

  test.each([301, 302, 303])("a %i would turn the POST into a GET, and is not followed", async (status) => {
    using server = serveHttp(() => new Response(null, { status, headers: { location: "/other" } }));
    expect(await call(server.url)).toMatchObject({ sent: false });
    expect(server.seen.length).toBe(1);
  });

  test("without end are given up", async () => {
    using server = serveHttp(() => new Response(null, { status: 307, headers: { location: "/mcp" } }));
    expect(await call(server.url)).toMatchObject({ sent: false });
    expect(server.seen.length).toBe(6);
  });
});

describe("headers and logins", () => {
  test("the manifest's headers go with every request", async () => {
    using server = serveHttp();
    const { upstream } = await connect(server, { place: { headers: { Authorization: "Bearer secret", "X-Team": "a" } } });
    await upstream.request("x", {});
    await upstream.close();
    for (const { headers } of server.seen) expect([headers.get("authorization"), headers.get("x-team")]).toEqual(["Bearer secret", "a"]);
    expect(server.seen.length).toBeGreaterThan(3);
  });

  test("a 401 without a login, or with a header of the manifest's, says which", async () => {
    using server = serveHttp(() => new Response(null, { status: 401 }));
    expect(await call(server.url)).toMatchObject({ sent: false, why: expect.stringContaining("wants a login") });
    const refused = await call(server.url, { place: { headers: { authorization: "Bearer secret" } } });
    expect(refused).toMatchObject({ sent: false, why: expect.stringContaining("refuses the Authorization header of the manifest") });
    expect(JSON.stringify(refused)).not.toContain("secret");
  });

  test("a 401 in mid-session renews the token, once, and the refused message is sent again with it", async () => {
    let good = "first";
    using server = serveHttp(({ headers }) =>
      headers.get("authorization") === `Bearer ${good}` ? undefined : new Response(null, { status: 401 }),
    );
    const renewals: (string | undefined)[] = [];
    const login = {
      token: async () => "first",
      renew: async (refused: string | undefined) => {
        renewals.push(refused);
        return { kind: "token" as const, token: "second" };
      },
    };
    const { upstream } = await connect(server, { place: { login } });
    expect(await upstream.request("x", {})).toMatchObject({ kind: "result" });
    good = "second";
    expect(await sendCall(upstream, { name: "t" })).toMatchObject({ kind: "result" });
    expect(renewals).toContain("first");
    good = "third";
    expect(await sendCall(upstream, { name: "t" })).toMatchObject({ sent: false, why: expect.stringContaining("issued just now") });
  });
});
