// Is every value covered that may be a secret, and nothing that a person needs to see?
import { expect, test } from "bun:test";
import { MASK, maskedEntry, withoutSecretsOf } from "../../src/clients/mask.ts";

const SECRET = "s3cret";
const KEY = `ghp_${SECRET}0123456789`;

test("what may be a secret is covered wherever an entry has it", () => {
  const args = [
    ["--token", SECRET],
    [`--api-key=${SECRET}`],
    [`--env=API_TOKEN=${SECRET}`],
    ["-e", `DB_PASSWORD=${SECRET}`],
    ["-e", `BASIC_AUTH=user ${SECRET}`],
    ["--header", `X-Anything: ${SECRET}`],
    [`X-Api-Key: Basic ${SECRET}`],
    [`Server=db;Password=${SECRET};Database=x`],
    [`postgres://user:${SECRET}@host/db`],
    [`https://host/mcp?anything=${SECRET}`],
    [KEY],
    [`aB3${SECRET}aB3aB3aB3aB3`],
  ];
  for (const words of args) expect([words, JSON.stringify(maskedEntry({ args: words })).includes(SECRET)]).toEqual([words, false]);
  const entry = { env: { A: SECRET }, headers: { B: SECRET }, settings: { api_key: SECRET, deep: [{ password: SECRET }] } };
  expect(JSON.stringify(maskedEntry(entry))).not.toContain(SECRET);
});

test("what no secret can be in is shown as it stands, and a very long word takes no time", () => {
  const entry = {
    command: "/opt/some-tools/bin/node",
    args: [
      "-y",
      "@modelcontextprotocol/server-memory@2026.7.4",
      "/home/ada/Documents/notes-2026",
      "--port=8080",
      "--verbose",
      "mcp-server-sqlite",
    ],
    cwd: "/srv/key-value",
    timeout: 60,
  };
  expect(maskedEntry(entry)).toEqual(entry);
  const began = performance.now();
  maskedEntry({ args: ["key".repeat(100_000), "a".repeat(300_000)] });
  expect(performance.now() - began).toBeLessThan(2000);
});

test("what a process prints of it is covered in the form that it was given", () => {
  const entry = { args: ["--port", "80", `--key=${SECRET}`], env: { API_TOKEN: `a-${SECRET}` } };
  expect(withoutSecretsOf(entry, `port 80, key ${SECRET}, token a-${SECRET}`)).toBe(`port 80, key ${MASK}, token ${MASK}`);
});
