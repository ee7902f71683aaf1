// What does serving HTTP need of the rest? Handed in once; the front knows nothing of servers, policies or journals, only how a proxy for
// one more client is started.
import type { Log } from "../../core/log.ts";
import type { ClientStreams } from "../../wire/stdio.ts";
import type { KnownToken } from "./tokens.ts";

/** A client as the proxy that is started for it sees it: like one that has started us over stdio. */
export interface ClientEnd {
  readonly streams: ClientStreams;
  /** Aborted when the client can't be served any more; its input has ended by then. */
  readonly signal: AbortSignal;
  /** The name of the token by which it came. */
  readonly identity: string;
  readonly log: Log;
}

/** Runs a proxy with its own upstream and its own run, until the client's input ends. @throws SynartesisError where the server can't be started */
export type StartProxy = (client: ClientEnd) => Promise<void>;

export interface HttpParts {
  /** 0 for any free one. */
  readonly port: number;
  /** A name or an address of this machine. */
  readonly hostname: string;
  readonly tokens: readonly KnownToken[];
  /** Names that a Host header may have, besides this machine's own on a loopback address. */
  readonly allowedHosts: readonly string[];
  /** Origins of web pages, as `https://example.org`. */
  readonly allowedOrigins: readonly string[];
  /** Bytes. */
  readonly maxMessage: number;
  readonly maxSessions: number;
  /** Milliseconds. */
  readonly sessionIdle: number;
  readonly startProxy: StartProxy;
  /** Aborted when the process is asked to end. */
  readonly signal: AbortSignal;
  /** Called once, with the endpoint's address. */
  readonly onListening: (url: string) => void;
  readonly log: Log;
  /** Shorter times for tests. */
  readonly times?: Partial<HttpTimes>;
}

/** Milliseconds. */
export interface HttpTimes {
  /** How often something is sent on a quiet stream, and how long a POST may wait before its stream is opened. */
  readonly ping: number;
  /** How long a session may take from the answer to `initialize` to `notifications/initialized`. */
  readonly halfOpen: number;
  /** How long a client of the modern era may be quiet before its run is over (15 minutes). */
  readonly quiet: number;
  /** How long a stream's reader may take nothing before it is let go. */
  readonly stuck: number;
  /** How long the next piece of a body may take. */
  readonly bodyIdle: number;
}

export const HTTP_TIMES: HttpTimes = { ping: 15_000, halfOpen: 60_000, quiet: 15 * 60_000, stuck: 30_000, bodyIdle: 30_000 };
