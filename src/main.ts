// Runs the command line with the real world.
import { realIo, setExitCode } from "./cli/io.ts";
import { runCommandLine } from "./cli/run.ts";

setExitCode(await runCommandLine(realIo()));
