// Does the official Python client notice the proxy in front of real servers?
import { BOTH_ERAS, declare, SERVERS } from "./compare.ts";
import { visitPython } from "./visit.ts";

for (const [name, server] of Object.entries(SERVERS)) declare("the Python client, which probes first,", name, visitPython("auto"), server);
declare("the Python client, legacy,", "everything", visitPython("legacy"), SERVERS["everything"]);
for (const era of ["legacy", "auto", "modern"] as const)
  declare(`the Python client, ${era},`, "a server of both eras", visitPython(era), BOTH_ERAS);
