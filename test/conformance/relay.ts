// How does a client without a header of its own get past a token? By this relay on loopback, which adds it. All else passes as it came: Host,
// Origin, bodies and streams.

/** Starts it, on a free port. */
export function startRelay(to: string, token: string): Disposable & { readonly url: string } {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch(request) {
      const headers = new Headers(request.headers);
      headers.set("authorization", `Bearer ${token}`);
      const { method, body, signal } = request;
      return fetch(to, { method, headers, body, signal, decompress: false, redirect: "manual" });
    },
  });
  return { url: `http://127.0.0.1:${server.port}/mcp`, [Symbol.dispose]: () => void server.stop(true) };
}
