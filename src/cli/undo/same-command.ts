// How is an undo asked for again, with one word more? With its run by name and with everything that was chosen, so that it hits the same actions whenever
// it is typed. Never repeats an agreement.
import type { PreparedUndo } from "../../undo/prepare-undo.ts";
import type { OpenedJournal } from "../open-journal.ts";

/** What was given besides the request. */
interface Given {
  /** As it was typed. */
  readonly since: string | undefined;
  readonly wrappedCommand: readonly string[] | undefined;
}

/** Gives a writer of the command that asks for the same undo, with more words. */
export function sameCommand(
  { command }: Pick<OpenedJournal, "command">,
  prepared: PreparedUndo,
  given: Given,
): (...more: string[]) => string {
  const { kind, runs, request } = prepared;
  const [run] = runs;
  const which =
    request.target.kind === "all-runs" || run === undefined ? sinceWords(prepared, given) : [run.id, ...sinceWords(prepared, given)];
  const { from, to, only, server, resource, dependents } = request.selection;
  const rest = given.wrappedCommand === undefined ? [] : ["--", ...given.wrappedCommand];
  return (...more) => {
    const named = new Set(more.flatMap((word) => word.split(",")));
    const list = (name: string, refs: readonly string[] = []) => {
      const left = refs.filter((ref) => !named.has(ref));
      return left.length === 0 ? [] : [name, left.join(",")];
    };
    return command(
      kind,
      ...which,
      ...(["from", "to", "server", "resource"] as const).flatMap((name) => valueWords(`--${name}`, { from, to, server, resource }[name])),
      ...(only === undefined ? [] : ["--only", only.join(",")]),
      ...(dependents === "refuse" ? [] : [dependents === "with" ? "--with-dependents" : "--alone"]),
      ...(request.keepGoing ? ["--keep-going"] : []),
      ...list("--skip", request.skip),
      ...list("--overwrite", request.overwrite),
      ...(request.tryExpired ? ["--try-expired"] : []),
      ...(request.live ? ["--live"] : []),
      ...(request.replan === undefined ? [] : ["--replan"]),
      ...more,
      ...rest,
    );
  };
}

function sinceWords({ request: { target }, clock }: PreparedUndo, { since }: Given): readonly string[] {
  if (target.kind !== "all-runs") return valueWords("--since", since);
  return ["--since", since ?? `${Math.ceil((clock() - target.since) / 1000)}s`, "--all-runs"];
}

function valueWords(name: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [name, value];
}
