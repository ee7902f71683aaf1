// Is undo right under concurrent change? Plays random histories of agents and people, undoes them, and judges by what the servers show. Exits
// with 1 where anything is wrong. The same seed gives the same history.
//   bun bench/histories/run.ts [--seeds 2000] [--from 1] | [--seed N --verbose]
import { parseArgs } from "node:util";
import { storyText, Totals } from "./report.ts";
import { tryAll } from "./trial.ts";

/** So many stories of what went wrong are told. */
const TOLD = 5;

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "2000" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    verbose: { type: "boolean", default: false },
  },
});
const first = Number(values.seed ?? values.from);
const end = first + (values.seed === undefined ? Number(values.seeds) : 1);
const totals = new Totals();
let wrong = 0;
const start = performance.now();
await tryAll(first, end, (trial) => {
  totals.add(trial);
  const isWrong = trial.violations.length > 0;
  if (isWrong) wrong++;
  if (values.verbose || (isWrong && wrong <= TOLD)) console.log(`${storyText(trial)}\n`);
});
console.log(totals.lines().join("\n"));
console.log(`\n${wrong} of ${end - first} went wrong; ${((performance.now() - start) / 1000).toFixed(0)} s`);
process.exitCode = wrong > 0 ? 1 : 0;
