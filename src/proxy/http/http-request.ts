// What is known of a POST once it has been let in and read? Handed from the front to a session; not a rule in it.
import type { WireMessage } from "../../wire/message.ts";
import type { Accepted } from "./accept.ts";
import type { HeaderRecord } from "./check-request.ts";

export interface Post {
  /** On one line. */
  readonly message: WireMessage;
  readonly accepted: Accepted;
  readonly headers: Headers;
  /** The name of the token. */
  readonly token: string;
  /** Belongs on the answer. */
  readonly cors: HeaderRecord;
  /** Aborted when the client goes away before it has the whole answer. */
  readonly signal: AbortSignal;
}
