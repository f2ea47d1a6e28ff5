import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["server/**/*.test.ts", "sandbox/**/*.test.ts", "bridge/**/*.test.ts", "contracts/**/*.test.ts"],
    globalSetup: ["server/test/support/global-setup.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: "forks",
    maxWorkers: 2,
  },
});
