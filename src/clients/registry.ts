// Which MCP clients do we know, where do their files lie, and where in them stand the servers? Data and places only: never reads a file.
import { basename, dirname, join } from "node:path";
import type { Format } from "./formats/document.ts";

/** What the places depend on. Paths absolute. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
}

/** How an entry says what is run; `shapes.ts` reads and writes them. */
export type EntryShape = "common" | "goose" | "opencode" | "codex";

/** Which variables a client fills in, by their way of writing: `${NAME}`, `${env:NAME}`, `$NAME`, `{env:NAME}`. */
export type VariableStyle = "none" | "shell" | "editor" | "dollar" | "braces";

/** Whose servers they are: the user's everywhere, the user's in one project, everybody's in a project. */
export type Scope = "user" | "local" | "project";

/** A place in a file where a client looks for its servers. */
export interface ClientPlace {
  readonly path: string;
  readonly scope: Scope;
  readonly format: Format;
  /** The keys that lead to the servers; `*` stands for any key (the folders of projects). */
  readonly keyPath: readonly string[];
}

export interface Client {
  readonly id: string;
  readonly title: string;
  readonly shape: EntryShape;
  readonly variables: VariableStyle;
  /** Every place where its servers may be, whether the file exists or not; the project's are those of the nearest folder above that has any. */
  readonly places: (around: Surroundings) => readonly ClientPlace[];
}

const MCP_SERVERS = ["mcpServers"];

/** The clients, in the order in which they are shown. */
export const CLIENTS: readonly Client[] = [
  {
    ...{ id: "claude-code", title: "Claude Code", shape: "common", variables: "shell" },
    places: (around) => {
      const own = join(around.env["CLAUDE_CONFIG_DIR"] || around.home, ".claude.json");
      return [
        json(own, "user", MCP_SERVERS),
        json(own, "local", ["projects", "*", "mcpServers"]),
        json(join(around.cwd, ".mcp.json"), "project", MCP_SERVERS),
      ];
    },
  },
  {
    ...{ id: "claude-desktop", title: "Claude Desktop", shape: "common", variables: "none" },
    places: (around) => [json(join(appFolder(around), "Claude", "claude_desktop_config.json"), "user", MCP_SERVERS)],
  },
  {
    ...{ id: "cursor", title: "Cursor", shape: "common", variables: "editor" },
    places: ({ home, cwd }) => [
      jsonc(join(home, ".cursor", "mcp.json"), "user", MCP_SERVERS),
      jsonc(join(cwd, ".cursor", "mcp.json"), "project", MCP_SERVERS),
    ],
  },
  {
    ...{ id: "vscode", title: "VS Code", shape: "common", variables: "editor" },
    places: (around) => [
      ...editorFolders(around).flatMap((folder) => [
        jsonc(join(folder, "mcp.json"), "user", ["servers"]),
        jsonc(join(folder, "profiles", "*", "mcp.json"), "user", ["servers"]),
      ]),
      jsonc(join(around.home, ".copilot", "mcp-config.json"), "user", MCP_SERVERS),
      jsonc(join(around.cwd, ".vscode", "mcp.json"), "project", ["servers"]),
    ],
  },
  {
    ...{ id: "windsurf", title: "Windsurf", shape: "common", variables: "editor" },
    places: ({ home }) => [jsonc(join(home, ".codeium", "windsurf", "mcp_config.json"), "user", MCP_SERVERS)],
  },
  {
    ...{ id: "zed", title: "Zed", shape: "common", variables: "none" },
    places: ({ env, home, platform }) => {
      const config = platform === "linux" ? env["FLATPAK_XDG_CONFIG_HOME"] || env["XDG_CONFIG_HOME"] : undefined;
      return [jsonc(join(config || join(home, ".config"), "zed", "settings.json"), "user", ["context_servers"])];
    },
  },
  {
    ...{ id: "codex", title: "Codex", shape: "codex", variables: "none" },
    places: ({ env, home, cwd }) => {
      const toml = (path: string, scope: Scope) => ({ path, scope, format: "toml" as const, keyPath: ["mcp_servers"] });
      return [
        toml(join(env["CODEX_HOME"] || join(home, ".codex"), "config.toml"), "user"),
        toml(join(cwd, ".codex", "config.toml"), "project"),
      ];
    },
  },
  {
    ...{ id: "gemini", title: "Gemini CLI", shape: "common", variables: "dollar" },
    places: ({ env, home, cwd }) => [
      jsonc(join(env["GEMINI_CLI_HOME"] || home, ".gemini", "settings.json"), "user", MCP_SERVERS),
      jsonc(join(cwd, ".gemini", "settings.json"), "project", MCP_SERVERS),
    ],
  },
  {
    ...{ id: "goose", title: "Goose", shape: "goose", variables: "none" },
    places: ({ env, home }) => {
      const root = env["GOOSE_PATH_ROOT"];
      const folder = root ? join(root, "config") : join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "goose");
      return [{ path: join(folder, "config.yaml"), scope: "user", format: "yaml", keyPath: ["extensions"] }];
    },
  },
  {
    ...{ id: "cline", title: "Cline", shape: "common", variables: "editor" },
    places: (around) => {
      const inEditor = join("globalStorage", "saoudrizwan.claude-dev", "settings", "cline_mcp_settings.json");
      return [
        join(around.home, ".cline", "data", "settings", "cline_mcp_settings.json"),
        join(around.home, ".cline", "mcp.json"),
        ...editorFolders(around).map((folder) => join(folder, inEditor)),
      ].map((path) => json(path, "user", MCP_SERVERS));
    },
  },
  {
    ...{ id: "lmstudio", title: "LM Studio", shape: "common", variables: "none" },
    places: ({ home }) =>
      [join(home, ".lmstudio", "mcp.json"), join(home, ".cache", "lm-studio", "mcp.json")].map((path) => jsonc(path, "user", MCP_SERVERS)),
  },
  {
    ...{ id: "opencode", title: "opencode", shape: "opencode", variables: "braces" },
    places: ({ env, home, cwd }) => {
      const folder = join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "opencode");
      const told = env["OPENCODE_CONFIG"];
      const names = ["opencode.json", "opencode.jsonc"];
      return [
        ...(told ? [jsonc(told, "user", ["mcp"])] : []),
        ...[...names, "config.json"].map((name) => jsonc(join(folder, name), "user", ["mcp"])),
        ...[cwd, join(cwd, ".opencode")].flatMap((place) => names.map((name) => jsonc(join(place, name), "project", ["mcp"]))),
      ];
    },
  },
];

