// Which references stand in a template, and where? For those who check a policy before there is a call, and who ask what a call read. Resolves nothing.
import { printPath } from "./reference.ts";
import { isBare, type Namespace, type PathStep, type Reference, type Template } from "./template.ts";

/** A reference, and where it stands in the value that was compiled. One under `$item` is given as what it reads in its list, with its own text. */
export interface PlacedReference extends Pick<Template & { kind: "reference" }, "negate"> {
  readonly reference: Reference;
  readonly path: readonly (string | number)[];
  /** It stands behind `for_each`. */
  readonly isList?: true;
}

/** Lists every reference of a template in the order written. */
export function referencesIn(template: Template): readonly Reference[] {
  return placedReferencesIn(template).map((placed) => placed.reference);
}

/** Lists the paths that a template reads in a namespace; a list that is gone through counts by what is read of its elements. */
export function pathsRead(template: Template, namespace: Namespace): readonly (readonly PathStep[])[] {
  const placed = placedReferencesIn(template).filter(({ reference }) => reference.namespace === namespace);
  const own = placed.filter(({ isList }) => !isList).map(({ reference }) => reference.steps);
  const lists = placed.filter(({ isList }) => isList).map(({ reference }) => reference.steps);
  const isReadInto = (list: readonly PathStep[]) => own.some((steps) => printPath(steps.slice(0, list.length)) === printPath(list));
  return [...own, ...lists.filter((list) => !isReadInto(list))];
}

/** Lists every reference of a template with its place, as `["edits", 0, "text"]`, and those that select within it. */
export function placedReferencesIn(template: Template, path: readonly (string | number)[] = []): readonly PlacedReference[] {
  return placedIn(template, path).flatMap((placed) => withSelecting(placed));
}

function withSelecting(placed: PlacedReference): readonly PlacedReference[] {
  const { reference, path } = placed;
  const selecting = reference.steps.flatMap((step) => (step.kind === "where" && "reference" in step ? [step.reference] : []));
  return [{ ...placed, reference: fromTheTop(reference) }, ...selecting.flatMap((inner) => withSelecting({ reference: inner, path }))];
}

/** Gives what a reference under `$item` reads in its list; any other as it is. */
export function fromTheTop({ elements, ...reference }: Reference): Reference {
  return elements === undefined
    ? reference
    : { ...reference, namespace: elements.namespace, steps: [...elements.steps, ...reference.steps] };
}

/** Gives the elements of the list that a reference names, as a reference that isn't under `$item`. */
export function elementsIn(list: Reference): Reference {
  const top = fromTheTop(list);
  return list.steps.some(({ kind }) => kind === "each") ? top : { ...top, steps: [...top.steps, { kind: "each" }] };
}

function placedIn(template: Template, path: readonly (string | number)[]): readonly PlacedReference[] {
  switch (template.kind) {
    case "literal":
      return [];
    case "reference": {
      const { reference, negate } = template;
      return [{ reference, path: isBare(template) ? path : [...path, "from"], ...(negate && { negate }) }];
    }
    case "text":
      return template.parts.filter((part) => typeof part !== "string").map((reference) => ({ reference, path }));
    case "list":
      return template.items.flatMap((item, index) => placedIn(item, [...path, index]));
    case "object":
      return template.members.flatMap(([name, member]) => placedIn(member, [...path, name]));
    case "each":
      return [
        ...placedIn(template.list, [...path, "for_each"]).map((placed) => ({ ...placed, isList: true as const })),
        ...placedIn(template.item, [...path, "item"]),
      ];
  }
}
