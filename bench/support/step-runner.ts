import { z } from "zod";
import { createVault } from "../../server/src/adapters/vault.ts";
import { createStores } from "../../server/src/contributions.ts";
import { newId, systemRandom } from "../../server/src/domain/ids.ts";
import { createCatalog } from "../../server/src/kernel/contracts/catalog.ts";
import { NOTHING_PAID } from "../../server/src/kernel/contracts/charge.ts";
import { defineWorkflow } from "../../server/src/kernel/contracts/workflow.ts";
import { WorkflowRunner } from "../../server/src/modules/workflows/running/runner.ts";
import { openDatabase } from "../../server/src/platform/database/database.ts";
import { systemClock } from "../../server/src/ports/clock.ts";
import { probeTools } from "./probe-tools.ts";

/** The product's runner over its own tables, with steps that do nothing: what is left is what the runner costs. */
const nothing = defineWorkflow({
  id: "bench.nothing",
  version: 1,
  description: "For a bench.",
  steps: [],
  input: z.strictObject({ steps: z.int() }),
  async run({ steps }, { call }) {
    for (let step = 0; step < steps; step += 1) await call("probe_read", { text: "" }, { step: `step_${step}` });
    return {};
  },
});
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

const TENANT = "tenant_bench";
const KEY = "key_bench";

export function openRunner(databaseUrl: string, workerId: string) {
  const database = openDatabase(databaseUrl, { poolSize: 20, onError: () => undefined });
  const { runs } = createStores(database.db, systemClock, createVault(Buffer.alloc(32, 1)));
  const waiting = new Map<string, () => void>();
  let executedSteps = 0;
  const principal = {
    keyId: KEY,
    tenantId: TENANT,
    serviceAccountId: `svc:${KEY}`,
    scopes: ["*"],
    environment: "sandbox" as const,
    plan: "free" as const,
    signingSecret: "",
    expiresAt: undefined,
    defaultTravelerId: undefined,
  };
  // No row of the bench's database.
  const storedKey = {
    keyHash: "",
    id: KEY,
    tenantId: TENANT,
    personId: null,
    scopes: principal.scopes,
    environment: principal.environment,
    expiresAt: null,
    plan: principal.plan,
    isDemo: false,
    isBeta: false,
    signingSecret: "",
    outsideId: null,
    organizationId: null,
  };
  const runner = new WorkflowRunner({
    runs: {
      ...runs,
      async journal(leased, change) {
        const written = await runs.journal(leased, change);
        return written.isMine ? { ...written, key: storedKey } : written;
      },
      async end(leased, run, end) {
        const ended = await runs.end(leased, run, end);
        waiting.get(leased.id)?.();
        return ended;
      },
    },
    workflows: [nothing],
    catalog: createCatalog(probeTools),
    clock: systemClock,
    random: systemRandom,
    log: quiet,
    workerId,
    identity: { findPrincipal: async () => principal, toPrincipal: async () => principal },
    collectionAddress: () => "0x00",
    kernel: {
      async invoke() {
        executedSteps += 1;
        return { outcome: { ok: true, result: { text: "" } }, receipt: NOTHING_PAID, latencyMs: 0, replayed: false };
      },
      ask: async () => undefined,
    },
  });

  async function insert(steps: number, id = newId("run_", systemClock.now().epochMilliseconds, systemRandom)) {
    await runs.insert({
      id,
      tenantId: TENANT,
      environment: "sandbox",
      workflowId: nothing.id,
      version: 1,
      userId: undefined,
      keyId: KEY,
      input: { steps },
      tripId: undefined,
      traceId: "0",
      idempotencyKey: undefined,
      requestHash: id,
    });
  }

  return {
    insert,
    wake: () => runner.wake(),
    executedSteps: () => executedSteps,
    /** One run of so many steps, to its end. */
    async run(steps: number): Promise<void> {
      const id = newId("run_", systemClock.now().epochMilliseconds, systemRandom);
      const ended = new Promise<void>((resolve) => waiting.set(id, resolve));
      await insert(steps, id);
      runner.wake();
      await ended;
      waiting.delete(id);
    },
    async close(): Promise<void> {
      await runner.stop();
      await database.close();
    },
  };
}
