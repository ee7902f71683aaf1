// Is a name the one that the file really has? Some file systems find a file by other spellings too, and some servers look for them: whoever goes by the
// spelling would take one file for another.

/** What a folder has for a name: exactly that, nothing like it, or another spelling of it. */
export type RealName = { readonly kind: "exact" } | { readonly kind: "free" } | { readonly kind: "spelled"; readonly as: string };

/** Looks for a name among those of its folder. `isFound`: the file system finds something by it. */
export function realName(name: string, names: readonly string[], isFound: boolean): RealName {
  if (names.includes(name)) return { kind: "exact" };
  const composed = name.normalize("NFC");
  const folded = fold(name);
  const other = names.find((candidate) => candidate.normalize("NFC") === composed || (isFound && fold(candidate) === folded));
  if (other !== undefined) return { kind: "spelled", as: other };
  // It was made or removed between the two looks, or is found by a spelling that we don't know: its own only if nothing has it.
  return isFound ? { kind: "spelled", as: "another name" } : { kind: "free" };
}

function fold(name: string): string {
  return name.normalize("NFKC").toUpperCase().toLowerCase();
}
