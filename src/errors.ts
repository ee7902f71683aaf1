// How does a command stop? Every expected stop is a SynartesisError with a code from the closed list below;
// anything else that escapes is a bug of ours (exit 70). Never decide anything by the words of a message.

/** Codes and the exit code each one leads to: 1 halted, held, refused or partial; 2 usage or configuration; 70 our bug. */
export const ERROR_EXIT_CODES = {
  usage: 2,
  "manifest-invalid": 2,
  "manifest-missing": 2,
  "server-unknown": 2,
  "server-unavailable": 2,
  "server-mismatch": 1,
  "journal-missing": 2,
  "journal-newer": 2,
  "journal-unusable": 1,
  "journal-damaged": 1,
  "not-found": 2,
  ambiguous: 2,
  "output-failed": 1,
  refused: 1,
  halted: 1,
  bug: 70,
} as const;

export type ErrorCode = keyof typeof ERROR_EXIT_CODES;

/** Carries what went wrong (message), what to do about it (hint) and the code that callers may decide by. */
export class SynartesisError extends Error {
  override readonly name = "SynartesisError";
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
  }

  get exitCode(): number {
    return ERROR_EXIT_CODES[this.code];
  }
}

/** Gives the code by which the system, or the runtime, refused something, such as `ENOENT`; undefined for any other error. */
export function systemCode(error: unknown): string | undefined {
  if (error instanceof SynartesisError) return undefined;
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
