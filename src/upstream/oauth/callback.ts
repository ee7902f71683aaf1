// How does the answer of an authorization server come back? To an address on loopback, once, with the state that was sent along. Whatever
// else comes there is turned away and changes nothing.

/** What came back. */
export type CallbackAnswer =
  | { readonly kind: "code"; readonly code: string; readonly issuer: string | null }
  | { readonly kind: "refused"; readonly error: string; readonly description: string | null };

/** Waits for the answer. */
export interface Callback extends AsyncDisposable {
  /** Where the authorization server sends the browser. */
  readonly redirectUrl: string;
  readonly answer: Promise<CallbackAnswer>;
}

const PATH = "/callback";

/** Listens on 127.0.0.1 (RFC 8252, section 7.3); `port` 0: any that is free. @throws where the port is in use */
export function openCallback(state: string, port: number): Callback {
  const { promise, resolve } = Promise.withResolvers<CallbackAnswer>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port,
    fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname !== PATH || request.method !== "GET") return page(404, "There is nothing here.");
      const answer = searchParams.get("state") === state ? answerFrom(searchParams) : undefined;
      if (answer === undefined) return page(400, "This answer does not belong to the login that is waiting.");
      resolve(answer);
      const said = answer.kind === "code" ? "Synartesis has the answer." : "The login was refused.";
      return page(200, `${said} You can close this page.`);
    },
  });
  return {
    redirectUrl: `http://127.0.0.1:${server.port}${PATH}`,
    answer: promise,
    [Symbol.asyncDispose]: () => server.stop(), // lets the page that is under way reach the browser
  };
}

function answerFrom(parameters: URLSearchParams): CallbackAnswer | undefined {
  const error = parameters.get("error");
  if (error !== null) return { kind: "refused", error, description: parameters.get("error_description") };
  const code = parameters.get("code");
  return code === null || code === "" ? undefined : { kind: "code", code, issuer: parameters.get("iss") };
}

/** Every text is ours: nothing of the request is ever shown. */
function page(status: number, text: string): Response {
  return new Response(`<!doctype html><meta charset="utf-8"><title>Synartesis</title><p>${text}</p>\n`, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      connection: "close",
    },
  });
}
