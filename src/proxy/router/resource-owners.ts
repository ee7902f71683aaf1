// Which server has a resource? The one that listed it, or has a template for it, or named it in a result. Addresses aren't changed: a
// client may know what `file:` means. Never guesses between two servers that both list the same one.
import { matchesWildcard } from "../../core/wildcard.ts";

export type Owners =
  | { readonly kind: "one"; readonly server: string }
  /** Several list it: it can't be told which is meant. */
  | { readonly kind: "clash"; readonly servers: readonly string[] }
  | { readonly kind: "unknown" };

/** Addresses named in results are kept up to this many; the oldest are forgotten. */
const MOST_NAMED = 10_000;

/** What is known about whose the resources are. */
export class ResourceOwners {
  /** By server: the addresses that it lists, and its templates. */
  readonly #listed = new Map<string, Set<string>>();
  readonly #templates = new Map<string, Set<string>>();
  readonly #named = new Map<string, string>();

  /** Notes what a server lists. Gives the ones that another server lists too. */
  noteListed(server: string, kind: "uri" | "uriTemplate", texts: readonly string[], isFirstPage: boolean): readonly string[] {
    const all = kind === "uri" ? this.#listed : this.#templates;
    const own = isFirstPage ? new Set<string>() : (all.get(server) ?? new Set());
    for (const text of texts) own.add(text);
    all.set(server, own);
    return texts.filter((text) => holders(all, text).length > 1);
  }

  /** Notes that a server has named, read or watched a resource. */
  noteNamed(server: string, uri: string): void {
    this.#named.delete(uri);
    this.#named.set(uri, server);
    const oldest = this.#named.keys().next().value;
    if (this.#named.size > MOST_NAMED && oldest !== undefined) this.#named.delete(oldest);
  }

  /** Forgets a server that is gone. */
  forget(server: string): void {
    this.#listed.delete(server);
    this.#templates.delete(server);
    for (const [uri, owner] of this.#named) if (owner === server) this.#named.delete(uri);
  }

  /** Gives who named, read or watched it last; unknown where nobody did. */
  lastOwnerOf(uri: string): Owners {
    const server = this.#named.get(uri);
    return server === undefined ? { kind: "unknown" } : { kind: "one", server };
  }

  ownersOf(uri: string): Owners {
    const listed = ownersAmong(holders(this.#listed, uri));
    if (listed.kind !== "unknown") return listed;
    const named = this.lastOwnerOf(uri);
    if (named.kind !== "unknown") return named;
    const [server, ...more] = [...this.#templates]
      .filter(([, own]) => [...own].some((template) => fits(template, uri)))
      .map(([name]) => name);
    return server !== undefined && more.length === 0 ? { kind: "one", server } : { kind: "unknown" };
  }

  ownersOfTemplate(template: string): Owners {
    return ownersAmong(holders(this.#templates, template));
  }
}

function holders(all: ReadonlyMap<string, ReadonlySet<string>>, text: string): readonly string[] {
  return [...all].filter(([, own]) => own.has(text)).map(([server]) => server);
}

function ownersAmong(servers: readonly string[]): Owners {
  const [server, ...more] = servers;
  if (server === undefined) return { kind: "unknown" };
  return more.length === 0 ? { kind: "one", server } : { kind: "clash", servers };
}

/** Tells whether an address may come of a template (RFC 6570), its expressions standing for anything. */
function fits(template: string, uri: string): boolean {
  return template.includes("{") && matchesWildcard(template.replace(/\{[^{}]*\}/g, "*"), uri);
}
