import { readSettings } from "./settings.ts";
import { startSandbox } from "./start.ts";

/** Everything answered is committed, so there is nothing worth waiting for longer. */
const STOP_WITHIN_MS = 2_000;

try {
  const settings = readSettings(process.argv.slice(2));
  const running = await startSandbox(settings);
  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(0), STOP_WITHIN_MS).unref();
    running.stop().then(
      () => process.exit(0),
      () => process.exit(0),
    );
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  process.stdout.write(
    `${JSON.stringify({ ready: true, port: running.port, url: `http://${settings.host}:${running.port}` })}\n`,
  );
} catch (error) {
  process.stderr.write(`supplier sandbox: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
