// What is inside of the executable? npm's own list of packages (CycloneDX), of which those stay that the program is made from, and Bun, which runs it. The same
// commit gives the same list.
import manifest from "../../package.json";
import { run } from "./repository.ts";

// CycloneDX 1.5, as far as it is used here.
interface Sbom {
  readonly metadata: { readonly component: Component };
  readonly serialNumber: string;
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

interface Component {
  readonly "bom-ref": string;
  readonly name: string;
}

/** The bill of materials as JSON text. `time` (seconds) is when it was made. Throws if npm can't list what package-lock.json has. */
export function sbomText(time: number): string {
  const text = run(["npm", "sbom", "--package-lock-only", "--sbom-format", "cyclonedx", "--sbom-type", "application"]);
  const { serialNumber: _random, ...sbom } = JSON.parse(text) as Sbom; // as npm documents it
  const shipped = shippedOf(sbom);
  const document = {
    ...sbom,
    // npm calls it by the checkout's folder.
    metadata: {
      ...sbom.metadata,
      timestamp: new Date(time * 1000).toISOString(),
      component: { ...sbom.metadata.component, name: manifest.name },
    },
    components: sbom.components.filter((component) => shipped.has(component["bom-ref"])),
    dependencies: sbom.dependencies.flatMap(({ ref, dependsOn }) =>
      shipped.has(ref) ? [{ ref, dependsOn: dependsOn.filter((needed) => shipped.has(needed)) }] : [],
    ),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Bun, and what the dependencies need. (npm's own `--omit dev` leaves out what a development tool needs as well.) */
function shippedOf({ dependencies }: Pick<Sbom, "dependencies">): ReadonlySet<string> {
  const needs = new Map(dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const shipped = new Set<string>();
  const add = (ref: string): void => {
    if (shipped.has(ref)) return;
    shipped.add(ref);
    for (const needed of needs.get(ref) ?? []) add(needed);
  };
  for (const [name, version] of Object.entries(manifest.dependencies)) add(`${name}@${version}`);
  shipped.add(`bun@${manifest.devDependencies.bun}`);
  return shipped;
}
