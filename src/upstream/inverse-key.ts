// How does a server know an inverse that it may have got before? By a key in `_meta`, the same whenever this step is sent.

/** The key's name in `_meta`. */
export const INVERSE_KEY = "synartesis/idempotency-key";

const PREFIX = "undo:";

/** Gives the key of the call that puts an action back, after so many that were answered. */
export function inverseKey(action: string, answered: number): string {
  return answered === 0 ? `${PREFIX}${action}` : `${PREFIX}${action}:${answered}`;
}

/** Gives the id of the action that a call with this key puts back; undefined for any other value. */
export function actionOfKey(key: unknown): string | undefined {
  return typeof key === "string" && key.startsWith(PREFIX) ? key.slice(PREFIX.length).split(":", 1)[0] : undefined;
}
