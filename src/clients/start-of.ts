// How would a client start a server, or reach it? Fills in the variables that the client fills in, as far as that can be known from here; what
// only the client knows is named. Starts nothing.
import type { Surroundings, VariableStyle } from "./registry.ts";
import type { EntryCommand, EntryUrl } from "./shapes.ts";

/** What is started or reached; or what of it only the client knows, to end a sentence that begins with "it needs". */
export type ServerStart =
  | {
      readonly kind: "command";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      /** As the entry says; undefined: where the client happens to be. */
      readonly cwd: string | undefined;
    }
  | { readonly kind: "url"; readonly url: string; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: "client-only"; readonly what: string };

/** Where a server's variables come from, and for which project it is started. */
interface Start {
  readonly around: Surroundings;
  readonly variables: VariableStyle;
  readonly project: string | undefined;
}

/** Gives what a client would start or reach, with every variable filled in. */
export function startOf(reach: EntryCommand | EntryUrl, start: Start): ServerStart {
  const unknown: string[] = [];
  const fill = (text: string) => fillIn(text, start, unknown);
  const fillAll = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, fill(text)]));
  const filled: ServerStart =
    reach.kind === "url"
      ? { kind: "url", url: fill(reach.url), headers: { ...fillAll(reach.headers), ...headersFrom(reach, start, unknown) } }
      : {
          ...{ kind: "command", command: fill(reach.command), args: reach.args.map(fill), env: fillAll(reach.env) },
          cwd: reach.cwd === undefined ? undefined : fill(reach.cwd),
        };
  const what = reach.clientOnly ?? unknown[0];
  return what === undefined ? filled : { kind: "client-only", what };
}

function headersFrom({ fromVariables }: EntryUrl, { around }: Start, unknown: string[]): Record<string, string> {
  return Object.fromEntries(
    fromVariables.map(({ header, variable, before }) => {
      const value = around.env[variable];
      if (value === undefined) unknown.push(`the variable ${variable}`);
      return [header, before + (value ?? "")];
    }),
  );
}

/** Ways to write a variable; the first group is what it names. */
const PATTERNS: Readonly<Record<VariableStyle, RegExp | undefined>> = {
  none: undefined,
  shell: /\$\{([A-Za-z_]\w*(?::-[^}]*)?)\}/g,
  editor: /\$\{(\w+:[^}]*|userHome|workspaceFolder|workspaceFolderBasename|pathSeparator|\/)\}/g,
  dollar: /\$(?:\{([A-Za-z_]\w*(?::-[^}]*)?)\}|([A-Za-z_]\w*))/g,
  braces: /\{((?:env|file):[^}]*)\}/g,
};

function fillIn(text: string, start: Start, unknown: string[]): string {
  const pattern = PATTERNS[start.variables];
  if (pattern === undefined) return text;
  return text.replace(pattern, (written: string, braced: string | undefined, bare: string | undefined) => {
    const value = filling(braced ?? bare ?? "", start);
    if (value === undefined && start.variables === "dollar") return written; // this client leaves it as it is
    if (value === undefined) unknown.push(written);
    return value ?? "";
  });
}

function filling(name: string, { around, variables, project }: Start): string | undefined {
  if (variables === "shell" || variables === "dollar") {
    const [variable = "", instead] = name.split(/:-(.*)/s);
    return around.env[variable] || (instead ?? around.env[variable]);
  }
  if (name.startsWith("env:")) return around.env[name.slice("env:".length)] ?? "";
  if (name === "userHome") return around.home;
  if (name === "pathSeparator" || name === "/") return "/";
  if (name === "workspaceFolder") return project;
  if (name === "workspaceFolderBasename") return project?.split("/").at(-1);
  return undefined;
}
