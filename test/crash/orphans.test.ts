// Is anything of ours left, in whatever way the proxy ends, beside the worst of servers? It ignores the end of its input and SIGTERM, and has
// descendants that ignore both, one (on Linux) in a session of its own and with a parent that is gone. And what does the journal say then?
import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent } from "../support/agent.ts";
import { runs } from "../support/documents.ts";
import { HttpAgent, type Served, serve } from "../support/http.ts";
import { makeNotes, type NotesSandbox } from "../support/notes.ts";
import { until } from "../support/patience.ts";
import { afterCrash, arrived, begin, gone, kill, treeOf } from "./scene.ts";

const scratch = mkdtempSync(join(tmpdir(), "synartesis-litter-"));
afterAll(() => rmSync(scratch, { recursive: true }));

interface Littering extends NotesSandbox {
  /** The descendants that the server has started, once all are there. */
  litter(): Promise<number[]>;
}

let made = 0;

function makeLittering(): Littering {
  const file = join(scratch, String(made++));
  const notes = makeNotes(undefined, ["--ignore-eof", "--ignore-term", "--litter", file]);
  const pids = () => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").map(Number) : []);
  return {
    ...notes,
    async litter() {
      await until("the litter", () => pids().length === (process.platform === "linux" ? 2 : 1));
      return pids();
    },
  };
}

const SET = { key: "a", value: "the agent's" };

const ENDS: Readonly<Record<string, (agent: Agent) => void | Promise<void>>> = {
  "the end of its input": (agent) => void agent.child.stdin.end(),
  SIGTERM: async (agent) => kill(await agent.proxyPid(), "SIGTERM"),
  SIGINT: async (agent) => kill(await agent.proxyPid(), "SIGINT"),
  SIGHUP: async (agent) => kill(await agent.proxyPid(), "SIGHUP"),
  SIGKILL: async (agent) => kill(await agent.proxyPid()),
  "the death of its client": (agent) => kill(agent.child.pid),
};

for (const [name, end] of Object.entries(ENDS)) {
  test.concurrent(`P2: ${name}, idle: nothing that was started is left, and the run is right`, async () => {
    using notes = makeLittering();
    await using agent = await Agent.start(notes);
    await agent.call("set", SET);
    const pids = [...treeOf(agent.child.pid), ...(await notes.litter())];
    await end(agent);
    await gone(pids);
    const { run, actions } = await afterCrash(notes);
    expect(actions.map(({ status }) => status)).toEqual(["applied"]);
    expect(run.state === "ended").toBe(name !== "SIGKILL");
  });

  test.concurrent(`P4: ${name}, with a call in flight: nothing that was started is left, and the call is unknown`, async () => {
    using notes = makeLittering();
    await using agent = await Agent.start(notes);
    notes.trouble("set", "hang-after");
    begin(agent, "set", SET);
    await arrived(notes, "set");
    const pids = [...treeOf(agent.child.pid), ...(await notes.litter())];
    await end(agent);
    await gone(pids);
    if (name === "SIGKILL") expect((await notes.run("close")).code).toBe(0);
    const { actions } = await afterCrash(notes);
    expect(actions.map(({ status }) => status)).toEqual(["unknown"]);
  });
}

const HTTP_ENDS: Readonly<Record<string, (served: Served, agent: HttpAgent) => unknown>> = {
  "a session is ended by DELETE": (_, agent) => agent.end(),
  "a session is left": () => undefined,
  "SIGTERM comes": ({ child }) => kill(child.pid, "SIGTERM"),
  "SIGKILL comes": ({ child }) => kill(child.pid),
};
for (const [name, end] of Object.entries(HTTP_ENDS)) {
  test.concurrent(`P2: over HTTP, ${name}: nothing that was started for it is left, and the run is right`, async () => {
    using notes = makeLittering();
    await using served = await serve(notes, name.includes("left") ? ["--session-idle", "10s"] : []);
    const agent = await HttpAgent.start(served.url);
    await agent.call("set", SET);
    const [, ...below] = treeOf(served.child.pid);
    const pids = [...below, ...(await notes.litter())];
    await end(served, agent);
    await gone(pids);
    expect((await afterCrash(notes)).actions.map(({ status }) => status)).toEqual(["applied"]);
    expect((await runs(notes)).map(({ state }) => state === "ended")).toEqual([!name.includes("SIGKILL")]);
  });
}
