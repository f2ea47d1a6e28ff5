import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import {
  createLiveDeployment,
  type LiveChain,
  type LiveDeployment,
  startLiveChain,
} from "../../../../test/support/live-service.ts";
import { requireResult, UNIT } from "../../../../test/support/treasury.ts";
import type { Hex } from "../../../domain/tokens.ts";

/** The whole product over an escrow contract that its operator deployed with this release, or with an earlier one. */
vi.setConfig({ testTimeout: 120_000 });
const PATIENCE = { timeout: 60_000 };
let chain: LiveChain;
beforeAll(async () => {
  chain = await startLiveChain();
});
afterAll(() => chain?.close());

const Address = z.templateLiteral(["0x", z.string().regex(/^[0-9a-f]{40}$/)]);
const ALONE = { EMBEDDED_SANDBOX: "off" };

async function readCollection(deployment: LiveDeployment): Promise<Hex> {
  await (await deployment.start(ALONE)).stop();
  const [row] = await deployment.sql("select address from wallet where kind = 'collection' and network = 'production'");
  return Address.parse(row?.address);
}

test.each([true, undefined] as const)(
  "a reservation goes to the wallet if the contract cannot return it to the trip, and the answer tells: %s",
  async (lacksReturn) => {
    await using deployment = await createLiveDeployment(chain, { url: "http://127.0.0.1:9", token: "none" });
    const roles = { serviceFeeRecipient: await readCollection(deployment) };
    const CHAIN_ESCROW = await chain.deployEscrow(lacksReturn === undefined ? roles : { ...roles, lacksReturn });
    const service = await deployment.start({ ...ALONE, CHAIN_ESCROW });
    try {
      const as = await service.operator(async (identity) => {
        const { tenant } = await identity.createTenant({ name: "Live", actor: "test" });
        const scopes = ["treasury:read", "escrow:read", "escrow:spend", "account:read"];
        const { apiKey: key } = await identity.mintKey({
          tenantId: tenant.id,
          environment: "production",
          scopes,
          actor: "test",
        });
        return { key, tenantId: tenant.id };
      });
      const call = async (tool: string, args: object) => requireResult(await service.call(tool, args, as));
      const address = Address.parse((await call("check_treasury", {})).address);
      await chain.deposit(address, 50n * UNIT);
      const text = "select 1 from ledger_account where kind = 'prefunded' and tenant_id = $1 and balance_micro > 0";
      await expect.poll(() => deployment.sql(text, [as.tenantId]), PATIENCE).toHaveLength(1);
      const { tripId } = await call("prefund_trip", { budgetUsdc: "44" });
      const { bookingId } = await call("reserve_booking", { tripId, upperBoundUsdc: "44" });
      const args = { bookingId, tripId, reason: "timeout" };
      const preview = await call("preview_call", { tool: "release_reservation", args });
      const released = await call("release_reservation", args);
      const again = await service.call("reserve_booking", { tripId, upperBoundUsdc: "44" }, as);
      if (lacksReturn) {
        expect(preview).toMatchObject({ movements: [{ to: "treasury" }] });
        expect(released).toMatchObject({
          returnedTo: "wallet",
          returnedUsdc: "44.00",
          freeUsdc: "0.00",
          walletBecause: "escrow_too_old",
          next: expect.stringContaining("this network has an earlier escrow contract"),
        });
        expect(again.body).toMatchObject({ code: "insufficient_budget" });
        expect(await chain.readBalance(CHAIN_ESCROW)).toBe(0n);
        return;
      }
      expect(preview).toMatchObject({ movements: [{ to: "trip_budget" }] });
      expect(released).toMatchObject({ returnedTo: "trip", freeUsdc: "44.00", walletBecause: null });
      expect(requireResult(again)).toMatchObject({ state: "reserved", reservedUsdc: "44.00" });
      expect(await chain.readBalance(CHAIN_ESCROW)).toBe(44n * UNIT);
    } finally {
      await service.stop();
    }
  },
);
