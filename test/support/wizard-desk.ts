// How does a test sit before the wizard? Its keys, a server whose tools a test chooses, and the question that is asked now.
import { expect } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "./documents.ts";
import { type EmulatedTerminal, emulateTerminal } from "./emulator.ts";
import { BUN, EXECUTABLE, makeSandbox, ROOT, type Sandbox } from "./sandbox.ts";

export const [ENTER, ESCAPE, UP, DOWN, TAB, CTRL_C, CTRL_U] = ["\r", "\u001b", "\u001b[A", "\u001b[B", "\t", "\u0003", "\u0015"];

export const id = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
export const page = { type: "object", properties: { id: { type: "string" }, title: { type: "string" } }, required: ["id", "title"] };
export const READ = { name: "get_page", inputSchema: id, annotations: { readOnlyHint: true }, outputSchema: page };
export const TOOLS = [READ, { name: "update_page", inputSchema: page }, { name: "frobnicate", inputSchema: id }];

export interface Desk extends Disposable {
  readonly sandbox: Sandbox;
  readonly manifest: string;
  readonly progress: string;
  setTools(tools: readonly unknown[]): void;
  /** The id of the process that was opened last. */
  pid(): number;
  /** `init pages` with the server, at a terminal. */
  open(more?: { words?: string; columns?: number; env?: Record<string, string> }): EmulatedTerminal;
}

/** A sandbox with a server that lists these tools; without any it doesn't start, until it is told some. */
export function desk(tools: readonly unknown[] | undefined): Desk {
  const sandbox = makeSandbox();
  const file = join(sandbox.folder, "tools.json");
  const setTools = (listed: readonly unknown[]) => writeFileSync(file, JSON.stringify(listed));
  if (tools !== undefined) setTools(tools);
  const home = join(sandbox.folder, "home", ".synartesis");
  return {
    ...{
      sandbox,
      setTools,
      pid: () => Number(readFileSync(join(sandbox.folder, "pid"), "utf8")),
      manifest: join(home, "synartesis.yaml"),
      progress: join(home, "wizard.json"),
    },
    open: ({ words = "", columns = 100, env = {} } = {}) => {
      const server = `"${BUN}" "${ROOT}/test/support/listed-server.ts" "${file}"`;
      const line = `sh -c 'echo $$ > pid; exec "$0" "$@"' "$0" init pages ${words} -- ${server}; echo "ended with $?"; stty -a`;
      return emulateTerminal(sandbox, line, EXECUTABLE, { columns, env });
    },
    [Symbol.dispose]: () => sandbox[Symbol.dispose](),
  };
}

/** Waits for a question that shows this, and answers it. */
export async function answer(terminal: EmulatedTerminal, shown: string, keys: string): Promise<void> {
  // The question that is asked is the last one with a footer; an answered one has none.
  const isAsked = () => {
    const text = terminal.text();
    const at = text.lastIndexOf("◆");
    return at >= 0 && text.slice(at).includes(shown) && text.slice(at).includes("└");
  };
  await until(`it asks ${shown}`, isAsked);
  terminal.type(keys);
}

/** Waits for the end; the terminal has to be as it was. */
export async function ended(terminal: EmulatedTerminal, code: number): Promise<string> {
  await terminal.child.exited;
  await until("the terminal is told of", () => terminal.text().includes("icanon"));
  const text = terminal.text();
  expect(text).toContain(`ended with ${code}`);
  expect(text).toMatch(/(?<!-)icanon/);
  expect(text).toMatch(/ echo /);
  expect(terminal.bytes().lastIndexOf("\u001b[?25h")).toBeGreaterThanOrEqual(terminal.bytes().lastIndexOf("\u001b[?25l"));
  return text;
}
