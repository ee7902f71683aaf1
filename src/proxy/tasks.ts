// How does a task end that a call has become? Seen in what passes anyway: the answers to tasks/get and tasks/result, and notifications.
// We never ask for it ourselves while the client is there (2025-11-25, "Tasks"; the tasks extension of 2026-07-28).
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import type { TaskEnd } from "../recorder/unfinished.ts";
import type { NotificationMessage, RequestMessage, ResponseMessage } from "../wire/message.ts";

const INVALID_PARAMS = -32602;
const STATUS_METHODS = ["tasks/get", "tasks/cancel"];
const STATUS_NOTIFICATIONS = ["notifications/tasks/status", "notifications/tasks"];

interface Followed {
  readonly end: PromiseWithResolvers<TaskEnd | undefined>;
  /** It ended well, but what came of it hasn't been seen yet. */
  completed: boolean;
}

/** The tasks of a session's calls that haven't ended. */
export class Tasks {
  readonly #followed = new Map<string, Followed>();

  /** Follows a task from its creation on. Resolves with its end; undefined where that isn't seen. */
  follow(task: string): Promise<TaskEnd | undefined> {
    const followed = this.#followed.get(task) ?? { end: Promise.withResolvers<TaskEnd | undefined>(), completed: false };
    this.#followed.set(task, followed);
    return followed.end.promise;
  }

  /** Looks at the server's answer to a request of the client's. */
  answered(request: RequestMessage, response: ResponseMessage): void {
    if (this.#followed.size === 0) return;
    const params = request.value["params"];
    const task = isJsonObject(params) ? params["taskId"] : undefined;
    if (typeof task !== "string") return;
    const { result, error } = response.value;
    if (STATUS_METHODS.includes(request.method) && isJsonObject(result)) this.#look(task, result);
    if (request.method !== "tasks/result") return;
    if (result !== undefined) this.#end(task, { kind: "result", result });
    // Otherwise it may only say that there is no such task any more.
    else if (isJsonObject(error) && error["code"] !== INVALID_PARAMS) this.#end(task, { kind: "error", error });
  }

  /** Looks at a notification of the server. */
  notified({ method, value }: NotificationMessage): void {
    if (this.#followed.size === 0 || !STATUS_NOTIFICATIONS.includes(method)) return;
    const { params } = value;
    if (isJsonObject(params) && typeof params["taskId"] === "string") this.#look(params["taskId"], params);
  }

  /** The server is gone, and its tasks with it. */
  lost(): void {
    for (const task of [...this.#followed.keys()]) this.#end(task, { kind: "lost", reason: "server-ended" });
  }

  /** Nothing more will be seen. */
  abandon(): void {
    for (const [task, { completed }] of [...this.#followed]) this.#end(task, completed ? { kind: "result", result: {} } : undefined);
  }

  #look(task: string, state: JsonObject): void {
    const followed = this.#followed.get(task);
    if (followed === undefined) return;
    if (state["status"] === "completed") {
      if (state["result"] === undefined) followed.completed = true;
      else this.#end(task, { kind: "result", result: state["result"] });
    } else if (state["status"] === "failed") {
      this.#end(task, { kind: "error", error: state["error"] ?? failure(state) });
    } else if (state["status"] === "cancelled") this.#end(task, { kind: "cancelled" });
  }

  #end(task: string, end: TaskEnd | undefined): void {
    this.#followed.get(task)?.end.resolve(end);
    this.#followed.delete(task);
  }
}

function failure(state: JsonObject): Json {
  const words = state["statusMessage"];
  return { message: typeof words === "string" ? words : "the task failed" };
}
