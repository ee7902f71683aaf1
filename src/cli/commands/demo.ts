// Placeholder until the real command takes its place.
import { SynartesisError } from "../../errors.ts";
import { defineCommand } from "../command.ts";

export default defineCommand({
  name: "demo",
  usage: "demo",
  about: "Not built in yet.",
  example: "demo",
  options: {},
  rest: true,
  run: () => Promise.reject(new SynartesisError("bug", "demo is not built in yet")),
});
