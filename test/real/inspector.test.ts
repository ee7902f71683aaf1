// Does the Inspector's command line notice the proxy in front of real servers?
import { BOTH_ERAS, declare, SERVERS } from "./compare.ts";
import { visitInspector } from "./visit.ts";

for (const [name, server] of Object.entries(SERVERS)) declare("the Inspector, legacy,", name, visitInspector("legacy"), server);
declare("the Inspector, auto,", "everything", visitInspector("auto"), SERVERS["everything"]);
for (const era of ["legacy", "auto", "modern"] as const)
  declare(`the Inspector, ${era},`, "a server of both eras", visitInspector(era), BOTH_ERAS);
