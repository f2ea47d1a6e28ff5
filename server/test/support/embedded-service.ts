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

const { dataDir, databaseUrl, supplierSandbox, supplierProgram } = JSON.parse(process.argv[2] ?? "{}");
const stopping = new AbortController();
process.on("SIGTERM", () => stopping.abort(new Error("stopped while starting")));
try {
  const embedded = await startEmbedded({
    dataDir,
    databaseUrl,
    supplierSandbox,
    supplierProgram,
    log,
    progress: (line) => print({ progress: line }),
    signal: stopping.signal,
  });
  const { stop, ...found } = embedded;
  const hold = setInterval(() => undefined, 60_000);
  const end = async (): Promise<void> => {
    await stop();
    clearInterval(hold);
    print({ stopped: true });
  };
  if (stopping.signal.aborted) await end();
  else stopping.signal.addEventListener("abort", end);
  print({ ready: true, ...found });
} catch (error) {
  print({ failed: errorText(error), kind: error instanceof Error ? error.name : "unknown" });
  process.exitCode = 1;
}
