// Do the clients of both SDK lines notice the proxy in front of real servers?
import { BOTH_ERAS, declare, SERVERS } from "./compare.ts";
import { visitFirst, visitSecond } from "./visit.ts";

for (const [name, server] of Object.entries(SERVERS)) {
  declare("the first SDK line's client", name, visitFirst, server);
  declare("the second SDK line's client, which probes first,", name, visitSecond("auto"), server);
}
declare("the second SDK line's client, legacy,", "everything", visitSecond("legacy"), SERVERS["everything"]);
for (const era of ["legacy", "auto", "modern"] as const)
  declare(`the second SDK line's client, ${era},`, "a server of both eras", visitSecond(era), BOTH_ERAS);
