// How is a number of things said? With its noun in the right number, and with commas. Pure.

/** Says `1 line`, `2,000 lines`. */
export function countText(number: number, noun: string): string {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** Says of how many nothing is shown: `… 5 more lines`. */
export function moreText(number: number, noun: string): string {
  return `… ${number.toLocaleString("en")} more ${noun}${number === 1 ? "" : "s"}`;
}
