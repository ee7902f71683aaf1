// What manifest does the guided tour run on? The shipped CRM policy, word for word, in front of the built-in CRM.
import { SynartesisError } from "../errors.ts";
import { newManifest } from "../manifest/new-manifest.ts";
import { rulesTextFor, shippedPolicies } from "../manifest/shipped.ts";

/** Writes a manifest with one server, `crm`, started by this command in the manifest's folder. */
export function demoManifest([command = "", ...args]: readonly string[]): string {
  const shipped = shippedPolicies().find(({ name }) => name === "crm");
  if (shipped === undefined) throw new SynartesisError("bug", "the CRM's policy is missing from the executable");
  return newManifest({ server: { name: "crm", command, args }, rulesYaml: rulesTextFor(shipped, "crm") });
}
