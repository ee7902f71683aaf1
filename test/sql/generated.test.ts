// Does a change ever pass for a read? Asked with statements that are put together from parts which know what they do.
import { expect, test } from "bun:test";
import { SQL_DIALECTS } from "../../src/core/vocabulary.ts";
import { certainRead } from "../../src/sql/certain-read.ts";
import { seeds, withSeed } from "../support/random.ts";
import { statementsOf } from "./statements.ts";

/** Of each kind, dialect and seed; twice 2,500 make the 5,000 of a dialect. */
const EACH = 2500;

for (const dialect of SQL_DIALECTS) {
  for (const seed of seeds(1)) {
    test(`P5: of 2,500 made-up changes in ${dialect} none is a certain read, and at least 98 % of as many reads are; seed ${seed}`, async () => {
      await withSeed(seed, async (choose) => {
        const make = statementsOf(dialect, choose);
        const passed: string[] = [];
        const held: string[] = [];
        for (let count = 0; count < EACH; count += 1) {
          const [change, read] = [make.change(), make.read()];
          if ((await certainRead(change.sql, dialect)).kind === "read") passed.push(change.sql);
          const reading = await certainRead(read.sql, dialect);
          if (reading.kind !== "read") held.push(`${read.sql} (${reading.why})`);
        }
        expect(passed).toEqual([]);
        expect({ share: held.length / EACH <= 0.02, held: held.slice(0, 5) }).toEqual({ share: true, held: expect.anything() });
      });
    });
  }
}
