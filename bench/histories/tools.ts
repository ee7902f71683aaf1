// Which tools are there, and what does a call of one touch? One table, for the server, the judge and the baselines alike.
import type { Json } from "../../src/core/json.ts";
import { Refusal } from "./crm.ts";
import { CRM_TOOLS } from "./crm-tools.ts";
import { FOLDER_TOOLS } from "./folder-tools.ts";
import type { Call, Tool } from "./tool.ts";

/** Every tool by name. */
export const TOOLS: Readonly<Record<string, Tool>> = { ...CRM_TOOLS, ...FOLDER_TOOLS };

/** Gives a tool that has to be there. */
export function toolOf(name: string): Tool {
  const tool = TOOLS[name];
  if (tool === undefined) throw new Refusal(`no such tool: ${name}`);
  return tool;
}

/** The thing that a call touches: a customer or a file; undefined for one that touches none. */
export function thingOf({ tool, args }: Call, result: Json): string | undefined {
  if (toolOf(tool).family === "read" || tool === "send_mail") return undefined;
  const made = result !== null && typeof result === "object" && "id" in result ? result["id"] : undefined;
  const thing = args["id"] ?? args["path"] ?? made;
  return thing === undefined ? undefined : String(thing);
}
