// Does a shipped policy keep its word on the real server? Calls are made through the executable, as `init` sets it up, and undone; then the state is
// what it was, read past the proxy. What manifests/proven.json calls proven has to be proven here, and nothing else.
import { expect } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import proofs from "../../manifests/proven.json";
import { type NewCommand, newManifest } from "../../src/manifest/new-manifest.ts";
import { companionsFor, rulesTextFor, shippedPolicies } from "../../src/manifest/shipped.ts";
import { Agent, textOf } from "../support/agent.ts";
import { expectIntact, type StepDocument, type UndoDocument, undo } from "../support/documents.ts";
import { testUnless } from "../support/needing.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
/** A tool and its arguments. */
export type Call = readonly [tool: string, args: object];
/** Calls, or how they are made for the place where they are to happen, which may be prepared there. */
export type Calls = readonly Call[] | ((root: string) => readonly Call[]);

/** A real server with a world of its own, which its shipped policy guards. */
export interface Place extends Sandbox {
  /** Where what the server changes lies: the companion's root too. */
  readonly root: string;
  /** What is there now, without the proxy. */
  state(): Promise<unknown>;
}

/** How a test sets a server up. */
export interface Subject {
  /** The shipped policy, whose name the server has too. */
  readonly policy: string;
  /** The words that start the server, and its environment. */
  command(root: string): readonly [string, ...string[]];
  env?(root: string): Readonly<Record<string, string>>;
  /** Fills the world. */
  plant(root: string): void | Promise<void>;
  state(root: string): unknown;
  /** What has to be installed (test/real/install.sh) and isn't; the tests are skipped then. */
  readonly lacks?: string | undefined;
}

export interface Prover {
  /** A set-up of its own, filled. */
  make(): Promise<Place>;
  /** Declares a test; skipped, with the reason in its name, where something isn't installed. */
  test(name: string, body: () => Promise<void>): void;
  /** Makes the calls, undoes them all, and finds the state as it was. Counts each tool that was put back as proven. */
  prove(calls: Calls): Promise<void>;
  /** Likewise, while a person changes something else in between: that is kept, and everything else is as it was. */
  proveKept(calls: Calls, person: (place: Place) => void | Promise<void>): Promise<void>;
  /** Undoes all that was done, and counts each tool that was put back as proven: for what comes back another way, which the caller looks at. */
  undoAll(place: Place): Promise<void>;
  /** Declares the last test: exactly what manifests/proven.json calls proven was proven. */
  declareProofs(): void;
}

/** Makes the calls as an agent's whole run. @throws where one isn't done */
export async function perform(place: Place, calls: readonly Call[]): Promise<void> {
  await using agent = await Agent.start(place);
  for (const [tool, args] of calls) {
    const result = await agent.call(tool, args);
    if (result.isError) throw new Error(`${tool} ${JSON.stringify(args)}: ${textOf(result)}`);
  }
}

/** Prepares the proofs of one policy. `proven`: where it is tried on several set-ups of a server, what all of them prove. */
export function prover(subject: Subject, proven = new Set<string>()): Prover {
  const make = () => makePlace(subject);
  const undoAll = async (place: Place) => {
    const document = await undo(place, "--yes");
    expect({ ...document, steps: document.steps.filter((step) => !isPutBack(step)) }).toMatchObject({ state: "undone", steps: [] });
    await expectIntact(place);
    return document;
  };
  const count = ({ steps }: UndoDocument) => {
    for (const { tool, end } of steps) if (end === "undone") proven.add(tool.replace(/^[^.]+\./, ""));
  };
  return {
    make,
    test: (name, body) => testUnless(subject.lacks, name, body),
    async prove(calls) {
      using place = await make();
      const listed = callsIn(place, calls);
      const before = await place.state();
      await perform(place, listed);
      expect(await place.state()).not.toEqual(before);
      const document = await undoAll(place);
      expect(await place.state()).toEqual(before);
      count(document);
    },
    async undoAll(place) {
      count(await undoAll(place));
    },
    async proveKept(calls, person) {
      using place = await make();
      using untouched = await make();
      await person(untouched);
      await perform(place, callsIn(place, calls));
      await person(place);
      await undoAll(place);
      expect(await place.state()).toEqual(await untouched.state());
    },
    declareProofs() {
      testUnless(subject.lacks, `what the table of policies says of ${subject.policy} was proven just now`, () => {
        const { tools } = (proofs as Readonly<Record<string, { tools: Readonly<Record<string, string>> }>>)[subject.policy] ?? {
          tools: {},
        };
        const said = Object.keys(tools).filter((tool) => tools[tool] === "proven");
        expect([...proven].sort()).toEqual(said.sort());
      });
    },
  };
}

function callsIn({ root }: Place, calls: Calls): readonly Call[] {
  return typeof calls === "function" ? calls(root) : calls;
}

/** A read, or a call that was put back: nothing that is left over. */
function isPutBack({ kind, end }: StepDocument): boolean {
  return end === "undone" || kind === "skip" || kind === "done";
}

async function makePlace(subject: Subject): Promise<Place> {
  const sandbox = makeSandbox();
  const root = join(sandbox.folder, "world");
  mkdirSync(root);
  await subject.plant(root);
  const policy = shippedPolicies().find(({ name }) => name === subject.policy);
  if (policy === undefined) throw new Error(`no shipped policy ${subject.policy}`);
  const [command, ...args] = subject.command(root);
  const server: NewCommand = { name: policy.name, command, args, env: subject.env?.(root) ?? {} };
  const companions = companionsFor(policy, policy.name, [root]);
  sandbox.write("synartesis.yaml", newManifest({ server, companions, rulesYaml: rulesTextFor(policy, policy.name) }));
  return { ...sandbox, root, state: async () => subject.state(root) };
}
