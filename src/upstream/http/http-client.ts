// How does one HTTP request leave, and what comes back? With the manifest's headers or a login's token, which never go to another origin.
// Waits as long as the server takes. Nothing is ever sent twice, unless the server has refused it unseen (a redirect, a 401).

import { LARGE } from "../../core/large.ts";
import { inParts } from "../../wire/http/in-parts.ts";
import type { Loss } from "../upstream.ts";
import { failureOf, redirectLoss, redirectTarget, statusText } from "./failures.ts";

/** Access tokens of one server, as somebody has logged in to it. */
export interface Login {
  /** The token to send; undefined where nobody has logged in. */
  token(): Promise<string | undefined>;
  /** A token in place of one that was refused, or why there is none. */
  renew(
    refused: string | undefined,
  ): Promise<{ readonly kind: "token"; readonly token: string } | { readonly kind: "none"; readonly why: string }>;
}

/** Where a server is, and with what it is spoken to. */
export interface HttpPlace {
  readonly url: URL;
  /** With variables expanded. */
  readonly headers: Readonly<Record<string, string>>;
  readonly login?: Login;
}

export interface HttpRequest {
  readonly method: "GET" | "POST" | "DELETE";
  /** The server's own address unless given; of the same origin. */
  readonly url?: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal: AbortSignal;
}

/** What came back: a response of whatever status but 401 and redirects, or why there is none. */
export type HttpAnswer = { readonly kind: "response"; readonly response: Response } | { readonly kind: "failed"; readonly loss: Loss };

const MAX_REDIRECTS = 5;

/** Speaks HTTP with one server. */
export class HttpClient {
  readonly #place: HttpPlace;
  readonly #hasOwnAuthorization: boolean;

  constructor(place: HttpPlace) {
    this.#place = place;
    this.#hasOwnAuthorization = Object.keys(place.headers).some((name) => name.toLowerCase() === "authorization");
  }

  get url(): URL {
    return this.#place.url;
  }

  /** Sends a request. Never rejects. */
  async send(request: HttpRequest): Promise<HttpAnswer> {
    const token = await this.#token();
    const answer = await this.#follow(request, token);
    if (answer.kind === "failed" || answer.response.status !== 401) return answer;
    letGo(answer.response);
    if (this.#hasOwnAuthorization) return refused(`it refuses the Authorization header of the manifest (${statusText(answer.response)})`);
    if (this.#place.login === undefined) return refused(`it wants a login (${statusText(answer.response)})`);
    const renewed = await this.#place.login.renew(token);
    if (renewed.kind === "none") return refused(`it wants a login (${statusText(answer.response)}): ${renewed.why}`);
    const again = await this.#follow(request, renewed.token);
    if (again.kind === "failed" || again.response.status !== 401) return again;
    letGo(again.response);
    return refused(`it refuses a token that was issued just now (${statusText(again.response)})`);
  }

  async #token(): Promise<string | undefined> {
    return this.#hasOwnAuthorization ? undefined : this.#place.login?.token();
  }

  async #follow(request: HttpRequest, token: string | undefined): Promise<HttpAnswer> {
    let url = request.url ?? this.#place.url;
    for (let followed = 0; ; followed++) {
      const answer = await this.#fetch(url, request, token);
      if (answer.kind === "failed" || answer.response.status < 300 || answer.response.status > 399) return answer;
      letGo(answer.response);
      const target = redirectTarget(answer.response, url);
      // After other redirects than these a POST would become a GET (RFC 9110, section 15.4).
      const isFollowed = request.method === "GET" || [307, 308].includes(answer.response.status);
      if (target === undefined || target.origin !== url.origin || !isFollowed || followed >= MAX_REDIRECTS)
        return { kind: "failed", loss: redirectLoss(answer.response, url) };
      url = target;
    }
  }

  async #fetch(url: URL, request: HttpRequest, token: string | undefined): Promise<HttpAnswer> {
    const headers = new Headers({ "user-agent": "synartesis", ...this.#place.headers });
    if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
    for (const [name, value] of Object.entries(request.headers)) headers.set(name, value);
    const isWhole = (request.body?.length ?? 0) < LARGE;
    if (!isWhole) headers.set("content-length", String(request.body?.length)); // many servers take nothing without it
    try {
      const response = await fetch(url, {
        method: request.method,
        headers,
        ...(request.body === undefined ? {} : { body: isWhole ? request.body : inParts(request.body) }),
        redirect: "manual",
        timeout: false, // a stream may stay quiet for as long as it likes
        signal: request.signal,
      });
      return { kind: "response", response };
    } catch (error) {
      if (request.signal.aborted) return { kind: "failed", loss: { why: "the request was given up", sent: true } };
      return { kind: "failed", loss: failureOf(error, url) };
    }
  }
}

/** Lets go of a body that nobody reads. */
export function letGo(response: Response): void {
  response.body?.cancel().catch(() => undefined); // it may be broken already, which is as good
}

function refused(why: string): HttpAnswer {
  return { kind: "failed", loss: { why, sent: false } };
}
