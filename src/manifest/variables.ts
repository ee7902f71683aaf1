// What does `${NAME}` stand for in a server's env, headers and args? Expanded once, from the environment; a value is never looked at again.

/** A manifest's environment: names to values. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The text with its variables replaced, or what stands in the way. */
export type Expansion =
  | { readonly kind: "expanded"; readonly text: string }
  | { readonly kind: "unset"; readonly name: string }
  | { readonly kind: "malformed"; readonly written: string };

/** Replaces every `${NAME}`; an empty variable is set, a missing one is not. A dollar without a brace stays as it is. */
export function expandVariables(text: string, env: Environment): Expansion {
  let expanded = "";
  let position = 0;
  for (let start = text.indexOf("${"); start >= 0; start = text.indexOf("${", position)) {
    const written = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}/.exec(text.slice(start));
    if (written === null) return { kind: "malformed", written: /^\$\{[^}]*\}?/.exec(text.slice(start))?.[0] ?? "${" };
    const name = written[1] ?? "";
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value === undefined) return { kind: "unset", name };
    expanded += text.slice(position, start) + value;
    position = start + written[0].length;
  }
  return { kind: "expanded", text: expanded + text.slice(position) };
}

/** Names every `${NAME}` in a text, in the order written. */
export function variablesIn(text: string): readonly string[] {
  return [...text.matchAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g)].map(([, name = ""]) => name);
}

/** Tells whether a text has a character that the value of a header can't hold, such as the end of a line (RFC 9110, section 5.5). */
export function unsendableIn(text: string): boolean {
  return /[^\x20-\x7e\t\x80-\xff]/.test(text.trim());
}
