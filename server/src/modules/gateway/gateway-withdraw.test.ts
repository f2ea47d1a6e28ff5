import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { newFundedTenant, requireResult } from "../../../test/support/treasury.ts";

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

const Withdrawal = z.object({ withdrawalId: z.string(), status: z.string(), txHashes: z.array(z.string()) });
const Movements = z.object({
  movements: z.array(
    z.object({
      kind: z.string(),
      direction: z.string(),
      amount: z.string(),
      counterpart: z.string().nullable(),
      txHash: z.string().nullable(),
    }),
  ),
});

test("a withdrawal is followed to its end, and its transactions and its movement are shown for what they are", async () => {
  const { as, tenantId } = await newFundedTenant(service, "Withdrawing");
  const chain = "Arc_Testnet";
  const call = async (tool: string, args: object) => requireResult(await service.call(tool, args, as));
  expect((await service.call("gateway_withdraw", { chain }, as)).body).toMatchObject({ code: "nothing_withdrawing" });
  await call("gateway_deposit", { chain, amount: "3" });
  const refused = (await service.call("gateway_withdraw", { chain, amount: "4" }, as)).body;
  expect(refused).toMatchObject({
    code: "insufficient_balance",
    detail: `Your money in the Gateway on ${chain} lacks 1.00 USDC. Add at least that and call again.`,
  });
  const headers = { "idempotency-key": "withdrawing" };
  const args = { chain, amount: "2" };
  const begun = Withdrawal.parse(requireResult(await service.call("gateway_withdraw", args, { ...as, headers })));
  // Whoever finishes the call in place of a process that died finds that it is done.
  const [stored] = await service.sql(
    "select effect, result::json->>'withdrawalId' as id from call where tenant_id = $1 and idempotency_key = 'withdrawing'",
    [tenantId],
  );
  expect(stored).toEqual({ effect: "done", id: begun.withdrawalId });
  expect(await call("check_treasury", {})).toMatchObject({
    gateway: [{ chain: "Arc_Testnet", available: "1.00" }],
    withdrawals: [{ withdrawalId: begun.withdrawalId, chain: "Arc_Testnet", amount: "2.00" }],
  });
  const follow = async () => Withdrawal.parse(await call("gateway_withdraw", { chain }));
  await expect
    .poll(follow, { timeout: 60_000 })
    .toMatchObject({ withdrawalId: begun.withdrawalId, status: "completed" });
  const { txHashes } = await follow();
  expect(txHashes).toHaveLength(2);
  for (const txHash of txHashes)
    expect(await call("read_transaction", { txHash })).toMatchObject({ state: "confirmed" });
  await expect
    .poll(async () => Movements.parse(await call("list_movements", {})).movements, { timeout: 60_000 })
    .toContainEqual(
      expect.objectContaining({
        kind: "gateway",
        direction: "in",
        amount: "2.00",
        counterpart: "gateway",
        txHash: txHashes[1],
      }),
    );
});
