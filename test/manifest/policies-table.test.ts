import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import proofs from "../../manifests/proven.json";
import { policiesTable } from "../../scripts/policies-table.ts";
import { shippedPolicies } from "../../src/manifest/shipped.ts";

const FOLDER = join(import.meta.dir, "../../manifests");
const NAMES = shippedPolicies().map(({ name }) => name);

/** The formatter lines tables up. */
const unpadded = (text: string) => text.replace(/ +/g, " ").replace(/-{3,}/g, "---");

test("manifests/README.md is what scripts/policies-table.ts makes of the policies", () => {
  expect(unpadded(readFileSync(join(FOLDER, "README.md"), "utf8"))).toBe(unpadded(policiesTable()));
});

test("every manifest in the folder is shipped, and each has its entry among the proofs", () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith(".yaml"));
  expect(files.map((file) => file.replace(/\.yaml$/, "")).sort()).toEqual(NAMES.toSorted());
  expect(Object.keys(proofs).sort()).toEqual(NAMES.toSorted());
});
