// How do the pictures of the README come about? From the executable itself, on an emulated terminal, after the demo's agents and a person: docs/screen.svg, what waits;
// docs/plan.svg, the plan of an undo. Run it after what they show has changed: `bun scripts/picture.ts`.
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { demoManifest } from "../src/demo/demo-manifest.ts";
import { type EmulatedTerminal, emulateTerminal, type Span, shows } from "../test/support/emulator.ts";
import { until } from "../test/support/patience.ts";
import { EXECUTABLE, makeSandbox, ROOT, type Sandbox } from "../test/support/sandbox.ts";

const COLUMNS = 88;
const ROWS = 24;
const PLAN_ROWS = 32;
/** In pixels: a cell, and what is left free around the text. */
const CELL = { width: 8.4, height: 18 };
const MARGIN = 18;
/** Of the window around it: the bar above, its buttons, and an edge that is seen on light and on dark pages. */
const BAR = 34;
const BUTTONS = ["#ff5f57", "#febc2e", "#28c840"];
const COLOURS: Readonly<Record<number, string>> = { 1: "#e06c75", 2: "#98c379", 3: "#e5c07b" };

/** Gives the pictures by their names in docs/: the demo's agents have been at work in the CRM, and then a person has. */
export async function pictures(): Promise<Readonly<Record<string, string>>> {
  using sandbox = makeSandbox();
  sandbox.write("synartesis.yaml", demoManifest([EXECUTABLE, "demo", "--crm"]));
  for (const script of ["cleanup", "letter"]) await sandbox.run("demo", "--agent", script);
  await changeCustomers(sandbox);
  // On PATH, so that the commands that are shown have no place of this machine in them.
  mkdirSync(join(sandbox.folder, "bin"));
  symlinkSync(EXECUTABLE, join(sandbox.folder, "bin", "synartesis"));
  const env = { PATH: `${join(sandbox.folder, "bin")}:/usr/bin:/bin` };
  await using waiting = emulateTerminal(sandbox, "exec synartesis watch", EXECUTABLE, { columns: COLUMNS, rows: ROWS, env });
  await shows(waiting, "held: ");
  const screen = svgOf(waiting, "The screen of Synartesis: a held call, with the keys that answer it");
  await using runs = emulateTerminal(sandbox, "exec synartesis", EXECUTABLE, { columns: COLUMNS, rows: PLAN_ROWS, env });
  await shows(runs, "synartesis: runs");
  runs.type("j");
  await until("the older run is chosen", () => runs.lines()[3]?.startsWith("> ") === true);
  runs.type("u");
  await shows(runs, "Put this back?");
  return { "screen.svg": screen, "plan.svg": svgOf(runs, "A plan of Synartesis: what an undo would put back, and the question") };
}

/** A colleague gives Katherine a better plan, which undo keeps, and Ada another one than the agent did, which it doesn't overwrite. */
async function changeCustomers(sandbox: Sandbox): Promise<void> {
  const file = join(sandbox.folder, "crm.json");
  const state = (await Bun.file(file).json()) as { customers: { id: string; plan: string }[] };
  const plans: Readonly<Record<string, string>> = { "c-1": "pro", "c-4": "enterprise" };
  for (const customer of state.customers) customer.plan = plans[customer.id] ?? customer.plan;
  await Bun.write(file, JSON.stringify(state));
}

function svgOf(screen: EmulatedTerminal, title: string): string {
  const [width, height] = [COLUMNS * CELL.width + 2 * MARGIN, screen.lines().length * CELL.height + BAR + MARGIN];
  const rows = screen.spans().flatMap((spans, row) => spans.map((span) => textOf(span, row)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="9" fill="#1e2127" stroke="#4b5263"/>`,
    ...BUTTONS.map((fill, at) => `<circle cx="${MARGIN + 6 + at * 20}" cy="18" r="6" fill="${fill}"/>`),
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="#d7dae0" xml:space="preserve">`,
    ...rows,
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

function textOf({ text, column, isBold, isDim, colour }: Span, row: number): string {
  const [x, y] = [MARGIN + column * CELL.width, BAR + (row + 0.75) * CELL.height];
  const fill = colour === undefined ? "" : ` fill="${COLOURS[colour] ?? "#d7dae0"}"`;
  const length = ` textLength="${(Bun.stringWidth(text) * CELL.width).toFixed(1)}" lengthAdjust="spacingAndGlyphs"`;
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}"${length}${fill}${isBold ? ' font-weight="bold"' : ""}${isDim ? ' opacity="0.65"' : ""}>${escaped(text)}</text>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

if (import.meta.main) for (const [name, svg] of Object.entries(await pictures())) await Bun.write(join(ROOT, "docs", name), svg);
