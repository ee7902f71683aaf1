// What does a guarded server find in its environment? Ours and the manifest's. Never what would turn a Bun executable (we are one, and
// so may the server be) into something else, or open our own door.

/** Variables that change what a Bun executable is before any code of its own runs. */
export const RUNTIME_VARIABLES = ["BUN_OPTIONS", "BUN_BE_BUN"] as const;

const NEVER_PASSED_ON = [...RUNTIME_VARIABLES, "SYNARTESIS_TOKEN"] as const;

/** Combines our environment with a server's own variables (already expanded), which win. */
export function serverEnvironment(
  ours: Readonly<Record<string, string | undefined>>,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const entries = [...Object.entries(ours), ...Object.entries(own)];
  const kept = entries.filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !NEVER_PASSED_ON.some((name) => name === entry[0]),
  );
  return Object.fromEntries(kept);
}
