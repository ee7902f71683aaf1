// Is a PostgreSQL statement certainly a read? Asked of PostgreSQL's own parser. Whatever isn't named here makes it none.
import instantiate, { type PgQuery } from "libpg-query/wasm/libpg-query.js";
import wasm from "libpg-query/wasm/libpg-query.wasm" with { type: "file" };
import { firstFinding, type Judge, notOne, notPartOfRead, notPure, type SyntaxNode, short, wordsOf } from "./judge.ts";
import { findFieldCall } from "./postgresql-fields.ts";
import { POSTGRESQL_FUNCTIONS } from "./postgresql-functions.ts";

const PARTS = wordsOf(`
  A_ArrayExpr A_Const A_Expr A_Indices A_Indirection A_Star BoolExpr BooleanTest CaseExpr CaseWhen CoalesceExpr CollateClause ColumnDef
  ColumnRef CommonTableExpr DefElem ExplainStmt FuncCall GroupingFunc GroupingSet Integer JoinExpr JsonArrayAgg JsonArrayConstructor
  JsonArrayQueryConstructor JsonFuncExpr JsonIsPredicate JsonKeyValue JsonObjectAgg JsonObjectConstructor JsonParseExpr JsonScalarExpr
  JsonTable JsonTableColumn JsonTablePathSpec JsonValueExpr List MinMaxExpr NamedArgExpr NullTest ParamRef RangeFunction RangeSubselect
  RangeTableSample RangeVar ResTarget RowExpr SelectStmt SortBy SQLValueFunction String SubLink TypeCast VariableShowStmt WindowDef XmlExpr
`);

/** A cast to any other type may call a function of its maker's. */
const TYPES = wordsOf(`
  bit bool box bpchar bytea char cidr circle date daterange datemultirange float4 float8 inet int2 int4 int4range int8 int8range interval json
  jsonb jsonpath line lseg macaddr macaddr8 money name numeric numrange oid path pg_lsn point polygon regclass regnamespace regproc
  regprocedure regrole regtype text tid time timestamp timestamptz timetz tsquery tsrange tstzrange tsvector uuid varbit varchar xid xid8 xml
`);

const SAMPLING = wordsOf("system bernoulli");

/** Nested openings of comments cost PostgreSQL's scanner the square of their number. */
const MAX_COMMENTS = 100;

/** Loads the parser; takes some 40 ms. */
export async function loadPostgresql(): Promise<Judge> {
  const library = await instantiate({ locateFile: () => wasm });
  return (statement) => {
    // Where standard_conforming_strings is off, a backslash before the closing quote doesn't end the text.
    if (/(?<!\\)(?:\\\\)*\\['"]/.test(statement)) return "a backslash stands before a quote, so where the text ends depends on a setting";
    if (statement.split("/*").length > MAX_COMMENTS) return "it has too many comments to read";
    const parsed = parse(library, statement);
    if (parsed.kind === "error") return `PostgreSQL's parser says: ${parsed.message}`;
    return notOne(parsed.statements.length) ?? firstFinding(parsed.statements, lookAt) ?? findFieldCall(parsed.statements);
  };
}

type Parsed =
  | { readonly kind: "statements"; readonly statements: readonly unknown[] }
  | { readonly kind: "error"; readonly message: string };

function parse(library: PgQuery, statement: string): Parsed {
  const size = library.lengthBytesUTF8(statement) + 1;
  const text = library._malloc(size);
  library.stringToUTF8(statement, text, size);
  const result = library._wasm_parse_query_raw(text);
  try {
    const error = library.getValue(result + 8, "i32");
    if (error !== 0) return { kind: "error", message: library.UTF8ToString(library.getValue(error, "i32")) };
    const tree = JSON.parse(library.UTF8ToString(library.getValue(result, "i32")));
    return { kind: "statements", statements: Array.isArray(tree.stmts) ? tree.stmts : [] };
  } finally {
    library._free(text);
    library._wasm_free_parse_result(result);
  }
}

function lookAt(node: SyntaxNode): string | undefined {
  const part = Object.keys(node).find((key) => /^[A-Z]/.test(key) && !PARTS.has(key));
  if (part !== undefined) return part === "LockingClause" ? "it locks the rows that it reads" : notPartOfRead(part);
  if (node["intoClause"] !== undefined) return "SELECT INTO makes a table";
  if (node["funcname"] !== undefined) return lookAtFunction(namesIn(node["funcname"]));
  if (node["typeName"] !== undefined) return lookAtType(node["typeName"]);
  for (const operator of [node["name"], node["operName"], node["useOp"]]) {
    const [schema, name] = Array.isArray(operator) ? namesIn(operator) : [];
    if (name !== undefined && schema !== "pg_catalog") return `it uses the operator ${short(`${schema}.${name}`)}, which isn't built in`;
  }
  const method = Array.isArray(node["method"]) ? namesIn(node["method"]) : undefined;
  return method === undefined || isBuiltIn(method, SAMPLING) ? undefined : notPure(method.join("."));
}

function lookAtFunction(names: readonly string[]): string | undefined {
  return isBuiltIn(names, POSTGRESQL_FUNCTIONS) ? undefined : notPure(names.join("."));
}

function lookAtType(type: unknown): string | undefined {
  const names = namesIn((type as SyntaxNode)["names"]); // a TypeName, which has names
  return isBuiltIn(names, TYPES) ? undefined : `it uses the type ${short(names.join("."))}, which isn't built in`;
}

/** A name without a schema is found in pg_catalog first. */
function isBuiltIn(names: readonly string[], known: ReadonlySet<string>): boolean {
  const [last] = names.slice(-1);
  return last !== undefined && known.has(last) && (names.length === 1 || (names.length === 2 && names[0] === "pg_catalog"));
}

function namesIn(list: unknown): readonly string[] {
  if (!Array.isArray(list)) return [];
  return list.map((item) => String(item?.String?.sval));
}
