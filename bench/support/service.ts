import { join } from "node:path";
import { startApp } from "../../server/src/compose.ts";
import { readConfig } from "../../server/src/config/config.ts";
import { probeTools } from "./probe-tools.ts";

/** The product with two tools that do nothing beside the registry, so that what is measured is the path of a call. */
const config = readConfig(process.env);
const app = await startApp(config, { extraTools: probeTools });
process.stdout.write(
  `${JSON.stringify({
    appUrl: app.appUrl,
    quickstartPath: join(config.dataDir, "quickstart.json"),
    signInLink: app.facts.find(({ label }) => label === "dashboard")?.text.split(" ")[0],
  })}\n`,
);
process.on("SIGTERM", () => void app.stop().then(() => process.exit(0)));
