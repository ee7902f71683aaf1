// Which policies come with the executable? One entry each, with how much of it was proven on the real server. Starts nothing.
import { shippedPolicies } from "../../manifest/shipped.ts";
import { defineCommand, JSON_OPTION } from "../command.ts";
import { policyFacts } from "../policy-facts.ts";
import { policiesText } from "../render/policies.ts";

export default defineCommand({
  name: "policies",
  usage: "policies",
  about:
    "Lists the policies that come with this program. `init` takes the one whose every rule fits the tools that a server really has,\n" +
    "whatever the server calls itself.",
  example: "policies",
  options: { ...JSON_OPTION },
  async run(context, { options }) {
    const policies = shippedPolicies().map(policyFacts);
    if (options.json) context.printJson({ policies });
    else context.print(`${policiesText(policies)}\n\nsynartesis policies show NAME prints one.`);
    return 0;
  },
});
