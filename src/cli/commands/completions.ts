// What makes a shell complete our commands? Prints the script for one; and, asked by that script, what the word being typed could be. At a key
// press it never fails, and never changes anything.
import { type Context, defineCommand } from "../command.ts";
import { commandLine } from "../command-line.ts";
import { SHELLS, type Shell } from "../completion/typed-words.ts";

export default defineCommand({
  name: "completions",
  usage: "completions bash | zsh | fish",
  about:
    "Prints what makes a shell complete our commands, options, files, runs, waiting calls and servers. To switch it on for good, add\n" +
    "the line for bash to ~/.bashrc, or that for zsh to ~/.zshrc, below compinit; run that for fish once:\n" +
    "  bash  source <(synartesis completions bash)\n" +
    "  zsh   source <(synartesis completions zsh)\n" +
    "  fish  synartesis completions fish > ~/.config/fish/completions/synartesis.fish\n" +
    "The words after -- are what the script asks about.",
  example: "completions bash",
  options: {},
  positionals: { min: 1, max: 1, choices: SHELLS },
  rest: true,
  async run(context, { positionals, rest }) {
    const shell = positionals[0] as Shell; // one of the choices
    if (rest === undefined) context.print(await scriptFor(context, shell));
    else await answer(context, shell, rest);
    return 0;
  },
});

async function scriptFor({ io }: Context, shell: Shell): Promise<string> {
  const { SCRIPTS } = await import("../completion/scripts.ts");
  return SCRIPTS[shell].replaceAll("@PROGRAM@", () => commandLine(io, [])).trimEnd();
}

/** In lines: what the shell is to look for itself, and what stands before the value; then a word each, a tab, and what it is. */
async function answer(context: Context, shell: Shell, rest: readonly string[]): Promise<void> {
  const [{ typedWords }, { nextWord }, { lookUpWith }, { COMMANDS }] = await Promise.all([
    import("../completion/typed-words.ts"),
    import("../completion/next-word.ts"),
    import("../completion/look-up.ts"),
    import("../command-list.ts"),
  ]);
  const found = await nextWord(typedWords(shell, rest), COMMANDS, lookUpWith(context.io));
  context.print(
    [`${found.shell} ${found.before}`, ...found.words.map(({ word, about }) => `${word}\t${about.replaceAll("\n", " ")}`)].join("\n"),
  );
}
