// Who is served by HTTP, where, and who may come? Reads the options of `proxy --http`, and finds the tokens. Never lets anybody in without one.
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { sha256 } from "../core/digest.ts";
import type { Log } from "../core/log.ts";
import type { Policy } from "../core/policy.ts";
import { SynartesisError, systemCode } from "../errors.ts";
import { UNNAMED_TOKEN } from "../manifest/read-tokens.ts";
import type { HttpParts } from "../proxy/http/http-parts.ts";
import { type KnownToken, SHORTEST_TOKEN } from "../proxy/http/tokens.ts";
import type { Io } from "./io.ts";
import { durationOf } from "./quantities.ts";

/** The options that belong to `--http`, and itself. */
export const HTTP_OPTIONS = {
  http: { kind: "text", value: "PORT", about: "serve clients by HTTP on this port, at /mcp (0: any free one)" },
  "http-host": { kind: "text", value: "HOST", about: "the address to listen on (default 127.0.0.1: this machine only)" },
  "token-file": {
    kind: "text",
    value: "FILE",
    about: "a file with the token that clients show; or SYNARTESIS_TOKEN, or the manifest's tokens",
  },
  token: { kind: "text", value: "TOKEN", about: "the token itself, which every program on this machine can see here" },
  "allow-host": { kind: "list", value: "NAME", about: "a name in the Host header that is right, besides localhost" },
  "allow-origin": { kind: "list", value: "ORIGIN", about: "a web page's origin that may come (CORS), besides those of localhost" },
  "max-sessions": { kind: "text", value: "N", about: "at most so many clients at once (default 100)" },
  "session-idle": { kind: "text", value: "TIME", about: "ends the session of a client that is quiet for so long (default 30m)" },
} as const;

type HttpOptions = {
  readonly [K in keyof typeof HTTP_OPTIONS]: (typeof HTTP_OPTIONS)[K]["kind"] extends "list" ? readonly string[] : string | undefined;
};
type HttpSettings = Pick<HttpParts, "port" | "hostname" | "tokens" | "allowedHosts" | "allowedOrigins" | "maxSessions" | "sessionIdle">;

/** Reads them; undefined without `--http`. @throws SynartesisError usage */
export function readHttpOptions(io: Pick<Io, "env" | "cwd">, options: HttpOptions, policy: Policy, log: Log): HttpSettings | undefined {
  if (options.http === undefined) {
    const stray = Object.keys(HTTP_OPTIONS).find((name) => (options[name as keyof HttpOptions]?.length ?? 0) > 0); // they are its own keys
    if (stray !== undefined) throw new SynartesisError("usage", `--${stray} goes with --http PORT`);
    return undefined;
  }
  for (const origin of options["allow-origin"]) {
    if (!/^[a-z][a-z0-9+.-]*:\/\/[^/\s]+$/i.test(origin))
      throw new SynartesisError("usage", `--allow-origin ${origin}: not an origin such as https://example.org`);
  }
  return {
    port: wholeNumber("--http", options.http, 0, 65_535),
    hostname: options["http-host"] ?? "127.0.0.1",
    tokens: tokensFor(io, options, policy, log),
    allowedHosts: options["allow-host"],
    allowedOrigins: options["allow-origin"],
    maxSessions: options["max-sessions"] === undefined ? 100 : wholeNumber("--max-sessions", options["max-sessions"], 1, 100_000),
    sessionIdle: durationOf("--session-idle", options["session-idle"]) ?? 30 * 60_000,
  };
}

function wholeNumber(option: string, text: string, from: number, to: number): number {
  const number = Number(text);
  if (/^\d{1,9}$/.test(text) && number >= from && number <= to) return number;
  throw new SynartesisError("usage", `${option} ${text}: not a whole number from ${from} to ${to}`);
}

function tokensFor(io: Pick<Io, "env" | "cwd">, options: HttpOptions, policy: Policy, log: Log): readonly KnownToken[] {
  const named = policy.tokens ?? [];
  const given = givenToken(io, options, log);
  if (given !== undefined) checkToken(given);
  const tokens = [...named, ...(given === undefined ? [] : [{ name: UNNAMED_TOKEN, sha256: sha256(given.token) }])];
  if (tokens.length > 0) return tokens;
  throw new SynartesisError("usage", "proxy --http needs a token: without one, any program on this machine could use the servers", {
    hint: "`synartesis token create NAME` makes one for the manifest; or set SYNARTESIS_TOKEN, or give --token-file FILE",
  });
}

interface GivenToken {
  readonly token: string;
  readonly where: string;
}

function givenToken(io: Pick<Io, "env" | "cwd">, options: HttpOptions, log: Log): GivenToken | undefined {
  const { token, "token-file": file } = options;
  if (token !== undefined && file !== undefined) throw new SynartesisError("usage", "either --token or --token-file, not both");
  if (token !== undefined) {
    log.log(
      "warn",
      "the token stands on the command line, where every program on this machine can read it: --token-file or SYNARTESIS_TOKEN",
    );
    return { token, where: "--token" };
  }
  if (file !== undefined) return { token: readToken(resolve(io.cwd, file), log), where: file };
  const fromEnvironment = io.env["SYNARTESIS_TOKEN"];
  return fromEnvironment === undefined ? undefined : { token: fromEnvironment, where: "SYNARTESIS_TOKEN" };
}

function readToken(file: string, log: Log): string {
  try {
    if ((statSync(file).mode & 0o077) !== 0) log.log("warn", "the token's file can be read by others", { file, do: "chmod 600" });
    return readFileSync(file, "utf8").trim();
  } catch (cause) {
    const code = systemCode(cause) ?? "unknown error";
    throw new SynartesisError("usage", `the token's file ${file} can't be read (${code})`, { cause });
  }
}

function checkToken({ token, where }: GivenToken): void {
  const hint = "`synartesis token create NAME` makes a good one";
  if (token.length < SHORTEST_TOKEN)
    throw new SynartesisError("usage", `the token in ${where} is too short: ${token.length} characters, and ${SHORTEST_TOKEN} are needed`, {
      hint,
    });
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new SynartesisError("usage", `the token in ${where} can't be sent in a header: letters, digits and punctuation only, no spaces`, {
      hint,
    });
}
