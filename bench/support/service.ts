import { startApp } from "../../server/src/app.ts";
import { readConfig } from "../../server/src/config/config.ts";
import { probeTools } from "./probe-tools.ts";

/** The product with two tools that do nothing beside the registry, so that what is measured is the path of a call. */
const app = await startApp(readConfig(process.env), { extraTools: probeTools });
process.stdout.write(`${JSON.stringify({ appUrl: app.appUrl, quickstartPath: app.demo?.quickstartPath })}\n`);
process.on("SIGTERM", () => void app.stop().then(() => process.exit(0)));
