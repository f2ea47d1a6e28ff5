import { DBOS } from "@dbos-inc/dbos-sdk";

/** The baseline: DBOS with steps that do nothing, over the same PostgreSQL. */
export async function openDbos(databaseUrl: string) {
  DBOS.setConfig({
    name: "bench",
    systemDatabaseUrl: databaseUrl,
    applicationVersion: "v1",
    executorID: "bench",
    systemDatabasePoolSize: 20,
    logLevel: "error",
  });
  const nothing = DBOS.registerWorkflow(
    async (steps: number) => {
      for (let step = 0; step < steps; step += 1) await DBOS.runStep(async () => ({}), { name: `step_${step}` });
    },
    { name: "nothing" },
  );
  await DBOS.launch();
  return {
    async run(steps: number): Promise<void> {
      const handle = await DBOS.startWorkflow(nothing)(steps);
      await handle.getResult();
    },
    close: () => DBOS.shutdown(),
  };
}
