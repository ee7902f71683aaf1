// Is a statement of MySQL or MariaDB certainly a read? Asked of a parser that is none of theirs; so texts that the two could take apart in
// different ways are never reads, and whatever isn't named here makes it none.
import { initSync, parse_sql } from "../../node_modules/@guanmingchiu/sqlparser-ts/wasm/sqlparser_rs_wasm.js";
// @ts-expect-error The package describes what is in this file; imported so, it is where the file is.
import wasmFile from "../../node_modules/@guanmingchiu/sqlparser-ts/wasm/sqlparser_rs_wasm_bg.wasm" with { type: "file" };
import { firstFinding, type Judge, notOne, notPartOfRead, notPure, type SyntaxNode, short, wordsOf } from "./judge.ts";
import { MYSQL_FUNCTIONS } from "./mysql-functions.ts";
import { findAmbiguity } from "./mysql-text.ts";

/** What the parser calls the parts of statements, expressions and types. */
const PARTS = wordsOf(`
  AllOp AnyOp Assignment Between Binary BinaryOp Boolean Case Cast Ceil Char Collate CompoundIdentifier Convert CrossJoin Datetime
  DateTimeField Decimal Derived Double DoubleQuotedString Exists Explain ExplainTable Expr Expressions ExprWithAlias Extract Float Floor
  Following Function HexStringLiteral Identifier InList Inner InSubquery Int IntegerLength Interval IsFalse IsNotFalse IsNotNull
  IsNotTrue IsNotUnknown IsNull IsTrue IsUnknown Join JsonTable Left LeftOuter Like LimitOffset List MatchAgainst MemberOf Named
  NamedWindow NationalStringLiteral Nested Number ObjectName OffsetCommaLimit On OrderBy Placeholder Position Preceding
  Precision PrecisionAndScale Prefixed QualifiedWildcard Query Right RightOuter RLike Select Separator SetOperation ShowCharset
  ShowCollation ShowColumns ShowCreate ShowDatabases ShowProcessList ShowSchemas ShowStatus ShowTables ShowVariable ShowVariables
  SingleQuotedByteStringLiteral SingleQuotedString StraightJoin Subquery Substring Suffix Table Time Timestamp Trim Tuple TypedString
  UnaryOp Unnamed UnnamedExpr Using Value Values Week Where Wildcard WindowSpec Word
`);

/** Their members. One that isn't here has to be empty: `into`, `locks`, `for_clause`, hints to the optimizer and what other dialects know. */
const MEMBERS = wordsOf(`
  alias analyze args array asc body charset clause clauses collation column columns compare_op condition conditions content cte_tables
  data_type describe_alias distinct duplicate_treatment else_result end end_bound escape_char explicit explicit_row expr extended field
  filter filter_position flavor format from full global group_by having high high_priority hint_type in index_hints index_names
  index_type is_shorthand join_operator joins json_expr json_path keyword kind lateral leading_field left length limit limit_clause line
  list low match_value name named_window negated obj_name obj_type offset op operand opt_search_modifier options order_by over
  parent_name partition_by partitions path pattern prefix projection query quote_style recursive regexp relation result right rows
  select_modifiers selection session set_quantifier shorthand show_in show_options span special sql_no_cache sql_small_result start
  start_bound statement straight_join subquery substring_for substring_from syntax table_name token trim_what trim_where type units
  value variable window_before_qualify window_frame with
`);

/** An assignment is an operator too, and isn't here. */
const OPERATORS = wordsOf(`
  And Arrow BitwiseAnd BitwiseNot BitwiseOr BitwiseXor Divide Eq Except Gt GtEq Intersect LongArrow Lt LtEq Minus Modulo Multiply
  MyIntegerDivide Not NotEq Or PGBitwiseShiftLeft PGBitwiseShiftRight Plus Spaceship StringConcat Union Xor
`);

const wasm: string = wasmFile;

/** There is one parser in a process: one that ran out of stack may be left in any state, so it isn't asked again. */
let gaveUp = false;

