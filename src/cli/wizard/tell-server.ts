// What does a person hear once a server is in the manifest? What it has, what was decided, and what to do next.

import { wrap } from "../../clients/wrapping.ts";
import { draftIn, type PolicyChoice } from "../../draft/choose-policy.ts";
import type { Decision } from "../../draft/tool-questions.ts";
import type { NewServer } from "../../manifest/new-manifest.ts";
import type { Context } from "../command.ts";
import { commandLine, proxyProgram } from "../command-line.ts";
import { toldManifest } from "../find-files.ts";
import { countText } from "../render/counts.ts";
import { visible } from "../render/visible.ts";
import type { Ready } from "./prepare.ts";

/** A server that was named and written. */
export interface Written {
  readonly file: string;
  readonly created: boolean;
  readonly server: NewServer;
  /** How many servers for clients were in the manifest before. */
  readonly others: number;
  readonly prepared: Ready;
  readonly choice: PolicyChoice;
  readonly decisions: ReadonlyMap<string, Decision>;
}

/** Tells of one server, for a person or as a document. */
export function tellOfServer(
  context: Context,
  { file, created, server, others, prepared, choice, decisions }: Written,
  json: boolean,
): void {
  const { io } = context;
  const [command = "", ...args] = wrap({ program: proxyProgram(io), server: server.name, manifest: file }, undefined);
  const entry = { command, args };
  const { listing } = prepared;
  if (json) {
    const policy = choice.kind === "shipped" ? choice.policy.name : null;
    const held = heldTools(choice, decisions);
    context.printJson({ manifest: file, created, server: server.name, policy, tools: listing.tools.length, held, entry });
    return;
  }
  const told = toldManifest(io, file);
  context.print(
    [
      `${created ? "wrote" : "added to"} ${visible(file)}: ${server.name}, ${countText(listing.tools.length, "tool")}`,
      `  ${policyText(choice, decisions)}`,
      "",
      "Next:",
      `  1. read the manifest, and check it: ${commandLine(io, ["check"], told)}`,
      "  2. in your client's configuration, put this in place of the server's own entry:",
      `     ${JSON.stringify(server.name)}: ${visible(JSON.stringify(entry))}`,
      ...(others === 0
        ? []
        : [
            `     (or one entry for all ${others + 1} servers: the same without --server ${server.name}; their tools are named SERVER__TOOL then)`,
          ]),
      `  3. restart the client; then see what it does: ${commandLine(io, ["list"], told)}`,
    ].join("\n"),
  );
}

/** Gives how many tools of the drafted part are held for a person. */
export function heldTools(choice: PolicyChoice, decisions: ReadonlyMap<string, Decision>): number {
  return draftIn(choice).summary.held - acceptedTools(decisions);
}

function acceptedTools(decisions: ReadonlyMap<string, Decision>): number {
  return countOf(decisions, "accept");
}

function countOf(decisions: ReadonlyMap<string, Decision>, wanted: Decision["kind"]): number {
  return [...decisions.values()].filter(({ kind }) => kind === wanted).length;
}

/** Says by which policy a server is guarded, and what of it is still open. */
export function policyText(choice: PolicyChoice, decisions: ReadonlyMap<string, Decision>): string {
  const { reads, held } = draftIn(choice).summary;
  const [accepted, gated] = [acceptedTools(decisions), countOf(decisions, "gate")];
  const open = held - accepted - gated;
  const parts = [
    `${reads} that only read`,
    ...(accepted === 0 ? [] : [`${accepted} as you said`]),
    ...(gated === 0 ? [] : [`${gated} held for you each time`]),
    ...(open === 0 ? [] : [`${open} held for a person until you say how they are undone (look for TODO)`]),
  ].join(", ");
  if (choice.kind === "drafted") return `a draft: ${parts}`;
  const beside = reads + held === 0 ? "" : `; drafted beside it: ${parts}`;
  return `the policy for ${choice.policy.title}, which fits every rule${beside}`;
}
