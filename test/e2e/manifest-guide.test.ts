// Does the guide of docs/manifest.md still print what it shows, and does the policy that it arrives at put everything back?
import { expect, test } from "bun:test";
import { join } from "node:path";
import { makeSandbox } from "../support/sandbox.ts";
import { typeDocument } from "../support/typed-document.ts";

test("the guide to a policy prints what it shows, with its manifests saved as they stand, and ends with all put back", async () => {
  using sandbox = makeSandbox();
  const folder = await typeDocument(sandbox, "docs/manifest.md");
  expect(folder).toBe(join(sandbox.folder, "crm-policy"));
  const { customers } = (await Bun.file(join(folder, "crm.json")).json()) as { customers: { name: string; plan: string }[] };
  expect(customers.map(({ name }) => name).sort()).toEqual(["Ada Byron", "Alan Holt", "Edsger Rijk", "Grace Murray", "Katherine Coleman"]);
  expect(customers.find(({ name }) => name === "Ada Byron")?.plan).toBe("enterprise");
});
