// A service process for tests: starts the embedded parts as its one argument (JSON) says, prints JSON lines, stops on SIGTERM.
import { errorText } from "../../src/embedded/embedded-error.ts";
import { startEmbedded } from "../../src/embedded/start-embedded.ts";

const print = (line: object): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`);
};
const log = {
  info: (fields: object, message: string) => print({ level: "info", message, ...fields }),
  warn: (fields: object, message: string) => print({ level: "warn", message, ...fields }),
  error: (fields: object, message: string) => print({ level: "error", message, ...fields }),
};

const { dataDir, databaseUrl, supplierSandbox, supplierProgram, devnetPrefund } = JSON.parse(process.argv[2] ?? "{}");
const stopping = new AbortController();
const requestStop = () => stopping.abort(new Error("stopped while starting"));
process.on("SIGTERM", requestStop);
// The test process holds the other end: when it dies, this must not go on.
process.stdin.on("end", requestStop).resume();
try {
  const embedded = await startEmbedded({
    dataDir,
    databaseUrl,
    supplierSandbox,
    supplierProgram,
    devnetPrefund,
    log,
    progress: (line) => print({ progress: line }),
    signal: stopping.signal,
  });
  const { stop, ...found } = embedded;
  const hold = setInterval(() => undefined, 60_000);
  const end = async (): Promise<void> => {
    await stop();
    clearInterval(hold);
    process.stdin.destroy();
    print({ stopped: true });
  };
  if (stopping.signal.aborted) await end();
  else stopping.signal.addEventListener("abort", end);
  print({ ready: true, ...found });
} catch (error) {
  print({ failed: errorText(error), kind: error instanceof Error ? error.name : "unknown" });
  process.exitCode = 1;
  process.stdin.destroy();
}
