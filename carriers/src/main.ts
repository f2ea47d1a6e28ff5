import { readSettings } from "./settings.ts";
import { startCarriers } from "./start.ts";

/** Everything is in memory only, so there is nothing worth waiting for longer. */
const STOP_WITHIN_MILLISECONDS = 2_000;

process.umask(0o077);
try {
  const running = await startCarriers(readSettings(process.argv.slice(2)));
  let isStopping = false;
  const stop = () => {
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => process.exit(0), STOP_WITHIN_MILLISECONDS).unref();
    running.stop().then(
      () => process.exit(0),
      () => process.exit(0),
    );
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  process.stdout.write(
    `${JSON.stringify({ ready: true, port: running.port, url: `http://127.0.0.1:${running.port}` })}\n`,
  );
} catch (error) {
  process.stderr.write(`carriers: error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
