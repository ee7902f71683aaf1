// Does anything but the recorder send a tools/call? Fails if so: an import of the door outside its place, or the method's name in code
// that has no stated reason to know it. (At run time the guard in upstream/connected-server.ts refuses what this can't see.)
import { readdirSync, readFileSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";

/** The door itself, and the connections that register one. */
const DOOR_MAKERS: readonly string[] = [
  "src/upstream/send-call.ts",
  "src/upstream/stdio.ts",
  "src/upstream/restart.ts",
  "src/upstream/http/start-http.ts",
  "src/upstream/live/live-proxy.ts",
];

/** Who may import what leads past the guard. */
const DOOR_USERS: Readonly<Record<string, (file: string) => boolean>> = {
  "src/upstream/send-call": (file) => file.startsWith("src/recorder/"),
  "src/upstream/door": (file) => DOOR_MAKERS.includes(file),
};

/** Who may know the method's name, and why. */
const MAY_NAME_IT: Readonly<Record<string, string>> = {
  "src/upstream/send-call.ts": "is the door",
  "src/upstream/connected-server.ts": "refuses it",
  "src/upstream/http/modern-headers.ts": "gives a call that is sent already its headers",
  "src/proxy/session.ts": "recognises the client's calls, to hand them to the recorder",
  "src/proxy/batches.ts": "recognises the client's calls in a batch",
  "src/proxy/http/modern-request.ts": "knows which header repeats a call's name",
  "src/demo/": "is a server that answers calls, and an agent that makes them through the proxy",
  "src/companion/": "is a server that answers calls",
};

interface Violation {
  readonly file: string;
  readonly line: number;
  readonly what: string;
}

const METHOD = /tools\/call(?![a-z/-])/;
// Minified, comments are gone, escapes decoded, constants inlined and neighbouring literals joined.
const transpiler = new Bun.Transpiler({ loader: "ts", inline: true, minifyWhitespace: true, deadCodeElimination: false });

/** Finds every violation below `root`/src. */
export function findViolations(root: string): readonly Violation[] {
  return sourceFiles(join(root, "src")).flatMap((path) => {
    const file = relative(root, path).split(sep).join("/");
    const source = readFileSync(path, "utf8");
    const code = transpiler.transformSync(source);
    return [...importViolations(file, source, code), ...nameViolations(file, source, code)];
  });
}

function sourceFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.[cm]?[jt]sx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function importViolations(file: string, source: string, code: string): Violation[] {
  const violations = transpiler.scanImports(source).flatMap(({ path }) => {
    const target = posix.join(posix.dirname(file), path).replace(/\.[cm]?[jt]sx?$/, "");
    const mayUse = path.startsWith(".") ? DOOR_USERS[target] : undefined;
    if (mayUse === undefined || mayUse(file)) return [];
    return [{ file, line: lineOf(source, path), what: `imports ${target}, which only its own users may` }];
  });
  if (/\b(?:import|require)\((?!["'])/.test(code)) {
    violations.push({ file, line: lineOf(source, /\b(?:import|require)\s*\(\s*[^"'\s]/), what: "loads a module by a computed name" });
  }
  return violations;
}

function nameViolations(file: string, source: string, code: string): Violation[] {
  const isAllowed = Object.keys(MAY_NAME_IT).some((place) => (place.endsWith("/") ? file.startsWith(place) : file === place));
  if (isAllowed) return [];
  const isPieced = /["'`]tools["'`]/.test(code) && /["'`]\/?call["'`]/.test(code);
  if (!METHOD.test(code) && !isPieced && !/["'`]tools\/(?:["'`]|\$\{)/.test(code)) return [];
  return [{ file, line: lineOf(source, /^(?!\s*(?:\/\/|\/?\*)).*(?:tools(?:\/|\\|["'`$]))/m), what: 'builds or names "tools/call"' }];
}

function lineOf(source: string, what: string | RegExp): number {
  const at = typeof what === "string" ? source.indexOf(what) : source.search(what);
  return at === -1 ? 1 : source.slice(0, at).split("\n").length;
}

if (import.meta.main) {
  const root = Bun.argv[2];
  if (root === undefined) {
    console.error("usage: bun scripts/check-one-door.ts ROOT");
    process.exitCode = 2;
  } else {
    const violations = findViolations(root);
    for (const { file, line, what } of violations) console.error(`${file}:${line}: ${what}`);
    process.exitCode = violations.length > 0 ? 1 : 0;
  }
}
