// How do two processes of one user on one machine speak, a message a line? Over a socket in the file system that nobody else can open. Knows no
// messages, and never speaks to what another user has put in its place.
import { lstatSync, mkdtempSync, readlinkSync, rmdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { geteuid, umask } from "node:process";
import { type LineWriter, lineWriter } from "./peer.ts";

/** The longest path that a socket can have everywhere, in bytes (sun_path in unix(7): 108 on Linux, 104 on macOS, with a NUL). */
const LONGEST_PATH = 103;

/** How the name of a private folder begins. */
const PRIVATE = "synartesis-";

/** One connection. `close` ends it at once. */
export interface LocalStreams {
  readonly input: ReadableStream<Uint8Array>;
  readonly output: LineWriter;
  close(): void;
}

/**
 * Listens at `path`, mode 0600. Where no socket can be there (the path is too long, or the file system has none), it is a link to one in a private
 * folder. Gives what stops it, removes the socket and ends every connection. @throws Error where the file system doesn't let us
 */
export function listenLocally(path: string, onConnection: (streams: LocalStreams) => void): () => void {
  const listener = listenAt(path, onConnection) ?? listenElsewhere(path, onConnection);
  listener.unref();
  return () => {
    listener.stop(true);
    removeLocalSocket(path);
  };
}

type Listener = Bun.UnixSocketListener<Channel>;

function listenAt(path: string, onConnection: (streams: LocalStreams) => void): Listener | undefined {
  if (Buffer.byteLength(path) > LONGEST_PATH) return undefined;
  // The mode has to be right from the beginning; nothing else can run in between.
  const before = umask(0o177);
  try {
    return Bun.listen<Channel>({ unix: path, socket: handlers((channel) => onConnection(channel.streams)) });
  } catch {
    return undefined; // whatever the reason, there may be a better place
  } finally {
    umask(before);
  }
}

function listenElsewhere(path: string, onConnection: (streams: LocalStreams) => void): Listener {
  const elsewhere = join(mkdtempSync(join(roomyFolder(), PRIVATE)), "s");
  symlinkSync(elsewhere, path);
  const listener = listenAt(elsewhere, onConnection);
  if (listener !== undefined) return listener;
  removeLocalSocket(path);
  throw new Error(`nothing can listen at ${path}, or at ${elsewhere}`);
}

/** Connects to a socket; undefined where nobody listens there, or where it belongs to another user. */
export async function connectLocally(path: string): Promise<LocalStreams | undefined> {
  const { promise, resolve } = Promise.withResolvers<LocalStreams | undefined>();
  try {
    const own = behind(path);
    if (statSync(own).uid !== geteuid?.()) return undefined;
    await Bun.connect<Channel>({ unix: own, socket: handlers((channel) => resolve(channel.streams)) });
    return await promise;
  } catch {
    return undefined; // no such socket, or nobody behind it any more
  }
}

/** Removes a socket, and the private folder that it may lie in. One that is gone is no error; what else a link leads to stays. */
export function removeLocalSocket(path: string): void {
  const own = behind(path);
  rmSync(path, { force: true });
  const folder = dirname(own);
  if (own === path || !basename(folder).startsWith(PRIVATE) || lstatSync(own, { throwIfNoEntry: false })?.isSocket() === false) return;
  rmSync(own, { force: true });
  try {
    rmdirSync(folder);
  } catch {
    // It is gone, or has something in it that isn't ours.
  }
}

function behind(path: string): string {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : path;
}

function roomyFolder(): string {
  return Buffer.byteLength(tmpdir()) <= LONGEST_PATH - 24 ? tmpdir() : "/tmp";
}

function handlers(onOpen: (channel: Channel) => void): Bun.SocketHandler<Channel> {
  return {
    open(socket) {
      socket.data = new Channel(socket);
      onOpen(socket.data);
    },
    data: ({ data }, chunk) => data.take(chunk),
    drain: ({ data }) => data.drained(),
    close: ({ data }) => data.closed(),
    error: ({ data }) => data.closed(),
  };
}

/** How much may be read ahead, in bytes. */
const READ_AHEAD = 1024 * 1024;

/** A socket as streams; both sides feel it where the other can't keep up. */
class Channel {
  readonly streams: LocalStreams;
  readonly #socket: Bun.Socket<Channel>;
  #reader: ReadableStreamDefaultController<Uint8Array> | undefined;
  #waiting: (() => void)[] = [];
  #isClosed = false;

  constructor(socket: Bun.Socket<Channel>) {
    this.#socket = socket;
    const input = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#reader = controller;
        },
        pull: () => void socket.resume(),
        cancel: () => this.closed(),
      },
      { highWaterMark: READ_AHEAD, size: (chunk) => chunk?.length ?? 0 },
    );
    this.streams = {
      input,
      output: lineWriter({ write: (chunk) => this.#write(chunk), flush: () => undefined, end: () => socket.end() }),
      close: () => socket.terminate(),
    };
  }

  take(chunk: Uint8Array): void {
    this.#reader?.enqueue(new Uint8Array(chunk)); // a copy: what comes from a socket is only lent
    if ((this.#reader?.desiredSize ?? 0) <= 0) this.#socket.pause();
  }

  drained(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.drained();
    try {
      this.#reader?.close();
    } catch {
      // Whoever read it has let go of it.
    }
  }

  async #write(chunk: Uint8Array): Promise<number> {
    for (let rest = chunk; rest.length > 0; ) {
      const written = this.#isClosed ? -1 : this.#socket.write(rest);
      if (written < 0) throw new Error("the socket is closed");
      rest = rest.subarray(written);
      if (rest.length > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    return chunk.length;
  }
}
