import { afterAll, beforeAll, expect, test } from "vitest";
import { createManualClock, silentLog } from "../../../test/support/identity.ts";
import { mintOperatorKey, type TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { adminUrl } from "../../../test/support/test-database.ts";
import { TenantMemory, type TenantOwner } from "./tenant-memory.ts";

/** The cache of another process, on the product's database, which is changed through the front door. */

let service: TestService;
const cleanUps: (() => Promise<void>)[] = [];
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(async () => {
  for (const cleanUp of cleanUps) await cleanUp();
  await service?.[Symbol.asyncDispose]();
});

/** Its clock is stopped, so that age matters only where the clock is moved. */
async function openProcess(databaseUrl = service.config.databaseUrl ?? "") {
  const clock = createManualClock();
  const memory = new TenantMemory({ databaseUrl, clock, log: silentLog });
  cleanUps.push(() => memory.close());
  let reads = 0;
  const remembered = memory.remember(async ({ tenantId, environment }) => {
    reads += 1;
    const [row] = await service.sql(
      `select (select count(*)::int from budget where tenant_id = $1 and environment = $2) as budgets,
        (select count(*)::int from travel_policy where tenant_id = $1 and network = $2) as policies,
        (select policy_id from travel_policy_enforcement where tenant_id = $1 and network = $2) as enforced`,
      [tenantId, environment],
    );
    return row;
  });
  return { memory, clock, remembered, reads: () => reads };
}

async function newOwner() {
  const { tenant, operatorKey } = await service.operator(async (identity) => {
    const created = await identity.createTenant({ name: "Remembered", actor: "test" });
    return { ...created, operatorKey: await mintOperatorKey(identity, created.tenant.id) };
  });
  const put = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${operatorKey}`, "content-type": "application/json" };
    const answer = await service.send(path, { method: "PUT", headers, body: JSON.stringify(body) });
    expect(answer.status, answer.text).toBeLessThan(300);
  };
  const owner: TenantOwner = { tenantId: tenant.id, environment: "sandbox" };
  return { owner, put };
}

const document = { flight: { maxPrice: { default: 1 } } };
const insertBudget = (values: { tenantId: string }) =>
  `insert into budget (tenant_id, environment, budget_id, amount_micro, updated_by, updated_at)
    values ('${values.tenantId}', 'sandbox', 'silent', 1, 'test', now())`;

test("is read from the database once, and again after another process changed a policy, the enforced policy, or a budget", async () => {
  const [{ owner, put }, other] = [await newOwner(), await newOwner()];
  const { memory, remembered, reads } = await openProcess();
  await memory.ready();
  const nothing = { budgets: 0, policies: 0, enforced: null };
  for (const one of [owner, owner, other.owner, other.owner]) expect(await remembered(one)).toEqual(nothing);
  expect(reads()).toBe(2);

  const seen = () => remembered(owner);
  await put("/api/policies/own", { document });
  await expect.poll(seen).toMatchObject({ policies: 1, enforced: null });
  await put("/api/policy-enforcement", { policyId: "own" });
  await expect.poll(seen).toMatchObject({ enforced: "own" });
  await put("/api/budgets", { budgetId: "first", amountUsdc: "1" });
  await expect.poll(seen).toMatchObject({ budgets: 1 });
  await service.sql("delete from budget where tenant_id = $1", [owner.tenantId]);
  await service.sql("update travel_policy set network = 'production' where tenant_id = $1", [owner.tenantId]);
  await expect.poll(seen).toMatchObject({ budgets: 0, policies: 0 });
  const before = reads();
  expect(await remembered(other.owner)).toEqual(nothing);
  expect(reads()).toBe(before);
});

test("is at most 15 seconds old without notifications", async () => {
  const { owner } = await newOwner();
  const { memory, clock, remembered } = await openProcess();
  await memory.ready();
  expect(await remembered(owner)).toMatchObject({ budgets: 0 });
  // Replicas run no triggers: the row is there without a notification.
  await service.sql(`set session_replication_role = replica; ${insertBudget(owner)}; reset session_replication_role`);
  clock.advance({ milliseconds: 14_999 });
  expect(await remembered(owner)).toMatchObject({ budgets: 0 });
  clock.advance({ milliseconds: 1 });
  expect(await remembered(owner)).toMatchObject({ budgets: 1 });
});

test("is dropped at once by the process that changes it, including reads that began before the change", async () => {
  const { owner, put } = await newOwner();
  // Listens in another database, where nothing is ever notified.
  const { memory, remembered } = await openProcess(adminUrl());
  await memory.ready();
  expect(await remembered(owner)).toMatchObject({ budgets: 0 });
  await put("/api/budgets", { budgetId: "first", amountUsdc: "1" });
  expect(await remembered(owner)).toMatchObject({ budgets: 0 });
  memory.forget(owner);
  const overtaken = remembered(owner);
  memory.forget(owner);
  await overtaken;
  await service.sql("delete from budget where tenant_id = $1", [owner.tenantId]);
  expect(await remembered(owner)).toMatchObject({ budgets: 0 });
});

test("is not used without notifications", async () => {
  const { owner } = await newOwner();
  const { memory, remembered, reads } = await openProcess();
  await memory.ready();
  await remembered(owner);
  await memory.close();
  for (const asked of [2, 3]) {
    await remembered(owner);
    expect(reads()).toBe(asked);
  }
});

test("this process judges by its own last change, whether or not the database notifies it", async () => {
  const { owner, put } = await newOwner();
  const { apiKey: key } = await service.operator((identity) =>
    identity.mintKey({ tenantId: owner.tenantId, environment: "sandbox", actor: "test" }),
  );
  const check = async () => {
    const offer = { kind: "hotel", priceUsd: 100, pricePerNightUsd: 100 };
    const args = { policyId: "default-corp", offer };
    const { body } = await service.call("check_policy", args, { key, tenantId: owner.tenantId });
    return body.result;
  };
  expect(await check()).toMatchObject({ isEnforced: false, policyIds: ["default-corp"], budgets: [] });
  const tables = ["travel_policy", "travel_policy_enforcement", "budget"];
  const triggers = async (switched: "disable" | "enable") => {
    for (const table of tables) await service.sql(`alter table ${table} ${switched} trigger ${table}_changed`);
  };
  await triggers("disable");
  try {
    await put("/api/policies/own", { document });
    expect(await check()).toMatchObject({ isEnforced: false, policyIds: ["default-corp", "own"] });
    await put("/api/policy-enforcement", { policyId: "default-corp" });
    expect(await check()).toMatchObject({ isEnforced: true });
    await put("/api/budgets", { budgetId: "first", amountUsdc: "1" });
    expect(await check()).toMatchObject({ budgets: [{ budgetId: "first" }] });
  } finally {
    await triggers("enable");
  }
});
