// Is a file an executable for this target? Read from its header (ELF or Mach-O), and for macOS from its signature: what can be known without running it.
import { signatureHolds } from "../ad-hoc-signature.ts";
import type { Target } from "./targets.ts";

const ELF_MACHINES: Record<number, Target["arch"]> = { 62: "x64", 183: "arm64" };
const MACH_O_PROCESSORS: Record<number, Target["arch"]> = { 16777223: "x64", 16777228: "arm64" };
const INTERPRETER = 3;

/** What is wrong with an executable for that target; undefined if nothing is. */
export function formatProblem(bytes: Uint8Array, target: Target): string | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (target.format === "mach-o") {
    if (view.getUint32(0, true) !== 0xfeedfacf) return "it isn't Mach-O of 64 bits";
    if (MACH_O_PROCESSORS[view.getUint32(4, true)] !== target.arch) return `it isn't for ${target.arch}`;
    return signatureHolds(bytes) ? undefined : "its signature doesn't hold";
  }
  if (view.getUint32(0) !== 0x7f454c46 || bytes[4] !== 2) return "it isn't ELF of 64 bits";
  if (ELF_MACHINES[view.getUint16(18, true)] !== target.arch) return `it isn't for ${target.arch}`;
  const loader = loaderOf(bytes, view);
  return loader === target.loader ? undefined : `it is loaded by ${loader}`;
}

/** The program interpreter that an ELF file names. */
function loaderOf(bytes: Uint8Array, view: DataView): string | undefined {
  const [table, size, count] = [Number(view.getBigUint64(32, true)), view.getUint16(54, true), view.getUint16(56, true)];
  for (let at = table; at < table + size * count; at += size) {
    if (view.getUint32(at, true) !== INTERPRETER) continue;
    const start = Number(view.getBigUint64(at + 8, true));
    return new TextDecoder().decode(bytes.subarray(start, bytes.indexOf(0, start)));
  }
  return undefined;
}
