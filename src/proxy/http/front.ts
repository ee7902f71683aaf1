// Which session is a request for? Begins sessions, finds them, bounds how many there are, and ends them all. Never lets a token see the session
// of another.
import { randomBytes } from "node:crypto";
import type { Log } from "../../core/log.ts";
import { acceptedBy } from "./accept.ts";
import { CODES, type Problem, problemResponse } from "./answers.ts";
import { type Entrance, requestChecker } from "./check-request.ts";
import { HTTP_TIMES, type HttpParts, type HttpTimes } from "./http-parts.ts";
import type { Post } from "./http-request.ts";
import { LegacySession } from "./legacy-session.ts";
import { ModernClient } from "./modern-client.ts";
import { clientKeyOf, isModern, modernProblem } from "./modern-request.ts";
import { readBody } from "./read-body.ts";
import type { ServedProxy } from "./served-proxy.ts";
import { LEGACY_VERSIONS, MODERN_VERSIONS } from "./versions.ts";

/** Whatever of a body hasn't come yet when it is refused isn't waited for. */
const CLOSE = { connection: "close" };

type Admitted = Extract<Entrance, { kind: "let-in" }>;

/** All sessions of one endpoint. */
export class HttpFront {
  readonly #parts: HttpParts;
  readonly #times: HttpTimes;
  readonly #check: (request: Request) => Entrance;
  readonly #sessions = new Map<string, LegacySession>();
  readonly #clients = new Map<string, ModernClient>();
  /** Those that aren't over yet, ending ones too: each has processes. */
  readonly #living = new Set<ServedProxy>();
  #begun = 0;
  #stopping = false;

  constructor(parts: HttpParts) {
    this.#parts = parts;
    this.#times = { ...HTTP_TIMES, ...parts.times };
    this.#check = requestChecker(parts);
  }

  /** Answers a request; `address` is where it came from. */
  async handle(request: Request, address: string): Promise<Response> {
    const entrance = this.#check(request);
    if (entrance.kind === "preflight") return new Response(null, { status: 204, headers: entrance.headers });
    if (entrance.kind === "refused") {
      const { status, reason, message, headers } = entrance;
      return this.#refuse(request, address, reason, { status, code: CODES.request, message, headers: { ...headers, ...CLOSE } });
    }
    if (request.method === "POST") return this.#post(request, address, entrance);
    const session = this.#sessionOf(request, entrance);
    if (session instanceof Response) return session;
    if (request.method === "GET") {
      if (!acceptedBy(request).events)
        return problemResponse({
          status: 406,
          code: CODES.request,
          message: "the client has to accept text/event-stream",
          headers: entrance.cors,
        });
      return session.get(request.headers.get("last-event-id"), entrance.cors);
    }
    session.proxy.end("its client ended it");
    return new Response(null, { status: 200, headers: entrance.cors });
  }

