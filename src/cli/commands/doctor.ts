// Does everything work together here: program, manifest, journal, clients, servers? Looks and tells, with the command that mends each thing.
// Changes nothing, and shows no secret.
import { defineCommand, JOURNAL_OPTIONS, JSON_OPTION } from "../command.ts";
import { checkClients } from "../doctor/clients.ts";
import { findFiles } from "../doctor/files.ts";
import { examinationOf } from "../doctor/finding.ts";
import { checkPermissions } from "../doctor/permissions.ts";
import { checkProgram } from "../doctor/program.ts";
import { checkRecord } from "../doctor/record.ts";
import { checkServers } from "../doctor/servers.ts";
import { doctorText, findingDocument } from "../render/doctor.ts";
import { styleOf, widthOf } from "../view.ts";

export default defineCommand({
  name: "doctor",
  usage: "doctor [--no-start]",
  about:
    "Looks whether everything works together: which program this is and which one your shell starts, where manifest and journal are and why, who\n" +
    "else could read them, whether the record is whole, whether each client's entry really runs this program, and whether each server starts.\n" +
    "Says for each thing that is wrong which command mends it. Changes nothing, and prints no secrets. Exits with 1 where something is wrong.",
  example: "doctor",
  options: {
    "no-start": { kind: "flag", about: "don't start the servers" },
    ...JSON_OPTION,
    ...JOURNAL_OPTIONS,
  },
  async run(context, { options }) {
    const examination = examinationOf(context, options);
    const [program, files, clients] = await Promise.all([checkProgram(examination), findFiles(examination), checkClients(examination)]);
    const { manifest, loading, journal } = files;
    const starts = manifest !== undefined && loading?.kind === "loaded" && !options["no-start"];
    const servers = starts ? await checkServers(examination, manifest, clients.broken) : [];
    const record = journal === undefined ? [] : await checkRecord(examination, journal);
    const findings = [...program, ...files.findings, ...checkPermissions(examination, files), ...record, ...clients.findings, ...servers];
    const healthy = findings.every(({ level }) => level !== "wrong");
    if (options.json) context.printJson({ healthy, findings: findings.map(findingDocument) });
    else context.print(doctorText(findings, widthOf(context.io, 80), styleOf(context)));
    return healthy ? 0 : 1;
  },
});
