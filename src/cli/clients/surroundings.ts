// What does the world look like to what finds clients? The same as to a command.
import { platform } from "node:os";
import type { Surroundings } from "../../clients/registry.ts";
import type { Io } from "../io.ts";

/** Gives what the places of clients' files depend on. */
export function surroundings({ env, home, cwd }: Pick<Io, "env" | "home" | "cwd">): Surroundings {
  return { env, home, cwd, platform: platform() };
}
