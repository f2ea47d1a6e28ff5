// `npm start`: the service, or a program around it that one of these variables asks for. Runs under the pinned Node.
import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";
import launcherVariables from "./launcher-variables.json" with { type: "json" };

// Beside the packages, where nobody writes who could not change the program itself. Where nothing can be kept, each start compiles anew.
enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/compiled", import.meta.url)));

const asked = launcherVariables.find(({ name }) => process.env[name] !== undefined);
if (asked !== undefined && process.env[asked.name] !== "1") {
  process.stderr.write(`Not started: ${asked.name} is 1 or not set.\n`);
  process.exit(1);
}
const { serve } = await import(`../${asked?.entry ?? "server/src/main.ts"}`);
await serve();
