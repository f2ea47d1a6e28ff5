const steps: (() => Promise<void>)[] = [];

/** Takes place when the worker has run its last file. */
export function atEndOfWorker(step: () => Promise<void>): void {
  steps.push(step);
}

/** The surroundings of all tests of a worker, as vitest calls them (`environment` in vitest.config.ts): what it shares ends with it. */
export default {
  name: "worker",
  viteEnvironment: "ssr",
  setup: () => ({
    async teardown(): Promise<void> {
      for (const step of steps.toReversed()) await step();
    },
  }),
};
