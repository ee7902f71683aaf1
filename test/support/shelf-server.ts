// A server for tests that says little in a form that programs read: books on shelves, described in prose, listed in pages of two, counted
// elsewhere. Absence is a plain answer. Its state is a file, read anew on every call.
//   bun shelf-server.ts STATE
// Tools: browse{cursor?} describe{id} place{id,title,shelf} retitle{id,title} place_many{books} clear_many{books} stock{id} move{id,shelf,count}
// While a file STATE.partial is there, browse says that it doesn't show everything; while STATE.endless is there, its pages never end;
// STATE.refused holds the id of a book that `place` refuses.
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const stateFile = process.argv[2] ?? "shelf.json";
const PAGE = 2;

interface Book {
  id: string;
  title: string;
  shelf: string;
}
interface State {
  next: number;
  books: Book[];
  stock: Record<string, number>;
}
interface Args {
  id?: string;
  title?: string;
  shelf?: string;
  count?: number | null;
  cursor?: string;
  books?: { id?: string; title?: string; shelf?: string }[];
}

const read = (): State => JSON.parse(readFileSync(stateFile, "utf8")) as State;
const say = (message: object): void => {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
};
const text = (words: string, isError = false) => ({ content: [{ type: "text", text: words }], ...(isError ? { isError } : {}) });
const data = (value: object) => ({ ...text(JSON.stringify(value)), structuredContent: value });

function act(name: string, args: Args): object {
  const state = read();
  const book = state.books.find(({ id }) => id === args.id);
  const save = (words: string) => {
    writeFileSync(stateFile, JSON.stringify(state));
    return text(words);
  };
  switch (name) {
    case "browse": {
      const start = Number(args.cursor ?? 0);
      const more = start + PAGE < state.books.length || existsSync(`${stateFile}.endless`);
      const books = state.books.slice(start, start + PAGE);
      return data({ books, whole: !existsSync(`${stateFile}.partial`), ...(more ? { nextCursor: String(start + PAGE) } : {}) });
    }
    case "describe":
      return text(book ? `Book ${book.id}\nTitle: ${book.title}\nShelf: ${book.shelf}\n\n(shelf-server)` : `No such book: ${args.id}`);
    case "place":
      if (existsSync(`${stateFile}.refused`) && readFileSync(`${stateFile}.refused`, "utf8") === args.id) return text("no room", true);
      state.books = [
        ...state.books.filter((other) => other !== book),
        { id: args.id ?? "", title: args.title ?? "", shelf: args.shelf ?? "" },
      ];
      return save("placed");
    case "retitle":
      if (book === undefined) return text("No such book", true);
      book.title = args.title ?? "";
      return save("retitled");
    case "place_many": {
      const placed = (args.books ?? []).map(({ title = "", shelf = "" }) => ({ id: `m${state.next++}`, title, shelf }));
      state.books.push(...placed);
      save("");
      return data({ placed: placed.map(({ id, title }) => ({ bookId: id, label: title })) });
    }
    case "clear_many":
      state.books = state.books.filter(({ id }) => !args.books?.some((given) => given.id === id));
      return save("cleared");
    case "stock":
      return state.stock[args.id ?? ""] === undefined ? text("nothing in stock", true) : data({ count: state.stock[args.id ?? ""] });
    case "move":
      if (book !== undefined) book.shelf = args.shelf ?? "";
      if (typeof args.count === "number") state.stock[args.id ?? ""] = args.count;
      else delete state.stock[args.id ?? ""];
      return save("moved");
    default:
      return text("no such tool", true);
  }
}

const TOOLS = ["browse", "describe", "place", "retitle", "place_many", "clear_many", "stock", "move"].map((name) => ({
  name,
  inputSchema: { type: "object" },
}));

let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk: string) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    if (line.trim() === "") continue;
    const { id, method, params } = JSON.parse(line) as {
      id?: unknown;
      method?: string;
      params: { name: string; arguments: Args; protocolVersion: string };
    };
    if (method === "initialize")
      say({
        id,
        result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "shelf", version: "1" } },
      });
    else if (method === "tools/list") say({ id, result: { tools: TOOLS } });
    else if (method === "tools/call") say({ id, result: act(params.name, params.arguments) });
    else if (id !== undefined) say({ id, result: {} });
  }
});
process.stdin.on("end", () => process.exit(0));
