import { type App, startApp } from "./app.ts";
import { readConfig } from "./config/config.ts";

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const ended = new AbortController();

async function main(): Promise<void> {
  const started = performance.now();
  let app: App | undefined;
  // A signal to the process group arrives twice.
  const stop = async (): Promise<void> => {
    if (ended.signal.aborted) return;
    ended.abort();
    if (app === undefined) return;
    await app.stop();
    process.exit(0);
  };
  process.on("SIGTERM", () => void stop());
  process.on("SIGINT", () => void stop());
  app = await startApp(readConfig(process.env), { progress: say, signal: ended.signal });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);

  say("");
  say(`Wayfare is ready after ${seconds} s.`);
  const elsewhere = (host: "app" | "edge") => (app.serves.includes(host) ? "" : " (not served by this process)");
  say(`  application  ${app.appUrl}${elsewhere("app")}`);
  say(`  edge         ${app.edgeUrl}${elsewhere("edge")}`);
  if (app.demo !== undefined) {
    say(`  demo tenant  ${app.demo.tenantId}`);
    say(`  API key      in ${app.demo.quickstartPath}`);
  }
  const first = app.serves.includes("app") ? `${app.appUrl}/docs/connect` : `${app.edgeUrl}/tools`;
  say(`  first call   ${first}; stop with Ctrl-C`);
}

main().catch((error: unknown) => {
  // A start that was told to end has nothing to complain about.
  if (ended.signal.aborted) process.exit(0);
  process.stderr.write(`${describe(error)}\n`);
  process.exit(1);
});

/** One line for the operator, with the cause when there is one. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} (${describe(error.cause)})`;
}
