// The service as attacks meet it, with a meter inside: `attacked-service.ts --without <guard>`, as a child process that is asked.
import { parseArgs } from "node:util";
import type { Decorators } from "../../../server/src/decorate.ts";
import { replaceSource } from "../replace-source.ts";
import { guardNamed } from "./guards.ts";

const { values } = parseArgs({ options: { without: { type: "string", multiple: true, default: [] } } });
const without = values.without.map(guardNamed);
const checkReplaced = replaceSource(without.flatMap(({ replace }) => replace ?? []));
// Loaded only now, as its source may have to be another one.
const { startApp } = await import("../../../server/src/compose.ts");
const { readConfig } = await import("../../../server/src/config/config.ts");
const { Meter } = await import("./meter.ts");

const meter = new Meter();
const decorate: Decorators = {
  ...meter.decorators,
  requestLimits: (all) => without.reduce((left, { limits }) => limits?.(left) ?? left, all),
};
const app = await startApp(readConfig(process.env), { decorate });
checkReplaced();

process.on("message", async (asked) => {
  if (asked === "reset") await meter.reset();
  if (asked === "collect") await meter.collect();
  process.send?.(meter.read());
});
// The harness is gone, however it ended.
process.once("disconnect", () => void app.stop().finally(() => process.exit(0)));
process.send?.({ appUrl: app.appUrl, edgeUrl: app.edgeUrl });
