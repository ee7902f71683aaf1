// What do the tools for files do, and how would somebody put it back who looks at nothing? The policy for Synartesis stands apart (policy.ts).
import type { JsonObject } from "../../src/core/json.ts";
import { Refusal } from "./crm.ts";
import { textIn } from "./folder.ts";
import { type Call, done, edited, halfText, pick, type Tool, text } from "./tool.ts";

const file = (args: JsonObject): Call => ({ tool: "read_file", args: { path: args["path"] ?? null } });

/** Every tool for files, by name. */
export const FOLDER_TOOLS: Readonly<Record<string, Tool>> = {
  read_file: { family: "read", run: ({ folder }, args) => textIn(folder, text(args, "path")) },
  write_file: {
    family: "fields",
    run({ folder }, args) {
      folder.write(text(args, "path"), text(args, "text"));
      return done(args);
    },
    half: (args) => ({ ...args, text: halfText(text(args, "text")) }),
    look: file,
    back: (args, before) => ({ tool: "write_file", args: { ...pick(args, ["path"]), text: before } }),
  },
  edit_file: {
    family: "fields",
    run({ folder }, args) {
      folder.write(text(args, "path"), edited(textIn(folder, text(args, "path")), args));
      return done(args);
    },
    look: file,
    back: (args, before) => ({ tool: "write_file", args: { ...pick(args, ["path"]), text: before } }),
  },
  create_file: {
    family: "make",
    run({ folder }, args) {
      if (folder.read(text(args, "path")) !== undefined) throw new Refusal(`${text(args, "path")} is there already`);
      folder.write(text(args, "path"), text(args, "text"));
      return done(args);
    },
    scope: (args) => text(args, "path"),
    look: file,
    back: (args) => ({ tool: "delete_file", args: pick(args, ["path"]) }),
  },
  delete_file: {
    family: "remove",
    run({ folder }, args) {
      textIn(folder, text(args, "path"));
      folder.remove(text(args, "path"));
      return done(args);
    },
    scope: (args) => text(args, "path"),
    look: file,
    back: (args, before) => ({ tool: "create_file", args: { ...pick(args, ["path"]), text: before } }),
  },
};
