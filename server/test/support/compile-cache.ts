import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The modules that the tests' processes load most: the service, its parts, and the chaos command. Loading them has no effect. */
export const LOADED_MOST = [
  "server/src/compose.ts",
  "devnet/src/start.ts",
  "sandbox/src/start.ts",
  "chaos/src/main.ts",
];

/**
 * A folder in which Node keeps what it compiled, for the hundreds of processes of a run that load the same modules. Filled once at
 * the beginning, as Node fills it when a process ends, and many of these are killed. What cannot be loaded fails in its tests.
 */
export function makeCompileCache(paths: readonly string[]): { folder: string; remove(): void } {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "wayfare-test-compiled-"));
  const modules = paths.map((path) => pathToFileURL(path).href);
  // Not ended by process.exit(): while V8 still compiles in the background, that can wait for ever.
  const load = [
    'import { flushCompileCache } from "node:module";',
    `await Promise.allSettled(${JSON.stringify(modules)}.map((url) => import(url)));`,
    "flushCompileCache();",
    'process.kill(process.pid, "SIGKILL");',
  ].join("\n");
  spawnSync(process.execPath, ["--input-type=module", "--eval", load], {
    env: { ...process.env, NODE_COMPILE_CACHE: folder },
  });
  return {
    folder,
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }),
  };
}
