import { defineConfig } from "vitest/config";
import { LongestFirst } from "./server/test/support/longest-first.ts";

export default defineConfig({
  test: {
    include: [
      "server/**/*.test.ts",
      "chaos/**/*.test.ts",
      "conformance/**/*.test.ts",
      "devnet/**/*.test.ts",
      "scripts/**/*.test.ts",
      "sandbox/**/*.test.ts",
      "bridge/**/*.test.ts",
      "contracts/**/*.test.ts",
    ],
    globalSetup: ["server/test/support/global-setup.ts"],
    // There to end what hangs, no more: on a busy machine whose disk stands still a service takes a minute to start.
    testTimeout: 180_000,
    hookTimeout: 300_000,
    // What a test waits for comes when it comes: a second, as it is otherwise, is a measurement of the machine.
    expect: { poll: { timeout: 90_000 } },
    sequence: { sequencer: LongestFirst },
    pool: "forks",
    // Modules are loaded once for each worker, by Node itself, which runs TypeScript as it stands. A file must leave nothing behind.
    isolate: false,
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Of two cores: half of what a file does is to wait for the processes that it started.
    maxWorkers: 3,
  },
});
