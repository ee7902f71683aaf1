// How does the guided tour show the CRM's state? As plain tables of at most 80 columns. Never shows a control character as itself.
import type { Customer, SentEmail } from "./crm/customers.ts";

const WIDTHS = [4, 18, 26, 11, 14] as const;

/** One line per customer: id, name, e-mail address, plan, and how the notes begin. */
export function customerTable(customers: readonly Customer[]): string {
  const rows = customers.map(({ id, name, email, plan, notes }) => row([id, name, email, plan, notes]));
  return lines([row(["ID", "NAME", "EMAIL", "PLAN", "NOTES"]), ...rows]);
}

/** One line per e-mail: the recipient and the subject. */
export function outboxTable(outbox: readonly SentEmail[]): string {
  return lines(outbox.map(({ to, subject }) => `sent to ${plain(to)}: ${plain(subject)}`));
}

function row(cells: readonly string[]): string {
  return cells.map((cell, index) => padded(plain(cell), WIDTHS[index] ?? 0)).join(" ");
}

function padded(text: string, width: number): string {
  let shown = text;
  if (Bun.stringWidth(shown) > width) {
    while (Bun.stringWidth(shown) > width - 3) shown = [...shown].slice(0, -1).join("");
    shown += "...";
  }
  return shown + " ".repeat(width - Bun.stringWidth(shown));
}

function plain(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "\uFFFD");
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `  ${text.trimEnd()}\n`).join("");
}
