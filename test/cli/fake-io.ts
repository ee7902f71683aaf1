// A world of its own for a command: a folder as home and current folder, outputs that are kept, a clock that stands.
import type { Io, Output } from "../../src/cli/io.ts";

export interface FakeIo extends Io {
  readonly out: () => string;
  readonly err: () => string;
}

/** Builds it; `folder` is the home and the current folder unless told otherwise. */
export function fakeIo(folder: string, args: readonly string[], told: Partial<Io> = {}): FakeIo {
  const stdout = kept();
  const stderr = kept();
  return {
    args,
    env: { PATH: "" },
    cwd: folder,
    home: folder,
    loginName: "maria",
    executable: ["/opt/own tools/synartesis"],
    stdout: stdout.output,
    stderr: stderr.output,
    stdin: { isTerminal: false, stream: () => new ReadableStream() },
    colour: false,
    now: () => Date.UTC(2026, 2, 1, 12, 0, 0),
    onSignal: () => () => {},
    suspend: () => {},
    readLine: async () => undefined,
    nextKey: async () => undefined,
    forgetKeys: async () => false,
    onKeyName: () => () => {},
    ...told,
    out: stdout.text,
    err: stderr.text,
  };
}

function kept(): { output: Output; text: () => string } {
  let text = "";
  const decoder = new TextDecoder();
  const write = (data: string | Uint8Array) => {
    text += typeof data === "string" ? data : decoder.decode(data);
  };
  return { output: { write, isTerminal: false, columns: 80, closed: false, onClosed: () => {} }, text: () => text };
}
