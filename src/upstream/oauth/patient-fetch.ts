// How long may an authorization server take? Not for ever: a person, or a refused call, waits for it.

const LIMIT = 30_000;

/** `fetch` that gives up after 30 s. */
export function patientFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  return fetch(url, { ...init, signal: AbortSignal.timeout(LIMIT) });
}
