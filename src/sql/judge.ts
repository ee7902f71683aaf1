// What do the judges of all dialects share? Each goes through what its parser understood and lets pass only what it knows; never recursively,
// since an agent chooses how deep a statement is.

/** Says what keeps a statement from being a read for certain, as a part of a sentence; undefined: it certainly is one. Throws where its parser gives up. */
export type Judge = (statement: string) => string | undefined;

/** An object of a syntax tree. */
export type SyntaxNode = Readonly<Record<string, unknown>>;

/** Looks at every object of a syntax tree, outermost first, until one has something to say. */
export function firstFinding(tree: unknown, look: (node: SyntaxNode) => string | undefined): string | undefined {
  const waiting: unknown[] = [tree];
  for (let at = 0; at < waiting.length; at += 1) {
    const value = waiting[at];
    if (typeof value !== "object" || value === null) continue;
    if (Array.isArray(value)) {
      for (const item of value) waiting.push(item);
      continue;
    }
    const node = value as SyntaxNode; // an object that isn't a list
    const found = look(node);
    if (found !== undefined) return found;
    for (const member of Object.values(node)) waiting.push(member);
  }
  return undefined;
}

/** Says that there isn't exactly one statement; undefined where there is. */
export function notOne(count: number): string | undefined {
  if (count === 1) return undefined;
  return count === 0 ? "it says nothing" : `it is ${count} statements`;
}

/** Says of a part that the parser names, like `CreateTableStmt`, that it is none of a read. */
export function notPartOfRead(part: string): string {
  const words = part.replace(/Stmt$/, "").replace(/([a-z])([A-Z])/g, "$1 $2");
  return part.endsWith("Stmt") ? `${words.toUpperCase()} isn't a read` : `${words} isn't known to be part of a read`;
}

/** Says that a function isn't known to be pure. `name` is the agent's and may be anything. */
export function notPure(name: string): string {
  return `it calls the function ${short(name)}, which isn't known to be pure`;
}

/** Shortens a name for a sentence. */
export function short(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60)}...` : name;
}

/** Makes a set of words that stand in one text. */
export function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
