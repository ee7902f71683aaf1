// Which policies come with the executable? Their texts are part of it, so nothing has to lie beside it. Parses no YAML: the texts are
// ours, with every rule beginning at `  - match:`.
import crm from "../../manifests/crm.yaml" with { type: "text" };
import desktopCommander from "../../manifests/desktop-commander.yaml" with { type: "text" };
import filesystem from "../../manifests/filesystem.yaml" with { type: "text" };
import gitMcpServer from "../../manifests/git-mcp-server.yaml" with { type: "text" };
import github from "../../manifests/github.yaml" with { type: "text" };
import mcpServerGit from "../../manifests/mcp-server-git.yaml" with { type: "text" };
import mcpSqlite from "../../manifests/mcp-sqlite.yaml" with { type: "text" };
import mcpTaskmanager from "../../manifests/mcp-taskmanager.yaml" with { type: "text" };
import memory from "../../manifests/memory.yaml" with { type: "text" };
import obsidian from "../../manifests/obsidian.yaml" with { type: "text" };
import redis from "../../manifests/redis.yaml" with { type: "text" };
import type { NewCommand } from "./new-manifest.ts";

/** The built-in companions that a policy may need, each on a hidden server called `NAME-files` or `NAME-git`. */
export type CompanionKind = "files" | "git";

/** A policy that was tried against the real server. */
export interface ShippedPolicy {
  /** Also the name that its server has in the text. */
  readonly name: string;
  /** For a person: the server that it was written for. */
  readonly title: string;
  /** What it needs beside the server; absent: nothing. */
  readonly companion?: CompanionKind;
  /** A whole manifest. */
  readonly text: string;
}

const SHIPPED: readonly ShippedPolicy[] = [
  { name: "crm", title: "the demo CRM", text: crm },
  { name: "filesystem", title: "@modelcontextprotocol/server-filesystem", companion: "files", text: filesystem },
  { name: "github", title: "github-mcp-server", text: github },
  { name: "memory", title: "@modelcontextprotocol/server-memory", text: memory },
  { name: "obsidian", title: "obsidian-mcp", text: obsidian },
  { name: "redis", title: "@modelcontextprotocol/server-redis", text: redis },
  { name: "mcp-server-git", title: "mcp-server-git", companion: "git", text: mcpServerGit },
  { name: "git-mcp-server", title: "@cyanheads/git-mcp-server", companion: "git", text: gitMcpServer },
  { name: "mcp-sqlite", title: "mcp-sqlite", text: mcpSqlite },
  { name: "mcp-taskmanager", title: "@kazuph/mcp-taskmanager", companion: "files", text: mcpTaskmanager },
  { name: "desktop-commander", title: "@wonderwhy-er/desktop-commander", companion: "files", text: desktopCommander },
];

/** Lists the shipped policies. */
export function shippedPolicies(): readonly ShippedPolicy[] {
  return SHIPPED;
}

/** Names the hidden server of a companion beside a server. */
export function companionName(server: string, companion: CompanionKind): string {
  return `${server}-${companion}`;
}

/** Writes the companion that a policy needs beside a server of this name; `folders` are those that it may read and change. */
export function companionsFor({ companion }: ShippedPolicy, server: string, folders: readonly string[]): readonly NewCommand[] {
  if (companion === undefined) return [];
  const args = ["companion", companion, ...folders.flatMap((folder) => ["--root", folder])];
  return [{ name: companionName(server, companion), command: "synartesis", args, hidden: true }];
}

/**
 * Gives the rules of a shipped policy for a server of another name, one text each, as `extendManifest` takes them: comments first, then
 * `- match:`, both in the first column.
 */
export function rulesTextFor(policy: ShippedPolicy, server: string): readonly string[] {
  const prefix = new RegExp(`\\b(match|tool): "${policy.name}(-(?:files|git))?\\.`, "g");
  return rulesIn(policy.text).map((rule) =>
    rule.replace(prefix, (_whole, key: string, companion = "") => `${key}: "${server}${companion}.`),
  );
}

function rulesIn(text: string): readonly string[] {
  const lines = text
    .slice(text.search(/^tools:/m))
    .split("\n")
    .slice(1);
  const rules: string[] = [];
  let comments: string[] = [];
  for (const line of lines.map((indented) => indented.replace(/^ {2}/, ""))) {
    if (line.trim() === "") continue;
    if (line.startsWith("#")) comments.push(line);
    else if (line.startsWith("- ")) {
      rules.push([...comments, line].join("\n"));
      comments = [];
    } else rules.push(`${rules.pop() ?? ""}\n${line}`);
  }
  return rules;
}
