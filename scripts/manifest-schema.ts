// What is in manifests/synartesis.schema.json? The JSON Schema of the manifest, for editors: `bun scripts/manifest-schema.ts` writes it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { manifestSchema, SCHEMA_FILE } from "../src/manifest/json-schema.ts";

const file = join(import.meta.dir, "../manifests", SCHEMA_FILE);
writeFileSync(file, `${JSON.stringify(manifestSchema(), null, 2)}\n`);
Bun.spawnSync([process.execPath, join(import.meta.dir, "../node_modules/.bin/biome"), "format", "--write", file]);
