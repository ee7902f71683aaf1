// Does a person want what is about to be done to their files? Shows it, and asks at a terminal; a script has said so by running the command.
import { SynartesisError } from "../../errors.ts";
import type { Context } from "../command.ts";

/** What the words of the command say about asking. */
export interface AskOptions {
  readonly json: boolean;
  readonly yes: boolean;
  readonly "dry-run": boolean;
}

/** Shows a plan (never with --json), and asks where there is work, somebody sees it, and it isn't a trial. @throws refused where the answer isn't yes */
export async function showAndAsk({ io, signal, print, note }: Context, text: string, hasWork: boolean, options: AskOptions): Promise<void> {
  if (options.json) return;
  const asks = hasWork && !options.yes && !options["dry-run"] && io.stdin.isTerminal;
  // A piped output is for somebody else than who is asked.
  const show = asks && !io.stdout.isTerminal ? note : print;
  show(text);
  if (!asks) return;
  const answer = await io.readLine("Do this? [y/N]", signal);
  if (!/^y(es)?$/i.test(answer?.trim() ?? "")) throw new SynartesisError("refused", "nothing was written");
}
