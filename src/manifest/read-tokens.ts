// Who may come by HTTP? The manifest has each token's name and digest, so that whoever reads it can't use one.
import type { TokenPolicy } from "../core/policy.ts";
import { itemsOf, type Located, memberOf, textOf, textsOf } from "./located.ts";
import type { ProblemList } from "./problem.ts";

/** What the record calls the token that is given without a name, outside of the manifest. */
export const UNNAMED_TOKEN = "default";

/** Reads `tokens:`; what is wrong is said, and left out. */
export function readTokens(tokens: Located | undefined, problems: ProblemList): readonly TokenPolicy[] {
  const seen = new Set<string>();
  return itemsOf(tokens).flatMap((entry) => {
    const [nameNode, sha256Node] = [memberOf(entry, "name"), memberOf(entry, "sha256")];
    const [name, sha256] = [textOf(nameNode), textOf(sha256Node)];
    if (name === undefined || sha256 === undefined) return [];
    const at = { name: nameNode?.offset ?? entry.offset, sha256: sha256Node?.offset ?? entry.offset };
    if (!isTokenName(name))
      problems.add(at.name, `a token's name consists of letters, digits, \`.\`, \`@\`, \`-\` and \`_\`; found \`${name}\``);
    if (name === UNNAMED_TOKEN) problems.add(at.name, `\`${name}\` is what a token without a name is called`, "choose another name");
    if (seen.has(name)) problems.add(at.name, `two tokens are named \`${name}\``, "the record would not tell them apart");
    if (!/^[0-9a-f]{64}$/.test(sha256))
      problems.add(
        at.sha256,
        "`sha256` must be 64 lower-case hexadecimal digits",
        "`synartesis token create NAME` prints the entry; the token itself never stands here",
      );
    seen.add(name);
    return [{ name, sha256, scopes: textsOf(memberOf(entry, "scopes")) }];
  });
}

/** Tells whether a text can name a token. */
export function isTokenName(name: string): boolean {
  return /^[\w.@-]{1,64}$/.test(name);
}