/** Loads the parser; takes some 100 ms. Rejects once it has given up on a statement. */
export async function loadMysql(): Promise<Judge> {
  if (gaveUp) throw new Error("the parser has given up before");
  initSync({ module: await WebAssembly.compile(await Bun.file(wasm).bytes()) });
  return (statement) => {
    const unclear = findAmbiguity(statement);
    if (unclear !== undefined) return unclear;
    const parsed = parse(statement);
    if (parsed.kind === "error") return `the parser says: ${parsed.message}`;
    return notOne(parsed.statements.length) ?? firstFinding(parsed.statements, (node) => lookAt(node, statement));
  };
}

type Parsed =
  | { readonly kind: "statements"; readonly statements: readonly unknown[] }
  | { readonly kind: "error"; readonly message: string };

function parse(statement: string): Parsed {
  try {
    return { kind: "statements", statements: parse_sql("mysql", statement) };
  } catch (error) {
    // What it doesn't understand, it says in an object of its own; an Error is the parser itself in trouble.
    gaveUp = error instanceof Error;
    if (gaveUp) throw error;
    return { kind: "error", message: String((error as { message?: unknown }).message).replace(/^sql parser error: /, "") };
  }
}

function lookAt(node: SyntaxNode, statement: string): string | undefined {
  for (const [key, value] of Object.entries(node)) {
    if (/^[A-Z]/.test(key)) {
      if (!PARTS.has(key)) return notPartOfRead(key);
      const found = LOOKS[key]?.(value, statement);
      if (found !== undefined) return found;
    } else if (!MEMBERS.has(key) && !key.endsWith("_token") && !isEmpty(value)) {
      return WHY_NOT.get(key) ?? `it says more than a read is known to say (${key})`;
    } else if (key === "op" && !OPERATORS.has(String(value))) {
      return value === "Assignment" ? "it sets a variable" : `${String(value)} isn't known to be an operator of reads`;
    }
  }
  return undefined;
}

const LOOKS: Readonly<Record<string, (value: unknown, statement: string) => string | undefined>> = {
  Function: (call, statement) => lookAtFunction(call as SyntaxNode, statement), // its parts
  CompoundIdentifier: (names) => lookAtName(names as readonly { readonly value: string }[]), // one with dots is a list
};

/** MariaDB numbers so in its Oracle mode. */
function lookAtName(names: readonly { readonly value: string }[]): string | undefined {
  const name = names.map(({ value }) => value).join(".");
  return /\.nextval$/i.test(name) ? `${short(name)} can be the next number of a sequence` : undefined;
}

const WHY_NOT: ReadonlyMap<string, string> = new Map([
  ["into", "SELECT INTO writes what it reads"],
  ["locks", "it locks the rows that it reads"],
  ["optimizer_hints", "it has hints that can change settings"],
]);

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === false || value === "None" || (Array.isArray(value) && value.length === 0);
}

interface NamePart {
  readonly Identifier?: { readonly value: string; readonly quote_style?: unknown; readonly span: { readonly end: Place } };
}

/** Both from 1; columns in code points. */
interface Place {
  readonly line: number;
  readonly column: number;
}

/** A built-in name in quotes, or with a space before its parenthesis, can mean a stored function. */
function lookAtFunction(call: SyntaxNode, statement: string): string | undefined {
  const parts = call["name"] as readonly NamePart[]; // an ObjectName is a list
  const name = parts[0]?.Identifier;
  const isKnown = parts.length === 1 && name !== undefined && isEmpty(name.quote_style) && MYSQL_FUNCTIONS.has(name.value.toLowerCase());
  if (!isKnown || name === undefined) return notPure(parts.map((part) => part.Identifier?.value ?? "?").join("."));
  if (call["args"] === "None") return undefined; // like CURRENT_DATE
  const { line, column } = name.span.end;
  const next = [...(statement.split("\n")[line - 1] ?? "")][column - 1];
  return next === "("
    ? undefined
    : `it calls ${name.value} with something before its parenthesis, which can mean a function of somebody's own`;
}