  /** Ends all sessions; resolves when their calls have settled and their upstreams and runs have ended. */
  async stop(): Promise<void> {
    this.#stopping = true;
    for (const proxy of this.#living) proxy.end("the proxy was stopped");
    while (this.#living.size > 0) await Promise.all([...this.#living].map(({ ended }) => ended));
  }

  async #post(request: Request, address: string, { token, cors }: Admitted): Promise<Response> {
    const known = this.#sessions.get(request.headers.get("mcp-session-id") ?? "");
    if (known?.token === token) known.goOn();
    const body = await readBody(request, this.#parts.maxMessage, this.#times.bodyIdle);
    const refuse = (reason: string, status: number, message: string) =>
      this.#refuse(request, address, reason, { status, code: CODES.request, message, headers: { ...cors, ...CLOSE } });
    if (body.kind === "wrong-type") return refuse("content-type", 415, "the body has to be application/json, not encoded");
    if (body.kind === "too-long") return refuse("size", 413, `more than ${this.#parts.maxMessage} bytes (--max-message)`);
    if (body.kind === "broken") return refuse("body", 400, "the body broke off, or did not come for long");
    const { message } = body;
    if (message.kind === "strange") {
      const code = message.parsed ? CODES.request : CODES.parse;
      return problemResponse({
        status: 400,
        code,
        message: message.parsed ? "this is no JSON-RPC message" : "this is no JSON",
        headers: cors,
      });
    }
    const post: Post = { message, token, cors, accepted: acceptedBy(request), headers: request.headers, signal: request.signal };
    if (isModern(message, request.headers)) return this.#modern(request, address, post);
    const session = this.#legacyOf(request, address, post);
    return session instanceof Response ? session : session.post(post);
  }

  async #modern(request: Request, address: string, post: Post): Promise<Response> {
    const { message, cors } = post;
    const key = JSON.stringify([post.token, clientKeyOf(message)]);
    if (message.kind === "notification") {
      await this.#clients.get(key)?.notify(message);
      return new Response(null, { status: 202, headers: cors });
    }
    if (message.kind !== "request") {
      const text = "in this version of the protocol a body is one request or one notification";
      return problemResponse({ status: 400, code: CODES.request, message: text, headers: cors });
    }
    const problem = modernProblem(message, request.headers);
    if (problem !== undefined) return problemResponse({ ...problem, headers: cors });
    if (!post.accepted.json && !post.accepted.events)
      return problemResponse({
        status: 406,
        code: CODES.request,
        message: "the client has to accept application/json or text/event-stream",
        headers: cors,
      });
    const known = this.#clients.get(key);
    if (known?.proxy.isOpen) return known.request(post, message);
    const full = this.#fullness(request, address, post);
    if (full !== undefined) return full;
    const client = new ModernClient({ ...this.#parts, times: this.#times, token: post.token, log: this.#logOf() });
    this.#clients.set(key, client);
    this.#keep(client.proxy, () => this.#clients.get(key) === client && this.#clients.delete(key));
    return client.request(post, message);
  }

  /** The session that a legacy POST is for; a new one for `initialize`. */
  #legacyOf(request: Request, address: string, post: Post): LegacySession | Response {
    const { message, cors } = post;
    const id = message.kind === "request" ? { id: message.id } : {};
    if (request.headers.has("mcp-session-id")) return this.#sessionOf(request, { kind: "let-in", token: post.token, cors }, id);
    if (message.kind !== "request" || message.method !== "initialize") {
      const text = `no session: begin one with initialize, and send its Mcp-Session-Id (or speak ${MODERN_VERSIONS.join(", ")})`;
      return problemResponse({ status: 400, code: CODES.request, message: text, headers: cors, ...id });
    }
    const full = this.#fullness(request, address, post);
    if (full !== undefined) return full;
    const session = new LegacySession({
      ...{ ...this.#parts, times: this.#times, token: post.token, log: this.#logOf() },
      id: randomBytes(24).toString("base64url"),
    });
    this.#sessions.set(session.id, session);
    this.#keep(session.proxy, () => this.#sessions.delete(session.id));
    return session;
  }

  #sessionOf(request: Request, { token, cors }: Admitted, id: Pick<Problem, "id"> = {}): LegacySession | Response {
    const problem = (status: number, code: number, message: string, headers = {}) =>
      problemResponse({ status, code, message, headers: { ...cors, ...headers }, ...id });
    const version = request.headers.get("mcp-protocol-version");
    const named = request.headers.get("mcp-session-id");
    if (named === null || (version !== null && MODERN_VERSIONS.includes(version)))
      return problem(405, CODES.request, `${request.method} needs a session (Mcp-Session-Id)`, { allow: "POST" });
    if (version !== null && !LEGACY_VERSIONS.includes(version))
      return problem(400, CODES.request, `this version of the protocol isn't known; known are ${LEGACY_VERSIONS.join(", ")}`);
    const session = this.#sessions.get(named);
    if (session === undefined || session.token !== token || !session.proxy.isOpen) return problem(404, CODES.session, "Session not found");
    return session;
  }

  #fullness(request: Request, address: string, { message, cors }: Post): Response | undefined {
    const { maxSessions } = this.#parts;
    if (!this.#stopping && this.#living.size < maxSessions) return undefined;
    const text = this.#stopping ? "the proxy is being stopped" : `there are ${maxSessions} sessions already (--max-sessions)`;
    const problem = { status: 503, code: CODES.internal, message: text, headers: { ...cors, "retry-after": "5" } };
    return this.#refuse(request, address, this.#stopping ? "stopping" : "sessions", {
      ...problem,
      ...(message.kind === "request" ? { id: message.id } : {}),
    });
  }

  #keep(proxy: ServedProxy, forget: () => unknown): void {
    this.#living.add(proxy);
    void proxy.ended.then(() => {
      this.#living.delete(proxy);
      forget();
    });
  }

  /** What is said of a session names it by a number: its id lets in whoever has it. */
  #logOf(): Log {
    const session = ++this.#begun;
    return { log: (level, message, fields) => this.#parts.log.log(level, message, { ...fields, session }) };
  }

  #refuse(request: Request, address: string, reason: string, problem: Problem): Response {
    this.#parts.log.log("warn", "a request was refused", { reason, status: problem.status, method: request.method, from: address });
    return problemResponse(problem);
  }
}
