// How does the demo CRM keep its state, while a person may edit the same file? Reads anew on every call, replaces the file as a whole.
// Never writes over a file that it could not read, nor over an edit made since it read.
import { randomUUID } from "node:crypto";
import { open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseJson } from "../../core/json.ts";
import { SynartesisError, systemCode } from "../../errors.ts";
import { type CrmState, checkState, newState, type Operation, seedCustomers } from "./customers.ts";

/** How often a change starts over because somebody else wrote in the meantime. */
const ATTEMPTS = 20;

/** The CRM's state in one JSON file. */
export interface StateFile {
  /** Runs an operation on the state as it is in the file now, and writes the state that it gives, if any. One at a time; never rejects. */
  run<Value>(operation: (state: CrmState) => Operation<Value>): Promise<Operation<Value>>;
}

/**
 * Opens a state file, creating it if there is none.
 * @param options.seed starts a new file with the demo's customers instead of none
 */
export async function openStateFile(path: string, options: { readonly seed?: boolean } = {}): Promise<StateFile> {
  await createIfMissing(path, newState(options.seed === true ? seedCustomers() : []));
  let last: Promise<unknown> = Promise.resolve();
  return {
    run(operation) {
      const mine = last.then(() => runOnce(path, operation)).catch((error: unknown) => refused(path, error));
      last = mine;
      return mine;
    },
  };
}

async function runOnce<Value>(path: string, operation: (state: CrmState) => Operation<Value>): Promise<Operation<Value>> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const text = await readFile(path, "utf8");
    const checked = readState(text);
    if (checked.kind === "invalid") return { kind: "refused", message: `the state file ${path} can't be used: ${checked.reason}` };
    const outcome = operation(checked.state);
    if (outcome.kind === "refused" || outcome.state === undefined) return outcome;
    if (await replace(path, text, outcome.state)) return outcome;
  }
  return { kind: "refused", message: `the state file ${path} is being written by somebody else all the time; nothing was changed` };
}

function readState(text: string): ReturnType<typeof checkState> {
  try {
    return checkState(parseJson(text.replace(/^\uFEFF/, "")));
  } catch (error) {
    if (error instanceof SyntaxError) return { kind: "invalid", reason: `it is no valid JSON (${error.message})` };
    throw error;
  }
}

/** Replaces the file, unless it no longer holds the text that the change was made from. */
async function replace(path: string, expected: string, state: CrmState): Promise<boolean> {
  const target = await realpath(path);
  const { mode } = await stat(target);
  const temporary = join(dirname(target), `.crm-${randomUUID()}.tmp`);
  try {
    await writeDurably(temporary, "wx", state, mode & 0o777);
    if ((await readFile(target, "utf8")) !== expected) return false;
    await rename(temporary, target);
    return true;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function createIfMissing(path: string, state: CrmState): Promise<void> {
  try {
    await writeDurably(path, "wx", state, 0o644);
  } catch (error) {
    if (systemCode(error) === "EEXIST") return;
    throw new SynartesisError(
      "usage",
      `the state file ${path} can't be created: ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
      },
    );
  }
}

async function writeDurably(path: string, flags: "wx", state: CrmState, mode: number): Promise<void> {
  const file = await open(path, flags, mode);
  try {
    await file.writeFile(`${JSON.stringify(state, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

function refused(path: string, error: unknown): { readonly kind: "refused"; readonly message: string } {
  const reason = error instanceof Error ? error.message : String(error);
  return { kind: "refused", message: `the state file ${path} can't be used: ${reason}` };
}
