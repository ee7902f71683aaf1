// What do hostile clients do to an endpoint? One kind of it, over and over, at a pace that doesn't depend on the answers, until killed.
//   bun trouble.ts KIND URL TOKEN        says one line when it is under way
const MIB = 1024 * 1024;
const HELLO = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}';
const JSON_TYPE = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** What each does with the endpoint and a right token; resolves when it is under way. */
export const KINDS = {
  connections: { name: "1,000 half-open connections: no headers, half of them, half a body", run: connections },
  sessions: { name: "200 sessions a second begun and left, beyond --max-sessions", run: paced(5, (url, token) => begin(url, token)) },
  refused: { name: "200 requests a second with a hostile Host or Origin, or a wrong token", run: paced(5, refused) },
  bodies: { name: "bodies of 100 MiB, one after the other, declared and chunked", run: bodies },
  elsewhere: { name: "for comparison: the same bodies at a bare endpoint of another process", run: elsewhere },
} as const;
export type Kind = keyof typeof KINDS;

type Run = (url: string, token: string) => Promise<void>;

async function connections(url: string, token: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const head = `POST /mcp HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\nAuthorization: Bearer ${token}\r\n`;
  const halves = ["", head.slice(0, 40), head, `${head}Content-Length: 9000\r\n\r\n{"jsonrpc":`];
  const open = async (text: string): Promise<unknown> => {
    const close = () => void open(text).catch(() => undefined); // cut: comes again, so that there are always as many
    const socket = await Bun.connect({ hostname, port: Number(port), socket: { data() {}, close, error() {} } });
    return socket.write(text);
  };
  await Promise.all(Array.from({ length: 1000 }, (_, at) => open(halves[at % halves.length] ?? "")));
}

/** Does something every so many milliseconds, whatever has become of the last time. */
function paced(every: number, act: (url: string, token: string, number: number) => Promise<Response>): Run {
  return async (url, token) => {
    let number = 0;
    const once = () =>
      act(url, token, number++).then(
        (response) => response.text(),
        () => undefined,
      );
    await once();
    setInterval(once, every);
  };
}

function begin(url: string, token: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { method: "POST", headers: { ...JSON_TYPE, authorization: `Bearer ${token}`, ...headers }, body: HELLO });
}

function refused(url: string, token: string, number: number): Promise<Response> {
  const hostile: Record<string, string>[] = [
    { host: "evil.example" },
    { origin: "https://evil.example" },
    { authorization: "Bearer wrong-wrong-wrong" },
    { authorization: "Bearer x" },
    { authorization: "" },
  ];
  return begin(url, token, hostile[number % hostile.length]);
}

async function bodies(url: string, token: string): Promise<void> {
  const headers = { ...JSON_TYPE, authorization: `Bearer ${token}` };
  const piece = new Uint8Array(MIB).fill(0x20);
  const chunked = () => {
    let left = 100;
    return new ReadableStream<Uint8Array>({ pull: (own) => (left-- > 0 ? own.enqueue(piece) : own.close()) });
  };
  const send = (body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>) =>
    fetch(url, { method: "POST", headers, body }).then(
      (response) => response.text(),
      () => undefined, // refused while it was still sent
    );
  const whole = new Uint8Array(100 * MIB).fill(0x20);
  void (async () => {
    for (;;) {
      await send(whole);
      await send(chunked());
    }
  })();
}

/** Keeps the machine as busy with such bodies, and the endpoint not at all. */
async function elsewhere(_: string, token: string): Promise<void> {
  const sink = Bun.spawn([process.execPath, import.meta.path, "sink"], { stdin: "ignore", stdout: "pipe" });
  process.on("SIGTERM", () => {
    sink.kill();
    process.exit();
  });
  const { value } = await sink.stdout.getReader().read();
  await bodies(new TextDecoder().decode(value).trim(), token);
}

/** Takes bodies as the endpoint does, whole or up to its limit, and refuses them. */
function serveSink(): void {
  const refusal = () => new Response("", { status: 413, headers: { connection: "close" } });
  const take = async ({ headers, body }: Request) => {
    let left = headers.has("content-length") ? 0 : 64 * MIB;
    const reader = body?.getReader();
    while (left > 0) left -= (await reader?.read())?.value?.length ?? left;
    return refusal();
  };
  console.log(Bun.serve({ hostname: "127.0.0.1", port: 0, maxRequestBodySize: 1024 * MIB, fetch: take }).url.href);
}

if (import.meta.main && process.argv[2] === "sink") serveSink();
else if (import.meta.main) {
  const [kind, url = "", token = ""] = process.argv.slice(2);
  await KINDS[kind as Kind].run(url, token); // the benchmark gives one of them
  console.log("under way");
  setInterval(() => undefined, 1000);
}
