// How does a value have a text of many megabytes without holding it? By an accessor: whoever reads that member gets the text, made anew from the
// bytes that it came in; whoever walks values part by part gets its parts. Never shows a text that isn't the one that stands there.

/** A text that is made when it is asked for. */
export interface LongText {
  /** How much is held for it, in bytes. */
  readonly size: number;
  /** Gives all of it. */
  whole(): string;
  /** Hands it out in parts, in order; the two halves of a surrogate pair are never parted. */
  eachPart(put: (part: string) => void): void;
}

const longTexts = new WeakMap<object, Map<string, LongText>>();

/** Makes a text a member of an object, or an element of a list, in place of what stands there. */
export function setLongText(holder: object, name: string, text: LongText): void {
  const texts = longTexts.get(holder) ?? new Map<string, LongText>();
  longTexts.set(holder, texts.set(name, text));
  Object.defineProperty(holder, name, { get: () => text.whole(), enumerable: true, configurable: true });
}

/** Gives the long texts of an object or a list by name or index; undefined where it has none. */
export function longTextsOf(holder: object): ReadonlyMap<string, LongText> | undefined {
  return longTexts.get(holder);
}
