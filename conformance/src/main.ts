import { type Config, ConfigError, readConfig } from "../../server/src/config/config.ts";
import { serve as serveDecorated } from "../../server/src/main.ts";
import { conformanceExtras } from "./fixtures/index.ts";

/** The service with the suites' fixtures; a caller without a key must never reach one that holds money. */
function readSandboxConfig(environment: NodeJS.ProcessEnv): Config {
  const config = readConfig(environment);
  if (config.networkMode === "production") throw new ConfigError("Not started: CONFORMANCE is for the sandbox only.");
  return config;
}

export const serve = (): Promise<void> =>
  serveDecorated({ decorate: { mcpExtras: () => conformanceExtras } }, readSandboxConfig);

if (import.meta.main) await serve();
