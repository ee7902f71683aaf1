import { expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type AgentScript, isAgentScript, runAgent } from "../../src/demo/agent.ts";
import { CRM_COMMAND, newFolder } from "./crm-process.ts";

/** Lets the agent talk to the CRM itself where it expects the proxy; gives what it printed and what the CRM holds afterwards. */
async function playAgent(script: AgentScript, self: readonly string[] = CRM_COMMAND) {
  const folder = await newFolder();
  let output = "";
  const write = (text: string) => {
    output += text;
  };
  try {
    await runAgent({ script, self, env: { PATH: process.env["PATH"], BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" }, folder, write });
    return { output, state: await Bun.file(join(folder, "crm.json")).json() };
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("the clean-up does five things that all succeed and leave four wrong records", async () => {
  const { output, state } = await playAgent("cleanup");
  expect(output.match(/agent> /g)).toHaveLength(5);
  expect(output.match(/^ {9}ok$/gm)).toHaveLength(5);
  expect(state.customers.map(({ id, plan, email }: Record<string, string>) => `${id} ${plan} ${email}`)).toEqual([
    "c-1 free ada@byron.example",
    "c-2 pro grace@murray.example",
    "c-4 pro info@coleman.example",
    "c-5 free edsger@rijk.example",
    "c-6 free ada@byron.example",
  ]);
});

test("the letter is one e-mail to the customer", async () => {
  const { output, state } = await playAgent("letter");
  expect(output).toStartWith('  agent> send_email to=ada@byron.example subject="Your renewal"');
  expect(state.outbox).toHaveLength(1);
});

test("every line that the agent prints fits into 80 columns", async () => {
  for (const script of ["cleanup", "plans", "letter"] as const) {
    for (const line of (await playAgent(script)).output.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  }
});

test("a proxy that ends at once is reported with its last words", async () => {
  const failing = [process.execPath, "-e", "console.error('no such manifest'); process.exit(2)"];
  await expect(playAgent("letter", failing)).rejects.toMatchObject({ code: "server-unavailable", hint: "no such manifest" });
});

test("only the names of scripts are scripts", () => {
  expect(["cleanup", "plans", "letter", "toString", ""].map(isAgentScript)).toEqual([true, true, true, false, false]);
});
