// Why does a companion not do what it was asked? One sentence for whoever asked; nothing was changed.

/** Stops a tool; its message is what the caller is told. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}

/** Gives the code of a failed system call; undefined for any other error. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** Carries out a system call; gives undefined where it fails with one of these codes. @throws whatever else goes wrong */
export function unless<Value>(codes: readonly string[], work: () => Value): Value | undefined {
  try {
    return work();
  } catch (error) {
    if (codes.includes(codeOf(error) ?? "")) return undefined;
    throw error;
  }
}
