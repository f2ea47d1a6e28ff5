import { errorText } from "../../server/src/embedded/embedded-error.ts";
import { LOOPBACK } from "../../server/src/embedded/free-port.ts";
import { openLateLog } from "./late-log.ts";
import { readSettings } from "./settings.ts";
import { startDevnet } from "./start.ts";

/** Everything answered is in the log: only a snapshot is worth the wait, and who stops it as a part waits less. */
const STOP_WITHIN_MS = 30_000;

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const endWith = (reason: string): void => {
  say(`development chain: error: ${reason}`);
  process.exit(1);
};

process.umask(0o077);
try {
  const settings = readSettings(process.argv.slice(2));
  const { standStillAt, logLate } = settings;
  const nowMs = standStillAt === undefined ? Date.now : () => Date.parse(standStillAt);
  const running = await startDevnet(settings, { nowMs, say, ...(logLate ? { openLog: openLateLog } : {}) });
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
  void running.broken.then((reason) => {
    if (!stopping) endWith(reason);
  });
  const { port, restored, genesisHash } = running;
  const url = `http://${LOOPBACK}:${port}`;
  process.stdout.write(`${JSON.stringify({ ready: true, port, url, genesisHash, restored })}\n`);
} catch (error) {
  endWith(errorText(error));
}
