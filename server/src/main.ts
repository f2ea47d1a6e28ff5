import { type App, type AppOptions, startApp } from "./compose.ts";
import { type Config, readConfig } from "./config/config.ts";
import { endProcess } from "./platform/process/end-process.ts";

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** Runs the service until a signal ends it, and prints its addresses. A harness passes its replacements. */
export async function serve(
  options: Pick<AppOptions, "decorate" | "devnetProgram"> = {},
  makeConfig: (environment: NodeJS.ProcessEnv) => Config = readConfig,
): Promise<void> {
  const ended = new AbortController();
  let app: App | undefined;
  // A signal to the process group arrives twice.
  const stop = async (): Promise<void> => {
    if (ended.signal.aborted) return;
    ended.abort();
    if (app === undefined) return;
    await app.stop();
    endProcess(0);
  };
  process.on("SIGTERM", () => void stop());
  process.on("SIGINT", () => void stop());
  const started = performance.now();
  try {
    app = await startApp(makeConfig(process.env), { ...options, progress: say, signal: ended.signal });
    describeStart(app, performance.now() - started);
  } catch (error) {
    // An aborted start is not an error.
    if (!ended.signal.aborted) process.stderr.write(`${describeError(error)}\n`);
    endProcess(ended.signal.aborted ? 0 : 1);
  }
}

function describeStart(app: App, milliseconds: number): void {
  say("");
  say(`Wayfare is ready after ${(milliseconds / 1000).toFixed(1)} s.`);
  const elsewhere = (host: "app" | "edge") => (app.serves.includes(host) ? "" : " (not served by this process)");
  say(`  application  ${app.appUrl}${elsewhere("app")}`);
  say(`  edge         ${app.edgeUrl}${elsewhere("edge")}`);
  for (const { label, text } of app.facts) say(`  ${label.padEnd(12)} ${text}`);
  const first = app.serves.includes("app") ? `${app.appUrl}/docs/connect` : `${app.edgeUrl}/tools`;
  say(`  first call   ${first}; stop with Ctrl-C`);
}

/** One line for the operator, with the cause if there is one. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} (${describeError(error.cause)})`;
}

if (import.meta.main) await serve();
