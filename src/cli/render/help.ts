// What does --help print? Built from the command's own data, so that it can't differ from what is accepted.
import type { Command } from "../command.ts";
import type { CommandEntry } from "../command-list.ts";
import { wrapWords } from "./layout.ts";

/** Cells of a line of help, whatever the terminal: it is read in pipes and in issues, too. */
const WIDTH = 80;

/** What stands in place of the runs where there is no journal yet. */
export const NOTHING_YET = `no runs yet

  synartesis init     finds your MCP clients, and guards their servers
  synartesis --help   lists all commands`;

/** Gives the program's help: every command in one line. */
export function programHelp(commands: readonly CommandEntry[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    "synartesis: an undo layer for AI agents",
    "",
    "usage: synartesis COMMAND [OPTIONS]",
    "",
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    "",
    wrapWords("synartesis COMMAND --help says more, with an example. --version prints the version.", WIDTH),
  ].join("\n");
}

/** Gives one command's help. */
export function commandHelp(command: Command): string {
  const shown = [...Object.entries(command.options).filter(([, option]) => option.hidden !== true)].map(
    ([name, option]) => [option.kind === "flag" ? `--${name}` : `--${name} ${option.value ?? "VALUE"}`, option.about] as const,
  );
  const rows = [...shown, ["--help", "print this"] as const];
  const width = Math.max(...rows.map(([left]) => left.length));
  return [
    hanging("usage: ", `synartesis ${command.usage}`),
    "",
    aboutText(command.about),
    "",
    ...rows.map(([left, about]) => hanging(`  ${left.padEnd(width)}  `, about)),
    "",
    exampleText(command.example),
  ].join("\n");
}

/** A line that is indented is to be copied, and stays as it is; the others are one text. */
function aboutText(about: string): string {
  const isKept = (line: string) => line.startsWith("  ");
  const blocks: string[] = [];
  for (const line of about.split("\n")) {
    const last = blocks.at(-1);
    if (last === undefined || isKept(last) || isKept(line)) blocks.push(line);
    else blocks[blocks.length - 1] = `${last} ${line}`;
  }
  return blocks.map((block) => (isKept(block) ? block : wrapWords(block, WIDTH))).join("\n");
}

/** Wraps a text behind its head, each line below where the first one begins. */
function hanging(head: string, text: string): string {
  const [first = "", ...more] = wrapWords(text, WIDTH - head.length).split("\n");
  return [`${head}${first}`, ...more.map((line) => " ".repeat(head.length) + line)].join("\n");
}

/** A command stays on one line, to be copied. */
function exampleText(example: string): string {
  const line = `example: synartesis ${example}`;
  return line.length <= WIDTH ? line : `example:\n  synartesis ${example}`;
}
