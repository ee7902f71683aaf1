// What is a client allowed, where rules ask for scopes? What its token says, else what whoever starts the proxy says; nothing by default.
import type { Policy } from "../core/policy.ts";

/** Reads `--scopes`: names with commas between them. */
export function readScopes(option: string | undefined): readonly string[] {
  const names = (option ?? "").split(",").map((name) => name.trim());
  return names.filter((name) => name !== "");
}

/** Gives the scopes of a client by the name of its token; `given` are those of the token without a name, which stands in no manifest. */
export function scopesFor({ tokens = [] }: Policy, token: string, given: readonly string[]): readonly string[] {
  return tokens.find(({ name }) => name === token)?.scopes ?? given;
}
