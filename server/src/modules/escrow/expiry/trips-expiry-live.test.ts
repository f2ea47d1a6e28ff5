import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import {
  createLiveDeployment,
  type LiveChain,
  type LiveDeployment,
  type LiveService,
  startLiveChain,
} from "../../../../test/support/live-service.ts";
import { requireResult, UNIT } from "../../../../test/support/treasury.ts";
import type { Hex } from "../../../domain/tokens.ts";

/** The whole product, stopped while a trip expires. The test advances the live chain's time. */
// The job looks for expired trips once a minute, and repeats after a failure.
vi.setConfig({ testTimeout: 240_000 });
const PATIENCE = { timeout: 100_000 };
let chain: LiveChain;
let deployment: LiveDeployment;
beforeAll(async () => {
  chain = await startLiveChain();
  deployment = await createLiveDeployment(chain, { url: "http://127.0.0.1:9", token: "none" });
});
afterAll(async () => {
  await deployment?.[Symbol.asyncDispose]();
  await chain?.close();
});

const Address = z.templateLiteral(["0x", z.string().regex(/^[0-9a-f]{40}$/)]);
const ALONE = { EMBEDDED_SANDBOX: "off" };
const DAY = 86_400;

/** As an operator does: the escrow's fees go to the service's wallet. */
async function deployEscrow(): Promise<Hex> {
  await (await deployment.start(ALONE)).stop();
  const [row] = await deployment.sql("select address from wallet where kind = 'collection' and network = 'production'");
  return await chain.deployEscrow({ serviceFeeRecipient: Address.parse(row?.address) });
}

async function newTenant(service: LiveService, amount: bigint) {
  const as = await service.operator(async (identity) => {
    const { tenant } = await identity.createTenant({ name: "Live", actor: "test" });
    const { apiKey } = await identity.mintKey({
      tenantId: tenant.id,
      environment: "production",
      scopes: ["treasury:read", "escrow:read", "escrow:spend"],
      actor: "test",
    });
    return { key: apiKey, tenantId: tenant.id };
  });
  const address = Address.parse(requireResult(await service.call("check_treasury", {}, as)).address);
  await chain.deposit(address, amount);
  const text = "select 1 from ledger_account where kind = 'prefunded' and tenant_id = $1 and balance_micro > 0";
  await expect.poll(() => deployment.sql(text, [as.tenantId]), PATIENCE).toHaveLength(1);
  return { as, address };
}

test("returns its free money as soon as the service runs again", async () => {
  const escrow = await deployEscrow();
  const settings = { ...ALONE, CHAIN_ESCROW: escrow };
  const before = await deployment.start(settings);
  const { as, address } = await newTenant(before, 50n * UNIT);
  const prefunded = await before.call("prefund_trip", { budgetUsdc: "40.5", expiresInDays: 1 }, as);
  const { tripId } = z.looseObject({ tripId: z.string() }).parse(requireResult(prefunded));
  const path = `/api/trips/${tripId}`;
  const headers = { authorization: `Bearer ${as.key}` };
  expect((await before.send(path, { headers })).body).toMatchObject({ state: "funded", sandbox: false });
  expect(await chain.readBalance(address)).toBeLessThanOrEqual(9_500_000n);
  await before.stop();

  const seconds = DAY + 120;
  await chain.ask("evm_increaseTime", [seconds]);
  await chain.mine();
  const service = await deployment.start(settings, { clock: { now: () => Temporal.Now.instant().add({ seconds }) } });
  try {
    const read = async () => (await service.send(path, { headers })).body;
    await expect.poll(read, PATIENCE).toMatchObject({ state: "closed", refundedUsdc: "40.50", isExpired: true });
    expect(await chain.readBalance(escrow)).toBe(0n);
    // Calls are paid from the same wallet.
    const [row] = await deployment.sql("select sum(price_micro)::int as cost from usage_record");
    const { cost } = z.object({ cost: z.number() }).parse(row);
    expect(await chain.readBalance(address)).toBeGreaterThanOrEqual(50n * UNIT - BigInt(cost));
    expect(await read()).toMatchObject({ transactions: [{ step: "fund" }, { step: "release" }] });
    // Closing it now succeeds.
    const closed = await service.send(`${path}/close`, { method: "POST", headers });
    expect([closed.status, closed.body.state, closed.body.freeUsdc]).toEqual([200, "closed", "0.00"]);
  } finally {
    await service.stop();
  }
});
