// What does a manifest's file say? Reads and loads it. Never half of it: one problem anywhere, and there is no policy (promise 5).
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { SynartesisError, systemCode } from "../errors.ts";
import type { Loading } from "../manifest/load.ts";
import type { Problem } from "../manifest/problem.ts";
import type { Io } from "./io.ts";
import { findingText } from "./render/findings.ts";

/** Loads a manifest's file, absolute. It brings in the YAML parser only when called. @throws manifest-missing where it can't be read */
export async function loadFile(io: Pick<Io, "env">, file: string): Promise<Loading> {
  const { loadManifest } = await import("../manifest/load.ts");
  return loadManifest(readBytes(file), { directory: dirname(file), env: io.env });
}

/** Loads a manifest's file, or stops with every problem as `file:line:column: error: ...`. @throws manifest-invalid, manifest-missing */
export async function readManifest(io: Pick<Io, "env">, file: string): Promise<Extract<Loading, { kind: "loaded" }>> {
  const loading = await loadFile(io, file);
  if (loading.kind === "loaded") return loading;
  throw invalid(file, loading.problems);
}

/** Stops where a variable isn't set that this server needs to be started. @throws manifest-invalid */
export function requireVariables(file: string, { unset }: Extract<Loading, { kind: "loaded" }>, server: string): void {
  const missing = unset.filter((variable) => variable.server === server);
  if (missing.length > 0) throw invalid(file, missing);
}

/** Gives why this server can't be started beside others, in one line: a variable isn't set; undefined where all are. */
export function unsetVariable(file: string, { unset }: Extract<Loading, { kind: "loaded" }>, server: string): SynartesisError | undefined {
  const missing = unset.find((variable) => variable.server === server);
  if (missing === undefined) return undefined;
  const { message, hint, line, column } = missing;
  return new SynartesisError("manifest-invalid", `${message} (${file}:${line}:${column})`, hint === undefined ? {} : { hint });
}

function invalid(file: string, problems: readonly Problem[]): SynartesisError {
  const lines = problems.map((problem) => findingText(file, { ...problem, severity: "error", position: problem }));
  return new SynartesisError("manifest-invalid", `the manifest can't be used\n${lines.join("\n")}`);
}

function readBytes(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (cause) {
    const code = systemCode(cause) ?? "unknown error";
    throw new SynartesisError("manifest-missing", `the manifest ${file} can't be read (${code})`, { cause });
  }
}
