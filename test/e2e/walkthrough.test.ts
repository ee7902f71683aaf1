// Does docs/walkthrough.md still print what it shows?
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { makeSandbox, ROOT } from "../support/sandbox.ts";
import { commandsIn, typeDocument } from "../support/typed-document.ts";

test("the walkthrough prints what it shows, typed from the document with the executable only", async () => {
  using sandbox = makeSandbox();
  expect(await typeDocument(sandbox, "docs/walkthrough.md")).toBe(sandbox.folder);
  expect(await Bun.file(join(sandbox.folder, "crm-walk", "crm.json")).exists()).toBe(false);
});

test("the walkthrough uses every command that a day with Synartesis needs", () => {
  const commands = commandsIn(readFileSync(join(ROOT, "docs", "walkthrough.md"), "utf8")).map(({ command }) => command);
  for (const word of ["init", "check", "list", "show", "undo --dry-run", "undo --yes", "gates", "approve", "deny", "audit verify"])
    expect(commands.some((command) => command.startsWith(`synartesis ${word}`))).toBe(true);
});
