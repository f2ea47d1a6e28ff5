import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { buildDashboard } from "../../server/src/outside/dashboard/dashboard-bundle.ts";
import { say } from "./compare.ts";

const ROOT = join(import.meta.dirname, "../..");
const BUILT = join(ROOT, "dashboard/.built");

/** First starts, each in an empty folder, with the dashboard's bundle in it and without: alternately, in seconds until ready. */
export async function compareStarts(rounds: number) {
  const folder = mkdtempSync(join(tmpdir(), "wayfare-bench-start-"));
  const [withBundle, without]: [number[], number[]] = [[], []];
  const { folder: bundle } = await buildDashboard();
  const kept = join(folder, "bundle");
  cpSync(bundle, kept, { recursive: true });
  // A start looks here first.
  const aside = `${BUILT}-aside`;
  renameSync(BUILT, aside);
  try {
    for (let round = 1; round <= rounds; round += 1) {
      for (const isThere of [true, false]) {
        const dataDir = join(folder, `${round}-${isThere ? "with" : "without"}`);
        if (isThere) {
          mkdirSync(join(dataDir, "dashboard"), { recursive: true, mode: 0o700 });
          cpSync(kept, join(dataDir, "dashboard", bundle.slice(BUILT.length + 1)), { recursive: true });
        }
        const seconds = await start(dataDir);
        (isThere ? withBundle : without).push(seconds);
        say(`round ${round} ${isThere ? "built already" : "built now"}: ready after ${seconds} s`);
      }
    }
  } finally {
    if (!existsSync(BUILT)) renameSync(aside, BUILT);
    rmSync(folder, { recursive: true, force: true });
  }
  return { withBundle, without };
}

/** As its own lines say. */
async function start(dataDir: string): Promise<number> {
  const child = spawn(process.execPath, [join(ROOT, "scripts/start.mjs")], {
    cwd: ROOT,
    env: { ...process.env, DATA_DIR: dataDir, PORT: "0", EDGE_PORT: "0", LOG_LEVEL: "warn" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  for await (const line of createInterface({ input: child.stdout })) {
    const seconds = /ready after ([\d.]+) s/.exec(line)?.[1];
    if (seconds === undefined) continue;
    child.kill("SIGTERM");
    await exited;
    return Number(seconds);
  }
  throw new Error("The product ended before it was ready.");
}
