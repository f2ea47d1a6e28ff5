// `npm start`: the service, or a program around it that one of these variables asks for. Runs under the pinned Node.
import launcherVariables from "./launcher-variables.json" with { type: "json" };

const asked = launcherVariables.find(({ name }) => process.env[name] !== undefined);
if (asked !== undefined && process.env[asked.name] !== "1") {
  process.stderr.write(`Not started: ${asked.name} is 1 or not set.\n`);
  process.exit(1);
}
const { serve } = await import(`../${asked?.entry ?? "server/src/main.ts"}`);
await serve();
