// A server for tests that keeps JSON as the text it came in: one thing, replaced by `set`, shown by `get`; no number or string is ever parsed.
// Like many servers' line readers, it ends a line at a bare carriage return too.
//   bun raw-server.ts --state FILE --log FILE
// `set` takes {"value": ANYTHING}; the file then holds the whole arguments as they were written. Every line that comes is logged.
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";

const option = (name: string): string => process.argv[process.argv.indexOf(name) + 1] ?? "";
const stateFile = option("--state");

const say = (id: string, result: string) => process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":${result}}\n`);

/** The text of the object that follows a member's name. */
function objectAfter(line: string, name: string): string {
  const start = line.indexOf(`"${name}":`) + name.length + 3;
  let depth = 0;
  let inText = false;
  for (let at = start; at < line.length; at++) {
    const character = line[at];
    if (inText && character === "\\") at++;
    else if (character === '"') inText = !inText;
    else if (!inText && character === "{") depth++;
    else if (!inText && character === "}" && --depth === 0) return line.slice(start, at + 1);
  }
  throw new Error(`no object "${name}" in ${line}`);
}

function handle(line: string): void {
  appendFileSync(option("--log"), `${line}\n`);
  const id = /"id":("[^"]*"|-?[\d.]+)/.exec(line)?.[1];
  if (id === undefined) return;
  if (line.includes('"method":"initialize"'))
    say(id, '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"raw","version":"1"}}');
  else if (line.includes('"name":"set"')) {
    writeFileSync(stateFile, objectAfter(line, "arguments"));
    say(id, '{"content":[]}');
  } else if (line.includes('"name":"get"')) say(id, `{"content":[],"structuredContent":${readFileSync(stateFile, "utf8")}}`);
  else say(id, "{}");
}

let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  rest += chunk;
  const lines = rest.split(/\r\n|\r|\n/);
  rest = lines.pop() ?? "";
  for (const line of lines) if (line !== "") handle(line);
});
process.stdin.on("end", () => process.exit(0));
