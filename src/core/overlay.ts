// What will a thing look like once some of its paths are put back? Only for foreseeing; what a step really leaves is read.
import { isJsonObject, type Json, objectFrom } from "./json.ts";
import type { PathStep } from "./template.ts";

/** Gives `now` with what `source` has at each of the paths; where a path goes through a list, with the whole list. */
export function overlay(now: Json, source: Json, paths: readonly (readonly PathStep[])[] | undefined): Json {
  if (paths === undefined) return source;
  return paths.reduce((value, path) => put(value, source, path), now);
}

function put(now: Json | undefined, source: Json | undefined, path: readonly PathStep[]): Json {
  const [step, ...rest] = path;
  if (step?.kind !== "member" || !isJsonObject(source)) return source ?? null;
  const members = isJsonObject(now) ? Object.entries(now).filter(([name]) => name !== step.name) : [];
  if (!Object.hasOwn(source, step.name)) return objectFrom(members);
  const before = isJsonObject(now) && Object.hasOwn(now, step.name) ? now[step.name] : undefined;
  return objectFrom([...members, [step.name, put(before, source[step.name], rest)]]);
}
