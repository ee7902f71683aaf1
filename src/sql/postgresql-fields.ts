// Can naming a field be a call? PostgreSQL takes `x.f`, where x has no column f, for f(x), and `(x.c).f` likewise. Never trusts a name of which only
// the database knows whether it is a column, but where x is a row: what is built in and takes any row is pure.
import { firstFinding, type SyntaxNode, short, wordsOf } from "./judge.ts";
import { POSTGRESQL_FUNCTIONS } from "./postgresql-functions.ts";

/** The columns of built-in functions that name them; those of others have the name that the function goes by in FROM. */
const COLUMNS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ...["json_each", "json_each_text", "jsonb_each", "jsonb_each_text"].map((name) => [name, wordsOf("key value")] as const),
  ...["json_array_elements", "json_array_elements_text", "jsonb_array_elements", "jsonb_array_elements_text"].map(
    (name) => [name, wordsOf("value")] as const,
  ),
  ["pg_partition_ancestors", wordsOf("relid")],
  ["pg_partition_tree", wordsOf("relid parentrelid isleaf level")],
]);

/** Finds a field of a value that isn't certainly a row, where naming it may call a function; undefined where there is none. */
export function findFieldCall(statements: readonly unknown[]): string | undefined {
  const values = new Map<string, ReadonlySet<string>[]>();
  const unnamed = firstFinding(statements, (node) => {
    if (!isSingleValue(node)) return undefined;
    const { name, columns } = valueInFrom(node);
    if (name === undefined) return "it reads from an expression that has no name of its own";
    values.set(name, [...(values.get(name) ?? []), columns]);
    return undefined;
  });
  return unnamed ?? firstFinding(statements, (node) => lookAtField(node, values));
}

function lookAtField(node: SyntaxNode, values: ReadonlyMap<string, readonly ReadonlySet<string>[]>): string | undefined {
  const selected = stringsIn(node["indirection"]).find((name) => name !== undefined);
  if (selected !== undefined) return mayCall(`(...).${selected}`, selected);
  const [from, field] = stringsIn(node["fields"]).slice(-2);
  if (from === undefined || field === undefined || POSTGRESQL_FUNCTIONS.has(field)) return undefined;
  // Which of several values of one name is meant, only scopes could tell.
  return values.get(from)?.every((columns) => columns.has(field)) === false ? mayCall(`${from}.${field}`, field) : undefined;
}

function mayCall(text: string, name: string): string {
  return `${short(text)} may be a call of the function ${short(name)}, which isn't known to be pure`;
}

/** Only one function in FROM may give something else than rows; with others, or numbers of rows, beside it, it is part of a row. */
function isSingleValue(node: SyntaxNode): boolean {
  const functions = node["functions"];
  return Array.isArray(functions) && functions.length === 1 && node["ordinality"] !== true;
}

interface ValueInFrom {
  /** What it goes by; undefined where PostgreSQL makes up a name. */
  readonly name: string | undefined;
  /** Those that it certainly has. */
  readonly columns: ReadonlySet<string>;
}

/** Says what a RangeFunction with one function goes by, and what is known of its columns. */
function valueInFrom(node: SyntaxNode): ValueInFrom {
  const [call, within] = listIn((node["functions"] as readonly unknown[])[0]); // asked by isSingleValue
  const called = stringsIn(memberOf(memberOf(call, "FuncCall"), "funcname")).at(-1);
  const name = (memberOf(node["alias"], "aliasname") as string | undefined) ?? called; // a name is a text
  const renamed = stringsIn(memberOf(node["alias"], "colnames"));
  const defined = [node["coldeflist"], listIn(within)].flatMap((list) => (Array.isArray(list) ? list : []));
  const own = defined.map((column) => memberOf(memberOf(column, "ColumnDef"), "colname"));
  const given = [...(renamed.length > 0 ? renamed : own)].filter((column) => typeof column === "string");
  if (given.length > 0 || name === undefined) return { name, columns: new Set(given) };
  return { name, columns: COLUMNS.get(called ?? "") ?? new Set([name]) };
}

function listIn(node: unknown): readonly unknown[] {
  const items = memberOf(memberOf(node, "List"), "items");
  return Array.isArray(items) ? items : [];
}

/** Gives the names of a list; undefined in the place of what is no name, like a star or a subscript. */
function stringsIn(list: unknown): readonly (string | undefined)[] {
  // A String has a text.
  return Array.isArray(list) ? list.map((item) => memberOf(memberOf(item, "String"), "sval") as string | undefined) : [];
}

function memberOf(node: unknown, member: string): unknown {
  return typeof node === "object" && node !== null ? (node as SyntaxNode)[member] : undefined; // an object
}
