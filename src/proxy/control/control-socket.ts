// How does another process of ours reach the sessions of this one? Over a socket beside the journal, as long as one of them goes on. Without it
// everything works, but an undo of a run that is going on would have to start its servers a second time.
import type { Log } from "../../core/log.ts";
import { controlPlace, staleControls } from "../../journal/control-place.ts";
import { selfIdentity } from "../../journal/process-identity.ts";
import { listenLocally, removeLocalSocket } from "../../wire/local-socket.ts";
import type { RunHandle } from "../run-handle.ts";
import type { LiveSession } from "./live-session.ts";
import { type ControlParts, serveControl } from "./serve-control.ts";

/** The sessions of this process, and the socket by which they are reached. */
export class ControlSocket {
  readonly #log: Log;
  readonly #sessions = new Set<LiveSession>();
  #place: string | undefined;
  #stop: (() => void) | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Listens beside this journal, from the first time on. That it can't is logged, and stops nothing. */
  listen(journal: string): void {
    if (this.#place !== undefined) return;
    this.#place = controlPlace(journal, selfIdentity());
    try {
      for (const stale of [...staleControls(journal), this.#place]) removeLocalSocket(stale);
      const parts: ControlParts = { log: this.#log, sessions: this.#sessions, sent: new Set(), made: new Map() };
      this.#stop = listenLocally(this.#place, (streams) => serveControl(streams, parts));
    } catch (error) {
      this.#log.log("warn", "there is no control socket, so undo --live starts servers of its own", { why: String(error) });
    }
  }

  /** Adds a session; another one of the same server ended before. */
  add(session: LiveSession): void {
    for (const before of this.#sessions)
      if (before.server === session.server && before.runHandle === session.runHandle) this.#sessions.delete(before);
    this.#sessions.add(session);
  }

  /** The sessions of a client end. */
  remove(runHandle: RunHandle): void {
    for (const session of this.#sessions) if (session.runHandle === runHandle) this.#sessions.delete(session);
  }

  /** Stops listening, and removes the socket. */
  close(): void {
    this.#stop?.();
  }
}
