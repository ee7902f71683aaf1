// Which keys may the servers of a manifest have, and whoever comes to them by HTTP? A part of shape.ts.
import { ANY_TEXT, type ObjectShape, TEXT, TEXTS } from "./shape-kinds.ts";

/** A server. */
export const SERVER: ObjectShape = {
  kind: "object",
  name: "a server",
  keys: {
    command: { shape: TEXT, about: "the program to start, without arguments" },
    args: { shape: { kind: "list", items: ANY_TEXT }, about: `its arguments; \`\${NAME}\` is expanded` },
    env: { shape: { kind: "map", values: ANY_TEXT }, about: `its environment, added to ours; \`\${NAME}\` is expanded` },
    cwd: { shape: TEXT, about: "its working directory, relative to the manifest" },
    url: { shape: TEXT, about: "a Streamable HTTP endpoint" },
    headers: { shape: { kind: "map", values: ANY_TEXT }, about: `headers for it; \`\${NAME}\` is expanded` },
    via: {
      shape: {
        kind: "object",
        name: "`via`",
        keys: {
          client: { shape: TEXT, required: true, about: "the MCP client whose file holds the command" },
          file: { shape: TEXT, required: true, about: "that file" },
          name: { shape: TEXT, required: true, about: "the server's name in it" },
        },
      },
      about: "wrapped in place: the command stands in a client's file",
    },
    hidden: { shape: { kind: "true" }, about: "used by snapshots and inverses only: the agent never sees it" },
    scratch: { shape: { kind: "true" }, about: "its data may be lost: `synartesis drill` may try its rules out" },
    failed_when: { shape: TEXTS, about: "as on a rule, for all its tools" },
  },
};

/** Who may come by HTTP. */
export const TOKEN: ObjectShape = {
  kind: "object",
  name: "a token",
  keys: {
    name: { shape: TEXT, required: true, about: "who acts with it; shown with each run" },
    sha256: { shape: TEXT, required: true, about: "the SHA-256 of the token, as `synartesis token create` prints it" },
    scopes: { shape: TEXTS, about: "what it may do: the scopes that rules ask for" },
  },
};
