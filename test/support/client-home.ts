// A home in which all twelve clients have been at work: their files where each keeps them, with servers, comments, secrets and other keys.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** How the servers of the home are started: a program, its arguments. */
export interface HomeServer {
  readonly command: string;
  readonly args: readonly string[];
}

/** A secret that stands in every file, and must be printed by none of our commands. */
export const HOME_SECRET = "s3cret-of-this-home";

/** The client of each file, the file below the home (as on Linux), and its text. */
function clientTexts({ command, args }: HomeServer): readonly { readonly client: string; readonly file: string; readonly text: string }[] {
  const c = JSON.stringify(command);
  const a = JSON.stringify(args);
  const spread = args.map((arg) => JSON.stringify(arg)).join(",\n        ");
  const s = HOME_SECRET;
  return [
    {
      client: "claude-code",
      file: ".claude.json",
      text: `{"numStartups":12,"mcpServers":{"memory":{"type":"stdio","command":${c},"args":${a},"env":{"TOKEN":"${s}"},"timeout":90000}},"projects":{"/somewhere/else":{"allowedTools":["mcp__memory__*"],"mcpServers":{}}},"big":12345678901234567890}`,
    },
    {
      client: "claude-desktop",
      file: ".config/Claude/claude_desktop_config.json",
      text: `{\n  "globalShortcut": "",\n  "mcpServers": {\n    "my notes / 2.0": {\n      "command": ${c},\n      "args": [\n        ${spread}\n      ],\n      "env": {\n        "TOKEN": "${s}"\n      }\n    }\n  }\n}\n`,
    },
    {
      client: "cursor",
      file: ".cursor/mcp.json",
      text: `{\n\t"mcpServers": {\n\t\t"memory": { "command": ${c}, "args": ${a}, "env": { "TOKEN": "${s}" } },\n\t\t"switched.off": { "command": "nothing-of-that-name", "disabled": true }\n\t}\n}\n`,
    },
    {
      client: "vscode",
      file: ".config/Code/User/mcp.json",
      text: `{\r\n  // what to ask for\r\n  "inputs": [{ "id": "token", "type": "promptString", "password": true }],\r\n  "servers": {\r\n    "notes": {\r\n      "type": "stdio",\r\n      "command": ${c}, // the runtime\r\n      "args": ${a},\r\n      "env": { "TOKEN": "${s}", "EDITOR_HOME": "\${userHome}", },\r\n    },\r\n  },\r\n}\r\n`,
    },
    {
      client: "windsurf",
      file: ".codeium/windsurf/mcp_config.json",
      text: `{"mcpServers": {"notes": {"command": ${c}, "args": ${a}, "env": {"TOKEN": "${s}"}, "disabledTools": ["send"]}}}`,
    },
    {
      client: "zed",
      file: ".config/zed/settings.json",
      text: `// Zed settings\n{\n  "theme": "One Dark",\n  "context_servers": {\n    "notes": {\n      "source": "custom",\n      "command": ${c},\n      "args": ${a},\n      "env": { "TOKEN": "${s}" }\n    },\n    "from-an-extension": { "source": "extension", "settings": {} }\n  }\n}\n`,
    },
    {
      client: "codex",
      file: ".codex/config.toml",
      text: `model = "o9" # the one that I like\n\n[mcp_servers.notes]\ncommand = ${c}\nargs = [\n${args.map((arg) => `  ${JSON.stringify(arg)},\n`).join("")}] # as it was\nstartup_timeout_sec = 20\n\n[mcp_servers.notes.env]\nTOKEN = '${s}'\n\n[profiles.fast]\nmodel = "o9-mini"\n`,
    },
    {
      client: "gemini",
      file: ".gemini/settings.json",
      text: `\uFEFF{\n  "selectedAuthType": "oauth-personal",\n  "mcpServers": {\n    "notes": {\n      "command": ${c},\n      "args": ${a},\n      "env": { "TOKEN": "${s}" },\n      "timeout": 30000,\n      "trust": false\n    }\n  }\n}`,
    },
    {
      client: "goose",
      file: ".config/goose/config.yaml",
      text: `# goose\nGOOSE_PROVIDER: anthropic\nextensions:\n  developer:\n    type: builtin\n    name: developer\n    enabled: true\n  notes:\n    enabled: true\n    type: stdio\n    name: notes\n    cmd: ${c}\n    args:\n${args.map((arg) => `    - ${JSON.stringify(arg)}\n`).join("")}    envs:\n      TOKEN: ${s} # keep\n    timeout: 300\nGOOSE_MODE: auto\n`,
    },
    {
      client: "cline",
      file: ".cline/data/settings/cline_mcp_settings.json",
      text: `{\n  "mcpServers": {\n    "notes": {\n      "transport": {\n        "type": "stdio",\n        "command": ${c},\n        "args": ${a},\n        "env": { "TOKEN": "${s}" }\n      },\n      "autoApprove": ["get"],\n      "timeout": 60\n    }\n  }\n}\n`,
    },
    {
      client: "lmstudio",
      file: ".lmstudio/mcp.json",
      text: `{\n  "mcpServers": {\n    "notes": {\n      "command": ${c},\n      "args": ${a},\n      "env": {\n        "TOKEN": "${s}"\n      }\n    }\n  }\n}`,
    },
    {
      client: "opencode",
      file: ".config/opencode/opencode.jsonc",
      text: `{\n  "$schema": "https://opencode.ai/config.json",\n  "mcp": {\n    "notes": {\n      "type": "local",\n      "command": ${JSON.stringify([command, ...args])},\n      "environment": { "TOKEN": "${s}" }, /* mine */\n      "enabled": true,\n    },\n  },\n}\n`,
    },
  ];
}

/** Writes them all below a home, with one server or, where `others` names their client, with another; gives each file's path by its client. */
export function makeClientHome(
  home: string,
  server: HomeServer,
  others: Readonly<Record<string, HomeServer>> = {},
): ReadonlyMap<string, string> {
  const texts = clientTexts(server).map((usual) => {
    const other = others[usual.client];
    return (other && clientTexts(other).find(({ client }) => client === usual.client)) ?? usual;
  });
  return new Map(
    texts.map(({ client, file, text }) => {
      const path = join(home, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text, { mode: 0o600 });
      return [client, path] as const;
    }),
  );
}
