// How are the tasks of several servers told apart? A task's id gets its server's name in front on the way to the client, and loses it
// on the way back, wherever it stands (2025-11-25, "Tasks"). Ids of tasks that the client itself runs are its own, and stay.
import { mentions, readMember } from "../../wire/envelope.ts";
import type { NotificationMessage, RequestMessage, ResponseMessage } from "../../wire/message.ts";
import { respell, valueAt } from "../../wire/respell.ts";
import { prependToString } from "../../wire/splice.ts";
import type { RoutedServer } from "./routed-server.ts";

const RELATED = "io.modelcontextprotocol/related-task";

/** Puts the server's name in front of the task ids at the paths, and of the one that a message says it belongs to. */
export function markTasks(
  bytes: Uint8Array,
  server: RoutedServer,
  paths: readonly (readonly string[])[],
  isClients: (taskId: string) => boolean,
): Uint8Array {
  // Printed by hand or by a library, the name's slash may be escaped; what stands around it isn't.
  const related = mentions(bytes, "related-task") ? RELATED_PATHS : [];
  return [...paths, ...related].reduce((marked, path) => {
    const id = readMember(marked, path);
    if (typeof id !== "string" || isClients(id)) return marked;
    return prependToString(marked, path, server.prefix) ?? marked;
  }, bytes);
}

/** Takes the server's name away from the task id that a message says it belongs to. */
export function unmarkTasks<M extends RequestMessage | NotificationMessage | ResponseMessage>(message: M, server: RoutedServer): M {
  return RELATED_PATHS.reduce((unmarked, path) => {
    const id = valueAt(unmarked.value, path);
    if (typeof id !== "string" || !id.startsWith(server.prefix)) return unmarked;
    return respell(unmarked, path, id.slice(server.prefix.length));
  }, message);
}

const RELATED_PATHS = [
  ["params", "_meta", RELATED, "taskId"],
  ["result", "_meta", RELATED, "taskId"],
] as const;
