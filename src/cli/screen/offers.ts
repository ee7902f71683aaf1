// How can an undo that was refused or halted be asked for in another way, and by which key? Data; whatever is chosen leads to another plan and question.
import type { Offer } from "./state.ts";

/** The keys by which an undo is asked for again; `short` stands among the keys, `does` above them. */
export const OFFERS: Readonly<Record<Offer, { readonly key: string; readonly short: string; readonly does: string }>> = {
  live: { key: "l", short: "undo live", does: "undo it through its agent's own session (--live)" },
  skip: { key: "s", short: "skip", does: "leave as it is where it halts (--skip)" },
  overwrite: { key: "o", short: "overwrite", does: "put back over what others changed (--overwrite)" },
  "keep-going": { key: "c", short: "go on", does: "go on with what isn't connected to it (--keep-going)" },
};