/** Finds a client by its id. */
export function clientNamed(id: string): Client | undefined {
  return CLIENTS.find((client) => client.id === id);
}

/**
 * Gives the places of a file that a person or a manifest names: those that the client is known to look at, else the file is taken for one
 * like the client's own.
 */
export function placesOf(client: Client, path: string, around: Surroundings): readonly ClientPlace[] {
  const named = (place: ClientPlace) => place.path === path || (place.path.includes("*") && matchesStar(place.path, path));
  const project = dirname(path);
  const known = [around, { ...around, cwd: project }, { ...around, cwd: dirname(project) }].flatMap((each) => client.places(each));
  const found = known.filter(named);
  const alike = found.length > 0 ? found : client.places(around).filter((place) => basename(place.path) === basename(path));
  const places = alike.length > 0 ? alike : client.places(around).slice(0, 1);
  const seen = new Set<string>();
  return places.flatMap((place) => {
    const key = place.keyPath.join("\0");
    if (seen.has(key)) return [];
    seen.add(key);
    return [{ ...place, path }];
  });
}

function matchesStar(pattern: string, path: string): boolean {
  const [start = "", end = ""] = pattern.split("*");
  return path.startsWith(start) && path.endsWith(end) && !path.slice(start.length, path.length - end.length).includes("/");
}

function jsonc(path: string, scope: Scope, keyPath: readonly string[]): ClientPlace {
  return { path, scope, format: "jsonc", keyPath };
}

/** For clients that read a file with a comment as a broken one. */
function json(path: string, scope: Scope, keyPath: readonly string[]): ClientPlace {
  return { path, scope, format: "json", keyPath };
}

/** Where programs with a window keep their settings. */
function appFolder({ env, home, platform }: Surroundings): string {
  return platform === "darwin" ? join(home, "Library", "Application Support") : env["XDG_CONFIG_HOME"] || join(home, ".config");
}

/** The folders of VS Code's two editions, whose extensions keep theirs below. */
function editorFolders(around: Surroundings): readonly string[] {
  return ["Code", "Code - Insiders"].map((name) => join(appFolder(around), name, "User"));
}
