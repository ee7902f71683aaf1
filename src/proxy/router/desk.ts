// What do the parts of the router share? The servers, the client's requests under way, and the ways to both sides.
import type { Log } from "../../core/log.ts";
import { isModernRequest } from "../../wire/era.ts";
import type { NotificationMessage, RequestMessage, ResponseMessage } from "../../wire/message.ts";
import { unansweredError } from "../answers.ts";
import { ClientRequests } from "./client-requests.ts";
import { type Gathered, gather } from "./gathering.ts";
import { ResourceOwners } from "./resource-owners.ts";
import type { RoutedServer } from "./routed-server.ts";
import { unmarkTasks } from "./task-ids.ts";

export interface DeskParts {
  /** In the order of the manifest. */
  readonly servers: readonly RoutedServer[];
  readonly log: Log;
  /** Writes one message to the client. */
  readonly write: (bytes: Uint8Array) => void;
  /** Our own version. */
  readonly version: string;
}

/** The router's desk. */
export class Desk {
  readonly servers: readonly RoutedServer[];
  readonly requests = new ClientRequests();
  readonly owners = new ResourceOwners();
  readonly log: Log;
  readonly write: (bytes: Uint8Array) => void;
  readonly version: string;

  constructor({ servers, log, write, version }: DeskParts) {
    this.servers = servers;
    this.log = log;
    this.write = write;
    this.version = version;
  }

  /** Hands a message to a server's session, with the task ids that the server knows. */
  send(server: RoutedServer, message: RequestMessage | NotificationMessage | ResponseMessage): void {
    server.receive?.(unmarkTasks(message, server));
  }

  /** Sends a request to one server; where that answers with an error, to the next. */
  ask(message: RequestMessage, servers: readonly RoutedServer[]): void {
    const [server, ...rest] = servers;
    if (server === undefined) throw new TypeError("a request for no server");
    // Not left to the session: it might hold the call, and a person's approval would lead nowhere.
    const why = server.whyNot(isModernRequest(message));
    if (why !== undefined) {
      this.write(unansweredError(message.id, server.name, `${why}. This request was not sent to it`));
      return;
    }
    this.requests.open(message.id, { kind: "asked", message, server, rest, failure: undefined, cancelled: false });
    this.send(server, message);
  }

  /**
   * Sends a request to several servers, as `write` gives it for each, and answers the client with what `finish` makes of their answers
   * (undefined: nothing yet). Waits at most `patience` milliseconds. At least one server.
   */
  askAll(
    message: RequestMessage,
    requests: readonly { readonly server: RoutedServer; readonly message: RequestMessage }[],
    patience: number,
    finish: (gathered: Gathered) => Uint8Array | undefined,
  ): void {
    const names = requests.map(({ server }) => server.name);
    const gathering = gather(names, patience, (gathered) => {
      this.requests.end(message.id);
      for (const name of gathered.silent)
        this.log.log(
          "warn",
          `the server ${name} did not answer ${message.method} within ${patience / 1000} s; the others' answers go on without it`,
        );
      const answer = finish(gathered);
      if (answer !== undefined) this.write(answer);
    });
    this.requests.open(message.id, { kind: "gathered", gathering });
    for (const request of requests) this.send(request.server, request.message);
  }

  server(name: string): RoutedServer | undefined {
    return this.servers.find((server) => server.name === name);
  }
}
