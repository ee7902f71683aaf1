// What does it cost to find out whether a statement is a read? `bun bench/sql.ts`. As a share of what a call costs that passes through a pipe to
// another process and back, so that the figure means the same on any machine. Never with a cold parser but where it says so.
import { SQL_DIALECTS } from "../src/core/vocabulary.ts";
import { certainRead } from "../src/sql/certain-read.ts";
import { median, percentile } from "./statistics.ts";

const STATEMENT =
  "SELECT u.name, count(*), max(o.total) FROM users u JOIN orders o ON o.user_id = u.id WHERE u.age > 5 AND o.total IS NOT NULL GROUP BY u.name ORDER BY 2 DESC LIMIT 10";
const ROUNDS = 500;

async function timesOf(work: () => Promise<unknown>): Promise<readonly number[]> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const began = performance.now();
    await work();
    times.push(performance.now() - began);
  }
  return times;
}

const echo = Bun.spawn(["cat"], { stdin: "pipe", stdout: "pipe" });
const reader = echo.stdout.getReader();
const trip = median(
  await timesOf(async () => {
    echo.stdin.write(`${STATEMENT}\n`);
    echo.stdin.flush();
    await reader.read();
  }),
);
await echo.stdin.end();
await echo.exited;

for (const dialect of SQL_DIALECTS) {
  const began = performance.now();
  await certainRead(STATEMENT, dialect);
  const first = performance.now() - began;
  const times = await timesOf(() => certainRead(STATEMENT, dialect));
  const parts = [median(times), percentile(times, 99), first].map((time) => (time / trip).toFixed(1));
  console.log(`${dialect}: ${parts[0]} round trips (99 of 100 within ${parts[1]}; the first, which loads the parser, ${parts[2]})`);
}
