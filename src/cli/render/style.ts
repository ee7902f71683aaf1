// Which colours are used? Few, and only where the terminal wants them; without colour every style is the text itself.

/** Turns text into painted text. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  yellow(text: string): string;
  green(text: string): string;
}

/** Gives the styles; plain text where `colour` is false. */
export function styleFor(colour: boolean): Style {
  const paint = (on: number, off: number) => (text: string) => (colour && text !== "" ? `\u001b[${on}m${text}\u001b[${off}m` : text);
  return { bold: paint(1, 22), dim: paint(2, 22), red: paint(31, 39), yellow: paint(33, 39), green: paint(32, 39) };
}
