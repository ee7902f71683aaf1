// What does a shipped policy say? Its text, as a manifest of its own.
import { nearest } from "../../core/near-name.ts";
import { SynartesisError } from "../../errors.ts";
import { shippedPolicies } from "../../manifest/shipped.ts";
import { defineCommand, JSON_OPTION } from "../command.ts";
import { policyFacts } from "../policy-facts.ts";

export default defineCommand({
  name: "policies show",
  usage: "policies show NAME",
  about: "Prints a policy that comes with this program, as a whole manifest to read or to begin one's own with.",
  example: "policies show filesystem",
  options: { ...JSON_OPTION },
  positionals: { min: 1, max: 1, from: "policies" },
  async run(context, { options, positionals }) {
    const [name = ""] = positionals;
    const policy = shippedPolicies().find((each) => each.name === name);
    if (policy === undefined) throw noSuch(name);
    if (options.json) context.printJson({ ...policyFacts(policy), text: policy.text });
    else context.print(policy.text.trimEnd());
    return 0;
  },
});

function noSuch(name: string): SynartesisError {
  const names = shippedPolicies().map((each) => each.name);
  const meant = nearest(name, names);
  const hint = meant === undefined ? `there are ${names.join(", ")}` : `did you mean ${meant}?`;
  return new SynartesisError("usage", `there is no policy called "${name}"`, { hint });
}
