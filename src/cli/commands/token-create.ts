// How does a client that comes by HTTP get a token? Made here and shown once; the manifest gets its digest. Nothing is stored.
import { randomBytes } from "node:crypto";
import { sha256 } from "../../core/digest.ts";
import { SynartesisError } from "../../errors.ts";
import { isTokenName, UNNAMED_TOKEN } from "../../manifest/read-tokens.ts";
import { defineCommand, JSON_OPTION } from "../command.ts";
import { readScopes } from "../scopes.ts";

export default defineCommand({
  name: "token create",
  usage: "token create NAME [--scopes A,B]",
  about:
    "Makes a token for one client of `proxy --http`, and the entry for the manifest by which it is known.\n" +
    "The token is shown this once and stored nowhere. NAME is recorded as who acted.",
  example: "token create ci-agent",
  options: {
    ...JSON_OPTION,
    scopes: { kind: "text", value: "A,B", about: "what its client is allowed where rules have `scopes` (default: nothing)" },
  },
  positionals: { min: 1, max: 1 },
  async run(context, { options, positionals }) {
    const [name = ""] = positionals;
    if (!isTokenName(name))
      throw new SynartesisError("usage", `a token can't be named ${JSON.stringify(name)}`, {
        hint: "letters, digits and . @ - _, at most 64",
      });
    if (name === UNNAMED_TOKEN)
      throw new SynartesisError("usage", `"${name}" is what a token without a name is called`, { hint: "choose another name" });
    const token = randomBytes(32).toString("base64url");
    const scopes = readScopes(options.scopes);
    const entry = { name, sha256: sha256(token), ...(scopes.length === 0 ? {} : { scopes }) };
    if (options.json) {
      context.printJson({ token, entry });
      return 0;
    }
    const lines = [
      `token (shown only now): ${token}`,
      "",
      "Put this into the manifest:",
      "tokens:",
      `  - { name: ${JSON.stringify(name)}, sha256: "${entry.sha256}"${scopes.length === 0 ? "" : `, scopes: ${JSON.stringify(scopes)}`} }`,
      "",
      "The client sends the token as: Authorization: Bearer TOKEN",
    ];
    context.print(lines.join("\n"));
    return 0;
  },
});
