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

  test("with one idempotency key is one transfer, however many ask at once", async () => {
    const before = (await readTotals())(BASE, "prefunded");
    const answers = await Promise.all(Array.from({ length: 16 }, () => bridge("3", { key: "sixteen" })));
    const ids = answers.flatMap(({ status, body }) => (status === 200 ? [Object(body.result).transferId] : []));
    expect(ids.length).toBeGreaterThan(0);
    expect(new Set(ids).size).toBe(1);
    expect(before - (await readTotals())(BASE, "prefunded")).toBe(3n * UNIT);
  });

  test("is sixteen transfers without one, and none stalls", async () => {
    const all = await Promise.all(Array.from({ length: 16 }, () => bridged("1")));
    expect(all.map(({ status }) => status)).toEqual(Array(16).fill("completed"));
    expect(new Set(all.map(({ transferId }) => transferId)).size).toBe(16);
    expect((await readTotals())(BASE, "in_flight")).toBe(0n);
  });

  test.each([
    ["the hub itself", { fromChain: "Arc_Testnet", amount: "1" }, "invalid_input"],
    ["an unknown name", { fromChain: "Nowhere", amount: "1" }, "invalid_input"],
    ["Solana", { fromChain: "Solana", amount: "1" }, "chain_not_available"],
    ["nothing", { fromChain: NAME, amount: "0" }, "invalid_input"],
    ["more than there is", { fromChain: NAME, amount: "10000.000001" }, "insufficient_balance"],
  ])("refuses %s", async (_what, { fromChain, amount }, code) => {
    expect((await bridge(amount, { fromChain })).body).toMatchObject({ ok: false, code });
  });

  test("is previewed with its fee, what arrives and when", async () => {
    const preview = async (args: object) =>
      requireResult(await service.call("preview_call", { tool: "bridge_to_arc", args }));
    expect(await preview({ fromChain: NAME, amount: "4" })).toMatchObject({
      accepted: true,
      warnings: [],
      arrival: { fee: "0.00", amountReceived: "4.00", receivedToken: "USDC", expectedBy: expect.any(String) },
    });
    const { warnings } = await preview({ fromChain: "Base", amount: "4" });
    expect(warnings).toEqual([expect.stringContaining("With a sandbox key, Base is a development chain")]);
  });

  test("names the wallet that has too little, in a preview too", async () => {
    const args = { fromChain: NAME, amount: "10000.000001" };
    const { code, detail, requiredUsdc } = (await bridge(args.amount)).body;
    expect(detail).toMatch(/^Your wallet on Base_Sepolia lacks /);
    const { problem } = requireResult(await service.call("preview_call", { tool: "bridge_to_arc", args }));
    expect(problem).toMatchObject({ code, detail, requiredUsdc });
  });

  test.each(["bridge_to_arc", "swap_and_bridge"])(
    "is previewed by the money that a wallet gets at its first use: %s",
    async (tool) => {
      const args = { fromChain: "Avalanche_Fuji", amount: "50000" };
      const preview = async (amount: string) =>
        requireResult(await service.call("preview_call", { tool, args: { ...args, amount } }));
      expect(await preview("10000")).toMatchObject({ accepted: true, problem: null, warnings: [] });
      expect(await preview(args.amount)).toMatchObject({
        accepted: false,
        problem: {
          code: "insufficient_balance",
          detail: "Your wallet on Avalanche_Fuji lacks 40000.00 USDC. Add at least that and call again.",
          availableUsdc: "10000.00",
        },
      });
    },
  );

  test("suggests the name of a misspelt chain", async () => {
    const { body } = await bridge("1", { fromChain: "Base_Sepolai" });
    expect(body.issues).toEqual([{ path: "fromChain", message: 'is not known; did you mean "Base_Sepolia"?' }]);
  });

  test("both legs are movements with their chain and the transfer's id", async () => {
    const { transferId } = await bridged("2");
    const { movements } = requireResult(await service.call("list_movements", { limit: 10 }));
    const legs = z.array(z.object({ transferId: z.string().nullable() }).loose()).parse(movements);
    expect(legs.filter((leg) => leg.transferId === transferId)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          direction: "out",
          chain: NAME,
          kind: "bridge",
          counterpart: "treasury",
          fee: "0.00",
        }),
        expect.objectContaining({ direction: "in", chain: "Arc_Testnet", kind: "bridge", amount: "2.00" }),
      ]),
    );
    const read = requireResult(await service.call("read_transaction", { transferId }));
    expect(read).toMatchObject({ transferId, state: "confirmed", transfer: { status: "completed" } });
    // Those of the mint.
    expect(read).toMatchObject({ confirmations: expect.any(Number), transfers: [{ amount: "2.00", direction: "in" }] });
    expect(Number(read.confirmations)).toBeGreaterThan(0);
  });
});

test("service.fund_trip prefunds a trip with what arrives", async () => {
  const input = { fromChain: NAME, amount: "40" };
  const run = requireResult(await service.call("run_workflow", { workflowId: "service.fund_trip", input }));
  await expect
    .poll(async () => requireResult(await service.call("read_run", { runId: run.runId, wait: 20 })), {
      timeout: 90_000,
    })
    .toMatchObject({
      status: "completed",
      result: { budgetUsdc: "40.00", transferId: expect.stringMatching(/^xfr_/) },
    });
});
