// How does a value travel in an HTTP header? As it is where it is plain ASCII, else in the Base64 form of MCP 2026-07-28 ("Value
// Encoding", SEP-2243). Never lets a control character through.

/** Encodes a value for Mcp-Name and Mcp-Param-*. */
export function headerValue(text: string): string {
  const isPlain = /^[\x20-\x7e\t]*$/.test(text) && text.trim() === text && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`;
}

/** Tells whether a text can be the name of a header (RFC 9110, section 5.1). */
export function isHeaderName(text: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text);
}
