// Which script does each shell get? As it stands in the files beside this one, with the program's name still to be put in.
import bash from "./synartesis.bash" with { type: "text" };
import fish from "./synartesis.fish" with { type: "text" };
import zsh from "./synartesis.zsh" with { type: "text" };
import type { Shell } from "./typed-words.ts";

/** The scripts; `@PROGRAM@` stands for the words that start this program. */
export const SCRIPTS: Readonly<Record<Shell, string>> = { bash, zsh, fish };
