// How is an error told? What and a hint, to a person; code, message and hint, to a program. Never a stack unless asked for.
import { SynartesisError } from "../../errors.ts";
import { visibleLines } from "./visible.ts";

/** Gives the lines for stderr, with their newline. `debug`: with the stack. */
export function errorText(error: unknown, debug: boolean): string {
  const lines =
    error instanceof SynartesisError
      ? [`synartesis: ${visibleLines(error.message)}`, ...(error.hint === undefined ? [] : [`  hint: ${visibleLines(error.hint)}`])]
      : [`synartesis: ${visibleLines(messageOf(error)).split("\n")[0]}`, "  hint: this is a bug; with SYNARTESIS_DEBUG=1 it shows where"];
  if (debug && error instanceof Error) lines.push(visibleLines(error.stack ?? ""));
  return `${lines.join("\n")}\n`;
}

/** Gives what `--json` prints on stdout: `{ "error": { "code", "message", "hint" } }`; hint is null where there is none. */
export function errorDocument(error: unknown): { error: { code: string; message: string; hint: string | null } } {
  if (error instanceof SynartesisError) return { error: { code: error.code, message: error.message, hint: error.hint ?? null } };
  return { error: { code: "bug", message: messageOf(error), hint: null } };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
