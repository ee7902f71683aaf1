// How does a command line become an exit code? Finds the command, hands it its context, and says what went wrong if it threw.
// Never exits by itself, except on a second Ctrl-C.
import { existsSync } from "node:fs";
import { SynartesisError } from "../errors.ts";
import { parseArgs } from "./args.ts";
import type { Command, Context } from "./command.ts";
import { COMMANDS, type CommandEntry } from "./command-list.ts";
import { type FoundCommand, findCommand } from "./find-command.ts";
import { endNow, type Io } from "./io.ts";
import { withPrintedHint } from "./printed-hints.ts";
import { errorDocument, errorText } from "./render/error.ts";
import { commandHelp, NOTHING_YET, programHelp } from "./render/help.ts";
import { VERSION_LINE } from "./version.ts";
import { isScreen } from "./view.ts";

/** Runs what the words of `io.args` ask for. Resolves with the exit code (errors.ts; 130 after Ctrl-C, 143 after SIGTERM). Never rejects. */
export async function runCommandLine(io: Io, commands: readonly CommandEntry[] = COMMANDS): Promise<number> {
  try {
    const found = await orScreen(io, findCommand(io.args, commands), commands);
    if (found.kind === "version") return say(io, VERSION_LINE);
    if (found.kind === "nothing-yet") return say(io, NOTHING_YET);
    if (found.kind === "help")
      return say(io, programHelp(commands.filter(({ name }) => found.of === undefined || name.startsWith(`${found.of} `))));
    const { default: command } = await found.entry.load();
    const parsed = parseArgs(command, found.words);
    if (parsed.kind === "help") return say(io, commandHelp(command));
    return await runCommand(io, command, parsed.args);
  } catch (error) {
    return report(io, error);
  }
}

/** No word at all opens the screen, where there is one; without a journal it has nothing to show, and says how there would be. Piped it asks for help. */
async function orScreen(
  io: Io,
  found: FoundCommand,
  commands: readonly CommandEntry[],
): Promise<Exclude<FoundCommand, { kind: "none" }> | { readonly kind: "nothing-yet" }> {
  if (found.kind !== "none") return found;
  const entry = isScreen(io) ? commands.find(({ name }) => name === "watch") : undefined;
  if (entry === undefined) return { kind: "help" };
  return (await hasJournal(io)) ? { kind: "command", entry, words: ["--runs"] } : { kind: "nothing-yet" };
}

async function hasJournal(io: Io): Promise<boolean> {
  const { findJournal } = await import("./find-files.ts");
  try {
    return existsSync(findJournal(io, {}).file);
  } catch (error) {
    if (error instanceof SynartesisError) return false; // neither it nor a manifest is anywhere
    throw error;
  }
}

function say(io: Io, text: string): number {
  io.stdout.write(`${text}\n`);
  return 0;
}

async function runCommand(io: Io, command: Command, args: Parameters<Command["run"]>[1]): Promise<number> {
  const deferred: (() => Promise<unknown> | unknown)[] = [];
  const interruption = command.ownsSignals === true ? undefined : listenToSignals(io);
  const context: Context = {
    io,
    signal: interruption?.signal ?? new AbortController().signal,
    defer: (work) => deferred.push(work),
    print: (text) => io.stdout.write(`${text}\n`),
    printJson: (value) => io.stdout.write(`${JSON.stringify(value, null, 2)}\n`),
    note: (text) => io.stderr.write(`${text}\n`),
  };
  try {
    const running = command.run(context, args);
    return await (interruption === undefined ? running : Promise.race([running, interruption.code]));
  } finally {
    for (const work of deferred.reverse()) await work();
    interruption?.stop();
  }
}

function listenToSignals(io: Io): { signal: AbortSignal; code: Promise<number>; stop: () => void } {
  const controller = new AbortController();
  const { promise: code, resolve } = Promise.withResolvers<number>();
  const interrupt = (exitCode: number) => () => {
    // The first asks the command to clean up; whoever asks again doesn't want to wait for it.
    if (controller.signal.aborted) endNow(exitCode);
    controller.abort();
    resolve(exitCode);
  };
  const stops = [io.onSignal("SIGINT", interrupt(130)), io.onSignal("SIGTERM", interrupt(143))];
  return { signal: controller.signal, code, stop: () => stops.forEach((stop) => void stop()) };
}

function report(io: Io, thrown: unknown): number {
  const error = withPrintedHint(io, thrown);
  const end = io.args.indexOf("--");
  const json = io.args.slice(0, end === -1 ? undefined : end).includes("--json");
  if (json) io.stdout.write(`${JSON.stringify(errorDocument(error), null, 2)}\n`);
  io.stderr.write(errorText(error, io.env["SYNARTESIS_DEBUG"] === "1"));
  return error instanceof SynartesisError ? error.exitCode : 70;
}
