// What does a guarded server find in its environment? Ours and the manifest's. Never what would turn a Bun executable (we are one, and
// so may the server be) into something else, or open our own door.

const NEVER_PASSED_ON = ["BUN_OPTIONS", "BUN_BE_BUN", "SYNARTESIS_TOKEN"] as const;

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
