import { defineConfig } from "vitest/config";
import { LongestFirst } from "./server/test/support/longest-first.ts";

const TESTS = [
  "server",
  "chaos",
  "conformance",
  "devnet",
  "attester",
  "carriers",
  "scripts",
  "sandbox",
  "bridge",
  "contracts",
  "client",
].map((folder) => `${folder}/**/*.test.ts`);
/** Files that replace the clock or the timers of their process, or listen to all of its requests: nothing else may share it. */
const ISOLATED = TESTS.map((pattern) => pattern.replace("*.test.ts", "*.isolated.test.ts"));
/** Files that take long for what they are: they start whole processes again and again, or drive programs of others. `npm run test:long`. */
const LONG = TESTS.map((pattern) => pattern.replace("*.test.ts", "*.long.test.ts"));
// Modules are loaded once for each worker, which also shares a started product: a file must leave nothing behind.
const SHARED = { isolate: false, environment: "./server/test/support/end-of-worker.ts" };

export default defineConfig({
  test: {
    globalSetup: ["server/test/support/global-setup.ts"],
    // There to end what hangs, no more: on a busy machine whose disk stands still a service takes a minute to start.
    testTimeout: 180_000,
    hookTimeout: 300_000,
    // The default of a second would measure the machine. Each poll is a call or a statement, so they are spaced.
    expect: { poll: { timeout: 90_000, interval: 100 } },
    sequence: { sequencer: LongestFirst },
    pool: "forks",
    // A worker loads thousands of modules and keeps them: with room for what is new, it is copied less often.
    execArgv: ["--max-semi-space-size=64", "--min-semi-space-size=64"],
    // Node itself loads the modules: it runs TypeScript as it stands.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // More than the two cores, as a file spends half its time waiting for processes that it started.
    maxWorkers: 3,
    projects: [
      {
        extends: true,
        test: { name: "shared", include: TESTS, exclude: [...ISOLATED, ...LONG, "**/node_modules/**"], ...SHARED },
      },
      { extends: true, test: { name: "long", include: LONG, exclude: ["**/node_modules/**"], ...SHARED } },
      { extends: true, test: { name: "isolated", include: ISOLATED, isolate: true } },
    ],
  },
});
