import { errorText } from "./error-text.ts";
import { LOOPBACK } from "./node-address.ts";
import { endFolderOrphans } from "./orphans.ts";
import { readSettings } from "./settings.ts";
import { type DevnetTools, startDevnet } from "./start.ts";

/** Everything answered is in the log: only a snapshot is worth the wait, and who stops it as a part waits less. */
const STOP_WITHIN_MILLISECONDS = 30_000;

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const endWith = (reason: string): void => {
  say(`development chain: error: ${reason}`);
  process.exit(1);
};

/** Runs the chain that the words describe until this process is told to stop, or the chain cannot go on. */
export const runDevnet = async (words: readonly string[], tools: Partial<DevnetTools> = {}): Promise<void> => {
  process.umask(0o077);
  try {
    const settings = readSettings(words);
    if (settings.endOrphans) {
      await endFolderOrphans(settings.folder);
      return;
    }
    const { standStillAt } = settings;
    const nowMilliseconds = standStillAt === undefined ? Date.now : () => Date.parse(standStillAt);
    const running = await startDevnet(settings, { nowMilliseconds, say, ...tools });
    let stopping = false;
    const stop = () => {
      if (stopping) return;
      stopping = true;
      setTimeout(() => process.exit(0), STOP_WITHIN_MILLISECONDS).unref();
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
};
