// How does a person log in to a server that is reached by URL? Prints where to agree, waits for the answer, and keeps the tokens where only
// this user finds them. Never prints a token.
import { SynartesisError } from "../../errors.ts";
import type { ExpandedUrl } from "../../manifest/expand-source.ts";
import { type Context, defineCommand, JSON_OPTION, MANIFEST_OPTION } from "../command.ts";
import { findManifest } from "../find-files.ts";
import { loginPlace } from "../logins.ts";
import { openBrowser } from "../open-browser.ts";
import { durationOf } from "../quantities.ts";
import { readManifest } from "../read-manifest.ts";
import { visible } from "../render/visible.ts";

const PATIENCE = 5 * 60_000;

export default defineCommand({
  name: "login",
  usage: "login SERVER [--url URL] [--logout]",
  about:
    "Logs in to a server that is reached by URL and wants it (OAuth). Prints the address where you agree, and on a terminal tries\n" +
    "to open it. The tokens are kept in the system's keychain, or in a file of yours where there is none, and renewed by themselves.",
  example: "login notes",
  options: {
    url: { kind: "text", value: "URL", about: "the server's address, where it isn't in the manifest yet" },
    logout: { kind: "flag", about: "forget the login instead" },
    scope: { kind: "text", value: "SCOPES", about: "what to ask for (default: what the server says it wants)" },
    "client-id": { kind: "text", value: "ID", about: "who Synartesis is to an authorization server that registers no clients by itself" },
    "client-secret-env": { kind: "text", value: "NAME", about: "the environment variable that holds the client's secret, if it has one" },
    "client-metadata": { kind: "text", value: "URL", about: "the https address of a client metadata document, in place of --client-id" },
    port: { kind: "text", value: "PORT", about: "the port on 127.0.0.1 where the answer comes back (default: any that is free)" },
    timeout: { kind: "text", value: "TIME", about: "how long to wait for you (default 5m)" },
    ...JSON_OPTION,
    ...MANIFEST_OPTION,
  },
  positionals: { min: 1, max: 1, from: "url-servers" },
  async run(context, { options, positionals }) {
    const { io } = context;
    const name = positionals[0] ?? "";
    const server = await serverFor(context, name, options);
    const key = { name, url: server.url.href };
    const place = loginPlace(io);
    if (options.logout) {
      const { forgetLogin } = await import("../../upstream/oauth/login-store.ts");
      const forgotten = await forgetLogin(place, key);
      if (options.json) context.printJson({ server: name, url: key.url, loggedIn: false, forgotten });
      else context.print(forgotten ? `the login to ${name} is forgotten` : `there was no login to ${name}`);
      return 0;
    }
    refuseOwnAuthorization(name, server);
    const { logIn } = await import("../../upstream/oauth/log-in.ts");
    const limit = durationOf("--timeout", options.timeout) ?? PATIENCE;
    const end = await logIn({
      ...key,
      place,
      headers: server.headers,
      scope: options.scope,
      client: clientFrom(context, options),
      clientMetadataUrl: metadataUrlFrom(options),
      port: portFrom(options.port),
      signal: AbortSignal.any([context.signal, AbortSignal.timeout(limit)]),
      onAddress(address) {
        context.note(`To log in to ${name}, open this address and agree:\n\n  ${address.href}\n`);
        if (io.stderr.isTerminal && io.stdout.isTerminal) openBrowser(address);
      },
    });
    if (end.kind === "failed") throw new SynartesisError("refused", `no login to ${name}: ${visible(end.why)}`);
    const kept = end.kind === "logged-in" ? end.kept : null;
    if (options.json) context.printJson({ server: name, url: key.url, loggedIn: kept !== null, kept });
    else if (kept === null) context.print(`${name} answers without a login; nothing was done`);
    else
      context.print(
        `logged in to ${name}; the tokens are kept in ${kept === "keychain" ? "the system's keychain" : visible(place.folder)}`,
      );
    return 0;
  },
});

async function serverFor(
  { io }: Context,
  name: string,
  options: { url: string | undefined; manifest: string | undefined },
): Promise<ExpandedUrl> {
  if (options.url !== undefined) {
    const url = /^https?:\/\//i.test(options.url) ? URL.parse(options.url) : null;
    if (url === null) throw new SynartesisError("usage", `--url ${options.url}: not an http or https address`);
    return { url, headers: {} };
  }
  const file = findManifest(io, options);
  const { policy } = await readManifest(io, file);
  const server = policy.servers.find((candidate) => candidate.name === name);
  if (server === undefined) {
    const hint = `it has: ${policy.servers.map((candidate) => candidate.name).join(", ")}; for another one give --url`;
    throw new SynartesisError("server-unknown", `the manifest has no server "${name}"`, { hint });
  }
  if (server.source.kind !== "url")
    throw new SynartesisError("usage", `the server "${name}" is a command, not at a URL: there is nothing to log in to`, {
      hint: "what it needs stands in its own environment (`env` in the manifest)",
    });
  const { expandUrl } = await import("../../manifest/expand-source.ts");
  return expandUrl(name, server.source, io.env);
}

function refuseOwnAuthorization(name: string, { headers }: ExpandedUrl): void {
  if (!Object.keys(headers).some((header) => header.toLowerCase() === "authorization")) return;
  throw new SynartesisError("usage", `the manifest gives "${name}" an Authorization header, which would be sent in place of a login`, {
    hint: "take it out of `headers` first",
  });
}

function clientFrom({ io }: Context, options: { "client-id": string | undefined; "client-secret-env": string | undefined }) {
  const { "client-id": id, "client-secret-env": variable } = options;
  if (id === undefined && variable !== undefined) throw new SynartesisError("usage", "--client-secret-env goes with --client-id only");
  if (id === undefined) return undefined;
  const secret = variable === undefined ? undefined : io.env[variable];
  if (variable !== undefined && !secret) throw new SynartesisError("usage", `the environment variable ${variable} is not set`);
  return { id, secret };
}

function metadataUrlFrom(options: { "client-id": string | undefined; "client-metadata": string | undefined }): string | undefined {
  const address = options["client-metadata"];
  if (address === undefined) return undefined;
  if (options["client-id"] !== undefined) throw new SynartesisError("usage", "--client-id and --client-metadata can't both be given");
  const url = URL.parse(address);
  if (url?.protocol === "https:" && url.pathname !== "/") return address;
  throw new SynartesisError("usage", `--client-metadata ${address}: it has to be an https address with a path`);
}

function portFrom(text: string | undefined): number {
  if (text === undefined) return 0;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65_535) return port;
  throw new SynartesisError("usage", `--port ${text}: not a port`);
}
