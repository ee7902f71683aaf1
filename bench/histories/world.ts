// What is there, and how does its server behave? Customers, a folder, and what goes wrong with the next call: reads that lag, errors that did half,
// replies that never come.
import type { Json } from "../../src/core/json.ts";
import type { Cells } from "./cells.ts";
import { Crm, Refusal } from "./crm.ts";
import { copyOf, type Folder, folderCells } from "./folder.ts";
import type { Call } from "./tool.ts";
import { thingOf, toolOf } from "./tools.ts";

/**
 * What goes wrong with a changing call. `half`: it says that it failed, having done half. `nothing`: it says so, and did nothing. `lost-done`,
 * `lost-undone`: no reply comes. `lag`: so many reads of the thing still show what was there before.
 */
export type Fault =
  | { readonly kind: "none" | "half" | "nothing" | "lost-done" | "lost-undone" }
  | { readonly kind: "lag"; readonly reads: number };

export const NO_FAULT: Fault = { kind: "none" };

/** Tells whether no reply comes. */
export function isLost({ kind }: Fault): boolean {
  return kind === "lost-done" || kind === "lost-undone";
}

/** How a call ended: what the server says, or that nothing is heard of it. */
export type Said =
  | { readonly kind: "result"; readonly result: Json }
  | { readonly kind: "error"; readonly error: string }
  | { readonly kind: "lost" };

export class World {
  readonly crm: Crm;
  readonly folder: Folder;
  /** What goes wrong with each changing call from now on. */
  nextFault: () => Fault = () => NO_FAULT;
  /** What the latest change that was made gave, whether or not anybody heard of it. */
  result: Json = null;
  #lag: { reads: number; readonly thing: string; readonly old: World } | undefined;

  constructor(folder: Folder, crm = new Crm()) {
    this.crm = crm;
    this.folder = folder;
  }

  /** A copy in memory, without faults. */
  copy(): World {
    return new World(copyOf(this.folder), this.crm.copy());
  }

  cells(): Cells {
    return new Map([...this.crm.cells(), ...folderCells(this.folder)]);
  }

  /** Does a call and says what the server says of it. */
  call(call: Call): Said {
    try {
      return toolOf(call.tool).family === "read" ? { kind: "result", result: this.#read(call) } : this.#change(call);
    } catch (error) {
      if (error instanceof Refusal) return { kind: "error", error: error.message };
      throw error;
    }
  }

  /** Time passes: what lagged has caught up. */
  settle(): void {
    this.#lag = undefined;
  }

  #read(call: Call): Json {
    const lag = this.#lag;
    const isOld = lag !== undefined && lag.reads-- > 0 && lag.thing === (call.args["id"] ?? call.args["path"]);
    return toolOf(call.tool).run(isOld ? lag.old : this, call.args);
  }

  #change(call: Call): Said {
    const tool = toolOf(call.tool);
    const fault = this.nextFault();
    this.settle();
    if (fault.kind === "nothing") return { kind: "error", error: "the database is busy" };
    if (fault.kind === "lost-undone") return { kind: "lost" };
    if (fault.kind === "half") {
      tool.run(this, tool.half?.(call.args) ?? call.args);
      return { kind: "error", error: "failed in the middle" };
    }
    const old = fault.kind === "lag" ? this.copy() : undefined;
    const result = tool.run(this, call.args);
    this.result = result;
    if (fault.kind === "lag" && old !== undefined) this.#lag = { reads: fault.reads, thing: thingOf(call, result) ?? "", old };
    return fault.kind === "lost-done" ? { kind: "lost" } : { kind: "result", result };
  }
}
