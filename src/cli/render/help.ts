// What does --help print? Built from the command's own data, so that it can't differ from what is accepted.
import type { Command } from "../command.ts";
import type { CommandEntry } from "../command-list.ts";

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
    "synartesis COMMAND --help says more, with an example. --version prints the version.",
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
    `usage: synartesis ${command.usage}`,
    "",
    command.about,
    "",
    ...rows.map(([left, about]) => `  ${left.padEnd(width)}  ${about}`),
    "",
    `example: synartesis ${command.example}`,
  ].join("\n");
}
