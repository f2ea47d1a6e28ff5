import { startApp } from "./app.ts";
import { readConfig } from "./config.ts";

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

async function main(): Promise<void> {
  const started = performance.now();
  const app = await startApp(readConfig(process.env), { progress: say });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);

  let stopping = false;
  const stop = async (): Promise<void> => {
    // A signal to the process group arrives twice.
    if (stopping) return;
    stopping = true;
    await app.stop();
    process.exit(0);
  };
  process.on("SIGTERM", () => void stop());
  process.on("SIGINT", () => void stop());

  say("");
  say(`Wayfare is ready after ${seconds} s.`);
  say(`  application  ${app.appUrl}`);
  say(`  edge         ${app.edgeUrl}`);
  if (app.demo !== undefined) {
    say(`  demo tenant  ${app.demo.tenantId}`);
    say(`  API key      in ${app.demo.quickstartPath}`);
  }
  say("  first call   see README.md; stop with Ctrl-C");
}

main().catch((error: unknown) => {
  process.stderr.write(`${describe(error)}\n`);
  process.exit(1);
});

/** One line for the operator, with the cause when there is one. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} (${describe(error.cause)})`;
}
