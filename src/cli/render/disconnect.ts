// How is it told that the proxy gets out of clients' files? Pure.

import type { DisconnectPlan } from "../../clients/disconnect.ts";
import type { FileRefused } from "../../clients/edit-file.ts";
import { serverAt } from "../../clients/file-plan.ts";
import type { ClientServer } from "../../clients/find-clients.ts";
import type { Chosen } from "../clients/choose-servers.ts";
import { shortPath } from "../clients/client-words.ts";
import type { Io } from "../io.ts";
import { widthOf } from "../view.ts";
import { entryDiff, hintLines } from "./client-entries.ts";
import { wrapLine } from "./layout.ts";
import { visible } from "./visible.ts";

/** What is to be done in one file, or was. */
export interface Disconnection {
  readonly path: string;
  readonly servers: readonly ClientServer[];
  readonly plan: DisconnectPlan | FileRefused;
  /** The copy of the file as it was isn't needed any more, and was removed. */
  readonly backupGone: boolean;
}

/** Tells what will be done. */
export function disconnectPlanText(io: Io, plans: readonly Disconnection[], { unreadable }: Chosen): string {
  const fit = (line: string) => wrapLine(line, widthOf(io, 1000));
  const broken = unreadable.flatMap(({ file, reason, hint }) => [
    fit(`${file.client.title}  ${visible(shortPath(io, file.path))}`),
    fit(`  can't be read: ${visible(reason)}`),
    ...hintLines(hint),
  ]);
  const lines = plans.flatMap(({ path, plan, servers }) => {
    const head = fit(`${servers[0]?.file.client.title ?? ""}  ${visible(shortPath(io, path))}`);
    if (plan.kind === "refused") return [head, fit(`  stays as it is: ${visible(plan.reason)}`), ...hintLines(plan.hint)];
    return [
      head,
      ...plan.unwrapped.flatMap(({ server }) => {
        const after = serverAt(plan.after, server);
        return [
          `  ${visible(server.name)}`,
          ...(after === undefined ? [] : entryDiff(server.entry, after.entry).map((line) => fit(`    ${line}`))),
        ];
      }),
      ...plan.refused.map(({ server, reason }) => fit(`  ${visible(server.name)}: stays as it is: ${visible(reason)}`)),
    ];
  });
  return lines.length + broken.length === 0 ? "nothing is wrapped there" : [...broken, ...lines].join("\n");
}

/** Tells what was done. */
export function disconnectedText(io: Io, done: readonly Disconnection[]): string {
  const fit = (line: string) => wrapLine(line, widthOf(io, 1000));
  const lines = done.flatMap(({ path, plan, backupGone, servers }) => {
    const file = visible(shortPath(io, path));
    if (plan.kind === "refused") return [fit(`${file} stays as it is: ${visible(plan.reason)}`), ...hintLines(plan.hint)];
    const exact = plan.unwrapped.every((each) => each.exact) ? ", byte for byte as before" : "";
    const names = plan.unwrapped.map(({ server }) => visible(server.name)).join(", ");
    const changed = plan.unwrapped.filter(({ kept }) => kept.length > 0);
    return [
      fit(`disconnected ${names} in ${file}${exact}`),
      ...changed.map(({ server, kept }) => {
        const members = kept.map((path) => visible(path.join("."))).join(", ");
        return fit(`  ${visible(server.name)}: ${members} had been changed since, and that was kept`);
      }),
      ...(backupGone ? [] : [fit("  the copy of the file from before stays beside it: the file has been changed otherwise since")]),
      `  restart ${servers[0]?.file.client.title ?? "the client"}`,
    ];
  });
  return ["", ...lines, fit("the manifest keeps the policies, and the journal what was recorded")].join("\n");
}

/** The JSON document of the command. */
export function disconnectDocument(plans: readonly Disconnection[], written: boolean, { unreadable }: Chosen): object {
  return {
    written,
    servers: plans.flatMap(({ path, plan, servers }) => {
      const place = (server: ClientServer) => ({ client: server.file.client.id, file: path, name: server.name });
      const stays = (server: ClientServer, reason: string, hint: string | null) => {
        return { ...place(server), result: "kept", exact: false, changed: [], reason, hint };
      };
      if (plan.kind === "refused") return servers.map((server) => stays(server, plan.reason, plan.hint ?? null));
      const result = written ? "disconnected" : "planned";
      return [
        ...plan.unwrapped.map(({ server, exact, kept }) => ({ ...place(server), result, exact, changed: kept, reason: null, hint: null })),
        ...plan.refused.map(({ server, reason }) => stays(server, reason, null)),
      ];
    }),
    unreadable: unreadable.map(({ file, reason }) => ({ client: file.client.id, file: file.path, reason })),
  };
}
