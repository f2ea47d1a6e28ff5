import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { newFundedTenant, requireResult, stranger, UNIT } from "../../../test/support/treasury.ts";

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

type Tenant = Awaited<ReturnType<typeof newFundedTenant>>;
const Told = z.array(z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) }));

async function listTold({ as }: Tenant, type: string) {
  const { body } = await service.send(`/api/events?limit=200&types=${type}`, {
    headers: { authorization: `Bearer ${as.key}` },
  });
  return Told.parse(body.events).map(({ data }) => data);
}
const pay = async (tenant: Tenant, amount: string) =>
  requireResult(await service.call("send_tokens", { to: stranger(), amount, token: "USDC" }, tenant.as));

test.each(["key", "tenant"] as const)(
  "a limit of the %s is told at 80 and at 100 percent, each once",
  async (limitOf) => {
    const tenant = await newFundedTenant(service, "Told");
    const [key] = await service.operator((operator) => operator.listKeys(tenant.tenantId));
    const keyId = limitOf === "key" ? key?.id : undefined;
    await service.operator(({ spending: { spendLimits } }) =>
      spendLimits.set(tenant.tenantId, "sandbox", keyId, { perDay: 10n * UNIT }, "test"),
    );
    await pay(tenant, "7");
    expect(await listTold(tenant, "spend_limit.reached")).toEqual([]);
    await pay(tenant, "1.5");
    const at80 = { percent: 80, limit: "perDay", limitOf, usedUsdc: "8.50", limitUsdc: "10.00" };
    await expect.poll(() => listTold(tenant, "spend_limit.reached")).toMatchObject([at80]);
    await pay(tenant, "1.25");
    expect(await listTold(tenant, "spend_limit.reached")).toHaveLength(1);
    await pay(tenant, "0.25");
    await expect
      .poll(() => listTold(tenant, "spend_limit.reached"))
      .toMatchObject([at80, { percent: 100, usedUsdc: "10.00" }]);
    const told = await listTold(tenant, "spend_limit.reached");
    expect(told.map(({ keyId: of }) => of)).toEqual([keyId, keyId]);
  },
);

test("the tenant's monthly cap is told at 80 and at 100 percent", async () => {
  const tenant = await newFundedTenant(service, "Capped");
  await service.sql("update tenant set monthly_cap_micro = 10000 where id = $1", [tenant.tenantId]);
  // Each payment costs 0.005 USDC.
  await pay(tenant, "1");
  expect(await listTold(tenant, "spend_cap.reached")).toEqual([]);
  await pay(tenant, "1");
  await expect
    .poll(() => listTold(tenant, "spend_cap.reached"))
    .toMatchObject([
      { percent: 80, capUsdc: "0.01" },
      { percent: 100, spentUsdc: "0.01" },
    ]);
});
