// Where does a list go on that was merged from several servers? Each server's own cursor, in one of ours. Opaque to clients (MCP,
// pagination); one that we never gave out is refused.

const MARK = "synartesis.";

/** Servers' names and the cursor with which each of their lists goes on. */
export type Cursors = readonly (readonly [server: string, cursor: string])[];

/** Writes the servers' cursors as one of ours. */
export function writeCursor(cursors: Cursors): string {
  return `${MARK}${Buffer.from(JSON.stringify(cursors)).toString("base64url")}`;
}

/** Reads a cursor; undefined for one that isn't ours. */
export function readCursor(text: string): Cursors | undefined {
  if (!text.startsWith(MARK)) return undefined;
  try {
    const read: unknown = JSON.parse(Buffer.from(text.slice(MARK.length), "base64url").toString());
    return Array.isArray(read) && read.every(isPair) ? read : undefined;
  } catch {
    return undefined;
  }
}

function isPair(value: unknown): value is readonly [string, string] {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === "string" && typeof value[1] === "string";
}
