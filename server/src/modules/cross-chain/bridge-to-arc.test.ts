import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { sandboxChain } from "../../../test/support/sandbox-chain.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult } from "../../../test/support/treasury.ts";
import { parseDecimal } from "../../domain/money.ts";
import { TransferAnswer } from "../treasury/index.ts";

/** The bridge, from a development chain to the hub, by tools alone. */

const NAME = "Base_Sepolia";
const BASE = "eip155:84532";
const UNIT = 1_000_000n;

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

const bridge = async (amount: string, more: { key?: string; fromChain?: string } = {}) =>
  await service.call(
    "bridge_to_arc",
    { fromChain: more.fromChain ?? NAME, amount },
    more.key === undefined ? {} : { headers: { "idempotency-key": more.key } },
  );
const bridged = async (amount: string, key?: string) =>
  TransferAnswer.parse(requireResult(await bridge(amount, key === undefined ? {} : { key })));

const readTotals = async () => {
  const rows = await service.sql(
    `select chain, kind, balance_micro::text as amount from ledger_account
     where tenant_id = $1 and token = 'USDC' and balance_micro <> 0`,
    [service.tenantId],
  );
  const found = z.array(z.object({ chain: z.string(), kind: z.string(), amount: z.string() })).parse(rows);
  return (chain: string, kind: string) =>
    BigInt(found.find((one) => one.chain === chain && one.kind === kind)?.amount ?? "0");
};

describe("bridge_to_arc", () => {
  test("moves USDC to the hub, and ledger and chains agree", async () => {
    const before = await readTotals();
    const answer = await bridged("12.50");
    expect(answer).toMatchObject({
      kind: "bridge",
      status: "completed",
      from: { name: NAME, chainId: 84_532, isEmulated: true },
      to: { name: "Arc_Testnet", chainId: 5_042_002, isEmulated: true },
      amountSent: "12.50",
      fee: "0.00",
      amountReceived: "12.50",
      waiting: null,
    });
    expect(answer.txHashes.map(({ step, chain }) => ({ step, chain }))).toEqual([
      { step: "burn", chain: NAME },
      { step: "mint", chain: "Arc_Testnet" },
    ]);
    const after = await readTotals();
    expect(after(BASE, "prefunded")).toBe(10_000n * UNIT - 12_500_000n);
    expect(after(BASE, "in_flight")).toBe(0n);
    expect(after(sandboxChain.chain, "prefunded") - before(sandboxChain.chain, "prefunded")).toBe(
      parseDecimal("12.50") ?? 0n,
    );
  });
});
