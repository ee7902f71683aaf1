// Is an SQLite statement certainly a read? Asked of a parser made from SQLite's own grammar. Whatever isn't named here makes it none.
import { parse } from "sqlite3-parser";
import { firstFinding, type Judge, notOne, notPartOfRead, notPure, type SyntaxNode, short, wordsOf } from "./judge.ts";

const PARTS = wordsOf(`
  AsAs BetweenExpr BinaryExpr BlobLiteral CallPragmaBody CaseExpr CastExpr CollateExpr CommaJoinOperator CommonTableExpr CompoundSelect
  CurrentDateLiteral CurrentRowFrameBound CurrentTimeLiteral CurrentTimestampLiteral ElidedAs ExistsExpr ExplainStmt ExprResultColumn
  FollowingFrameBound FrameClause FromClause FunctionCallExpr FunctionCallStarExpr FunctionTail Id IndexedByIndexed IndexedColumn InListExpr
  InSelectExpr InTableExpr IsNullExpr JoinedSelectTable KeywordLiteral LikeExpr Limit MaxSizeTypeSize Name NameExpr NameOver NotIndexedIndexed
  NotNullExpr NullLiteral NumericLiteral OnJoinConstraint ParenthesizedExpr PragmaStmt PrecedingFrameBound QualifiedExpr QualifiedName Select
  SelectFrom SelectSelectTable SelectStmt SelectValues SortedColumn SortListFunctionCallOrder StarResultColumn StringLiteral SubqueryExpr
  SubSelectTable TableCallSelectTable TableSelectTable TableStarResultColumn Type TypedJoinJoinOperator TypeSizeTypeSize UnaryExpr
  UnboundedFollowingFrameBound UnboundedPrecedingFrameBound UsingJoinConstraint ValuesRow VariableExpr WhenThen Window WindowDef WindowOver
  With WithinGroupFunctionCallOrder
`);

/** Never one that writes, loads, or reaches files. */
const FUNCTIONS = wordsOf(`
  abs changes char coalesce concat concat_ws format glob hex if ifnull iif instr last_insert_rowid length like likelihood likely lower ltrim max
  min nullif octet_length printf quote random randomblob replace round rtrim sign soundex sqlite_compileoption_get sqlite_compileoption_used
  sqlite_source_id sqlite_version substr substring total_changes trim typeof unhex unicode unistr unistr_quote unlikely upper zeroblob
  acos acosh asin asinh atan atan2 atanh ceil ceiling cos cosh degrees exp floor ln log log10 log2 mod pi pow power radians sin sinh sqrt tan tanh
  trunc date datetime julianday strftime time timediff unixepoch
  avg count group_concat median percentile percentile_cont percentile_disc string_agg sum total
  cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number
  json json_array json_array_insert json_array_length json_error_position json_extract json_group_array json_group_object json_insert json_object
  json_patch json_pretty json_quote json_remove json_replace json_set json_type json_valid jsonb jsonb_array jsonb_array_insert jsonb_extract
  jsonb_group_array jsonb_group_object jsonb_insert jsonb_object jsonb_patch jsonb_remove jsonb_replace jsonb_set
  bm25 highlight snippet matchinfo offsets
`);

const TABLE_FUNCTIONS = wordsOf("generate_series json_each json_tree jsonb_each jsonb_tree");

/** Pragmas that say what there is, of a thing that they name. */
const READING_PRAGMAS = wordsOf(`
  collation_list compile_options database_list foreign_key_check foreign_key_list function_list index_info index_list index_xinfo integrity_check
  module_list pragma_list quick_check table_info table_list table_xinfo
`);

/** Pragmas that say how something is set, as long as nothing is given to them. */
const SETTINGS = wordsOf(`
  application_id auto_vacuum busy_timeout cache_size data_version encoding foreign_keys freelist_count journal_mode max_page_count page_count
  page_size query_only recursive_triggers schema_version secure_delete synchronous temp_store user_version
`);

/** Gives the judge; there is nothing to wait for. */
export async function loadSqlite(): Promise<Judge> {
  return (statement) => {
    const parsed = parse(statement);
    if (parsed.status !== "ok") return `SQLite's grammar says: ${parsed.errors[0]?.message ?? "it is none of its statements"}`;
    return notOne(parsed.root.cmds.length) ?? firstFinding(parsed.root.cmds, lookAt);
  };
}

function lookAt(node: SyntaxNode): string | undefined {
  const part = node["type"];
  if (part === undefined) return undefined; // where something stands in the text
  if (typeof part !== "string" || !PARTS.has(part)) return notPartOfRead(String(part));
  switch (part) {
    case "FunctionCallExpr":
    case "FunctionCallStarExpr":
      return lookAtFunction(textOf(node["name"]), FUNCTIONS);
    case "TableCallSelectTable":
      return lookAtFunction(objectOf(node["tblName"]), TABLE_FUNCTIONS);
    case "InTableExpr":
      return node["args"] === undefined ? undefined : lookAtFunction(objectOf(node["rhs"]), TABLE_FUNCTIONS);
    case "QualifiedName":
      return lookAtTable(objectOf(node));
    case "PragmaStmt":
      return lookAtPragma(objectOf(node["name"]), node["body"]);
    default:
      return undefined;
  }
}

function lookAtFunction(name: string, known: ReadonlySet<string>): string | undefined {
  return known.has(name) || READING_PRAGMAS.has(pragmaOf(name) ?? "") ? undefined : notPure(name);
}

/** Some pragmas are tables as well, and `pragma_optimize` does its work when it is read. */
function lookAtTable(name: string): string | undefined {
  const pragma = pragmaOf(name);
  return pragma === undefined || READING_PRAGMAS.has(pragma)
    ? undefined
    : `it reads the table ${short(name)}, which isn't known to be pure`;
}

function pragmaOf(name: string): string | undefined {
  return name.startsWith("pragma_") ? name.slice("pragma_".length) : undefined;
}

function lookAtPragma(name: string, body: unknown): string | undefined {
  const isKnown = READING_PRAGMAS.has(name) ? !isAssignment(body) : SETTINGS.has(name) && body === undefined;
  return isKnown ? undefined : `PRAGMA ${short(name)}${body === undefined ? "" : " with a value"} isn't known to be a read`;
}

function isAssignment(body: unknown): boolean {
  return body !== undefined && (body as SyntaxNode)["type"] !== "CallPragmaBody"; // a body is a node
}

/** Names are the same in any case; only A to Z count for SQLite. */
function lowered(name: unknown): string {
  return String(name).replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function textOf(node: unknown): string {
  return lowered((node as SyntaxNode | undefined)?.["name"]); // an Id
}

function objectOf(node: unknown): string {
  const name = (node as SyntaxNode | undefined)?.["objName"] as SyntaxNode | undefined; // a QualifiedName, whose objName is a Name
  return lowered(name?.["text"]);
}
