// How many tests passed and failed, and which? Read from what `bun test` left in a folder: NAME.xml, its report; NAME.log, what it printed; NAME.status,
// the exit code it ended with. What failed, and what needed another try, is named right before the counts, so that the end of a log tells it. A run that
// broke off, or has nothing to count, is a failure. `count-tests.ts FOLDER --again` only names the files that are worth one more run, alone.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";

interface Test {
  readonly file: string;
  readonly line: string;
  /** With what it stands in: `outer > inner`. */
  readonly name: string;
  readonly outcome: "passed" | "skipped" | "failed";
  readonly failure: string;
}

interface Run {
  readonly name: string;
  readonly status: string;
  readonly tests: readonly Test[];
  /** The tests that passed at a second try, and the files that couldn't be loaded: the report doesn't tell. */
  readonly retried: readonly string[];
  readonly unloaded: readonly string[];
}

/** More than these are no race against a busy machine, and running them again would take as long as the first time. */
const MOST_FILES_AGAIN = 6;
const FIRST_LINES = 8;

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
const plain = (xml: string) =>
  xml.replace(/&(?:#(\d+)|(\w+));/g, (whole, code?: string, name?: string) =>
    code ? String.fromCodePoint(Number(code)) : (ENTITIES[name ?? ""] ?? whole),
  );
const attribute = (tag: string, name: string) => plain(new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? "");

/** The report and the printed lines write a path outside of the project in two ways. */
const shortPath = (file: string) => relative(process.cwd(), resolve(file));

function readTests(xml: string): Test[] {
  return [...xml.matchAll(/<testcase\b([^>]*?)(?:\/>|>(.*?)<\/testcase>)/gs)].map(([, tag = "", body = ""]) => {
    const [, about = "", text = ""] = /<failure\b([^>]*?)(?:\/>|>(.*?)<\/failure>)/s.exec(body) ?? [];
    return {
      file: shortPath(attribute(tag, "file")),
      line: attribute(tag, "line"),
      name: [attribute(tag, "classname"), attribute(tag, "name")].filter(Boolean).join(" > "),
      outcome: body.includes("<failure") ? "failed" : body.includes("<skipped") ? "skipped" : "passed",
      failure: plain(text).trim() || attribute(about, "message"),
    };
  });
}

/** Reads what only the printed lines tell; `file.test.ts:` stands above those of a file. */
function readLog(log: string): Pick<Run, "retried" | "unloaded"> {
  const retried: string[] = [];
  const unloaded: string[] = [];
  let file = "";
  for (const line of log.split("\n")) {
    const heading = /^(\S+\.test\.ts):$/.exec(line)?.[1];
    if (heading !== undefined) file = shortPath(heading);
    const again = /^\(pass\) (.*) \(attempt \d+\)/.exec(line)?.[1];
    if (again !== undefined) retried.push(`${file}: ${again}`);
    if (line === "# Unhandled error between tests") unloaded.push(file);
  }
  return { retried: [...new Set(retried)], unloaded: [...new Set(unloaded)] };
}

function readRun(folder: string, name: string): Run {
  const read = (end: string) => (existsSync(join(folder, name + end)) ? readFileSync(join(folder, name + end), "utf8") : "");
  const xml = read(".xml");
  const tests = readTests(xml);
  // The report's own sum is believed, not what was found in it; a run that broke off has no report.
  const sum = attribute(/<testsuites\b[^>]*>/.exec(xml)?.[0] ?? "", "tests");
  if (xml !== "" && sum !== `${tests.length}`) throw new Error(`${name}: ${tests.length} of ${sum} tests found in the report`);
  return { name, status: read(".status").trim(), tests, ...readLog(read(".log")) };
}

const [folder = "", flag] = Bun.argv.slice(2);
const names = readdirSync(folder).flatMap((file) => (file.endsWith(".status") ? [file.slice(0, -".status".length)] : []));
const first = names.filter((name) => !name.startsWith("again-")).map((name) => readRun(folder, name));
// One more run that broke off leaves standing what the first one showed.
const again = names.flatMap((name) => (name.startsWith("again-") ? [readRun(folder, name)] : [])).filter(tellsItsOutcome);
if (flag === "--again") {
  const files = new Set(first.flatMap((run) => [...run.unloaded, ...failuresOf(run).map(({ file }) => file)]));
  if (files.size <= MOST_FILES_AGAIN) for (const file of files) console.log(resolve(file));
} else {
  report();
}

function tellsItsOutcome(run: Run): boolean {
  return run.unloaded.length > 0 || (run.tests.length > 0 && (run.status === "0" || failuresOf(run).length > 0));
}

function failuresOf({ tests }: Run): readonly Test[] {
  return tests.filter(({ outcome }) => outcome === "failed");
}

/** Prints what the runs showed; of a file that was run again, that counts and no longer what it showed before. */
function report(): void {
  const later = again.flatMap((run) => run.tests);
  const isAgain = (file: string) => later.some((test) => test.file === file);
  const tests = [...first.flatMap((run) => run.tests).filter(({ file }) => !isAgain(file)), ...later];
  const unloaded = [...first.flatMap((run) => run.unloaded).filter((file) => !isAgain(file)), ...again.flatMap((run) => run.unloaded)];
  const isWellNow = (file: string) => isAgain(file) && !later.some((test) => test.file === file && test.outcome === "failed");
  const alone = first.flatMap((run) => [
    ...failuresOf(run).flatMap((test) => (isWellNow(test.file) ? [nameOf(test)] : [])),
    ...run.unloaded.flatMap((file) => (isWellNow(file) ? [`${file}: an error outside of its tests`] : [])),
  ]);
  const silent = first.filter((run) => !tellsItsOutcome(run));
  const failed = [
    ...tests
      .filter(({ outcome }) => outcome === "failed")
      .map(({ file, line, name, failure }) => `${nameOf({ file: line ? `${file}:${line}` : file, name })}\n${firstLines(failure)}`),
    ...[...new Set(unloaded)].map((file) => `${file}: an error outside of its tests`),
    ...silent.map(({ name, status }) => `the run of the tests "${name}" ended with ${status} and doesn't say why`),
    ...(first.length === 0 ? ["nothing was run"] : []),
  ];
  console.log("what the tests showed:");
  print("skipped", tests.filter(({ outcome }) => outcome === "skipped").map(nameOf));
  print(
    "passed at the second try",
    [...first, ...again].flatMap((run) => run.retried),
  );
  print("passed when run again alone", alone);
  print("failed", failed);
  console.log(`${tests.filter(({ outcome }) => outcome === "passed").length} passed, ${failed.length} failed`);
  if (failed.length > 0) process.exitCode = 1;
}

function nameOf({ file, name }: Pick<Test, "file" | "name">): string {
  return `${file}: ${name}`;
}

function print(what: string, lines: readonly string[]): void {
  if (lines.length > 0) console.log(`  ${what}: ${lines.length}`);
  for (const line of lines) console.log(`    ${line}`);
}

function firstLines(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines
    .slice(0, FIRST_LINES)
    .map((line) => `        ${line.slice(0, 300)}`)
    .join("\n");
}
