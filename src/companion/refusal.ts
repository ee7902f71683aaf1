// Why does a companion not do what it was asked? One sentence for whoever asked; nothing was changed.
import { systemCode } from "../errors.ts";

/** Stops a tool; its message is what the caller is told. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}

/** Carries out a system call; gives undefined where it fails with one of these codes. @throws whatever else goes wrong */
export function unless<Value>(codes: readonly string[], work: () => Value): Value | undefined {
  try {
    return work();
  } catch (error) {
    if (codes.includes(systemCode(error) ?? "")) return undefined;
    throw error;
  }
}
