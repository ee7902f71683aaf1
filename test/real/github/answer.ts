// How does the stand-in answer a request, and refuse one? With the statuses and words of GitHub's API.

/** What a route is handed. */
export interface Asked {
  /** What the pattern's groups matched, decoded. */
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
  /** The body as JSON; an empty object where there is none. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** A method and a pattern of the path, and what answers. */
export type Route = readonly [method: string, path: RegExp, answer: (asked: Asked) => Answer];

export interface Answer {
  readonly status: number;
  /** Absent: no body. */
  readonly json?: unknown;
}

/** A refusal; it ends the request. */
export class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Answers with a value. */
export function ok(json: unknown, status = 200): Answer {
  return { status, json };
}

/** Answers without one. */
export const NOTHING: Answer = { status: 204 };

/** Gives what has to be there. @throws Refusal (404) */
export function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Refusal(404, "Not Found");
  return value;
}

/** Refuses what isn't valid. @throws Refusal (422) */
export function check(isValid: boolean, message: string): void {
  if (!isValid) throw new Refusal(422, `Validation Failed: ${message}`);
}
