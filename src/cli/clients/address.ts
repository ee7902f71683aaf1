// How does a manifest say a server that a client reaches by an address? With its headers by variables: their values, which may be secrets, stay in
// the client's file. What can't be said without copying a secret is refused.
import type { EntryUrl } from "../../clients/shapes.ts";
import type { NewUrl } from "../../manifest/new-manifest.ts";

/** How the manifest says an address: its headers by variables, whose values stay in the client's file. */
export interface Address {
  readonly kind: "address";
  entryFor(name: string): NewUrl;
  secretsFor(name: string): Readonly<Record<string, string>>;
}

/** Why an address can't be said. */
export interface NoAddress {
  readonly kind: "skipped";
  readonly reason: string;
  readonly hint: string | undefined;
}

/** Gives how a server at an address is said; or why it can't be, and what to do. */
export function addressOf({ url, headers, fromVariables, clientOnly }: EntryUrl, client: string): Address | NoAddress {
  if (clientOnly !== undefined)
    return skipped(
      `${client} logs in to it in a way of its own (${clientOnly})`,
      "synartesis init NAME --url URL, then synartesis login NAME",
    );
  const parsed = URL.parse(url);
  if (parsed === null || /[${}]/.test(url)) return skipped("its address has variables, which only the client fills in");
  if (parsed.search !== "" || parsed.username !== "" || parsed.password !== "" || parsed.hash !== "")
    return skipped(
      "its address has more in it than a place, perhaps a secret, and that isn't copied into the manifest",
      "give the secret as a header, if the server takes one",
    );
  const variable = (name: string, header: string) =>
    `${name}_${header}`
      .toUpperCase()
      .replace(/[^A-Z0-9]+/g, "_")
      .replace(/^(?=\d)/, "_");
  return {
    kind: "address",
    entryFor: (name) => ({
      ...{ name, url },
      headers: Object.fromEntries([
        ...Object.keys(headers).map((header) => [header, `\${${variable(name, header)}}`] as const),
        ...fromVariables.map((each) => [each.header, `${each.before}\${${each.variable}}`] as const),
      ]),
    }),
    secretsFor: (name) => Object.fromEntries(Object.entries(headers).map(([header, value]) => [variable(name, header), value])),
  };
}

function skipped(reason: string, hint?: string): NoAddress {
  return { kind: "skipped", reason, hint };
}
