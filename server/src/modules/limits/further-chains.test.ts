import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import { newFundedTenant, requireResult, stranger, UNIT } from "../../../test/support/treasury.ts";
import { nameChain } from "../../domain/chains/named-chains.ts";
import { parseDecimal } from "../../domain/money.ts";
import { defineAnyTool } from "../../kernel/contracts/tool.ts";
import type { Parts } from "../../kernel/contracts/whole.ts";
import type { ChainKey } from "../../ports/chain/chain-key.ts";

/** Limits, budgets and the wallet's allowance for money on a further chain, by the plan of a tool of the test's own. */

const further: ChainKey = { environment: "sandbox", chain: "eip155:43113" };
const payThere = defineAnyTool({
  name: "pay_there",
  title: "Pay there",
  summary: "For tests.",
  area: "treasury",
  effect: "spend",
  price: 500n,
  payableWithoutKey: false,
  uses: ["stores"],
  input: z.strictObject({
    amount: z.string(),
    to: z.templateLiteral(["0x", z.string()]),
    token: z.enum(["USDC", "EURC"]).default("USDC"),
  }),
  output: z.object({ paid: z.string() }),
  errors: {},
  example: () => ({ amount: "1", to: "0x00000000000000000000000000000000000a11ce" as const }),
  plan: ({ amount, to, token }) => ({
    movements: [{ chain: further.chain, token, amount: parseDecimal(amount), from: "treasury", to }],
    irreversible: [],
  }),
  async run({ amount }, { stores: { transaction }, call }) {
    const result = { paid: amount };
    // As if it had moved the money.
    await transaction(async ({ effects }) => {
      await effects.open(call.id);
      await effects.done(call.id, result);
    });
    return result;
  },
});

let service: TestService;
let stores: Parts["stores"];
beforeAll(async () => {
  service = await startTestService(
    {},
    {
      extraTools: [payThere],
      decorate: {
        stores(made) {
          stores = made;
          return made;
        },
      },
    },
  );
  const genesisHash = `0x${"43".repeat(32)}` as const;
  const head = { number: 0n, hash: genesisHash };
  await stores.boundChains.bind("sandbox", { chainId: 43_113, genesisHash, head, isHome: false });
});
afterAll(() => service?.[Symbol.asyncDispose]());

async function newTenant() {
  const tenant = await newFundedTenant(service, "Further");
  const { address } = await stores.wallets.ensure(further, "treasury", tenant.tenantId);
  const hash = `0x${crypto.randomUUID().replaceAll("-", "").padEnd(64, "0")}` as const;
  const movement = { from: stranger(), to: address, transactionHash: hash, logIndex: 0, blockNumber: 1n };
  await stores.ledger.postMovements(further, [
    {
      movement: { ...movement, token: "USDC", amount: 5n * UNIT },
      from: undefined,
      to: { kind: "treasury", tenantId: tenant.tenantId },
    },
  ]);
  const keys = await service.operator((operator) => operator.listKeys(tenant.tenantId));
  return { ...tenant, address, keyId: keys[0]?.id ?? "" };
}
type Tenant = Awaited<ReturnType<typeof newTenant>>;

const pay = ({ as }: Tenant, args: object) => service.call("pay_there", { to: stranger(), ...args }, as);
const preview = async ({ as }: Tenant, args: object) =>
  requireResult(await service.call("preview_call", { tool: "pay_there", args: { to: stranger(), ...args } }, as));
const limit = ({ tenantId, keyId }: Tenant, change: object) =>
  service.operator(({ spending }) => spending.spendLimits.set(tenantId, "sandbox", keyId, change, "test"));

describe("money on a further chain", () => {
  it("is what the wallet has there, not on the home chain", async () => {
    const tenant = await newTenant();
    expect(await preview(tenant, { amount: "4" })).toMatchObject({
      accepted: true,
      allowances: expect.arrayContaining([
        { name: "treasury wallet on Avalanche_Fuji", token: "USDC", left: "5.00", leftAfter: "1.00" },
      ]),
      movements: [{ chain: "Avalanche_Fuji", token: "USDC", amount: "4.00", from: "treasury" }],
    });
    const problem = { code: "insufficient_balance", missingUsdc: "1.00" };
    expect(await preview(tenant, { amount: "6" })).toMatchObject({ accepted: false, problem });
    expect(await preview(tenant, { amount: "1", token: "EURC" })).toMatchObject({
      problem: { code: "insufficient_balance", missingEurc: "1.00" },
    });
  });

  it("counts against the same limits as money on the home chain", async () => {
    const tenant = await newTenant();
    await limit(tenant, { perDay: 10n * UNIT });
    expect((await pay(tenant, { amount: "4" })).body).toMatchObject({ ok: true });
    expect((await service.call("send_tokens", { to: stranger(), amount: "4" }, tenant.as)).status).toBe(200);
    expect((await pay(tenant, { amount: "4" })).body).toMatchObject({ code: "spend_limit_exceeded", limit: "perDay" });
    expect((await pay(tenant, { amount: "2" })).body).toMatchObject({ ok: true });
  });

  it("counts in the budget that covers the call", async () => {
    const tenant = await newTenant();
    const owner = { tenantId: tenant.tenantId, environment: "sandbox" } as const;
    const budget = { budgetId: "far", amount: 3n * UNIT, costCentre: undefined, keyIds: undefined };
    const period = { travelerIds: undefined, tripIds: undefined, startsOn: undefined, endsOn: undefined };
    await stores.budgets.put(owner, { ...budget, ...period }, "test");
    expect((await pay(tenant, { amount: "2" })).body).toMatchObject({ ok: true });
    expect((await pay(tenant, { amount: "2" })).body).toMatchObject({ code: "spend_limit_exceeded" });
  });

  it("goes to the listed recipients, and to the tenant's own wallet of that chain", async () => {
    const tenant = await newTenant();
    const other = await newTenant();
    const listed = stranger();
    await limit(tenant, { recipients: [listed] });
    expect((await pay(tenant, { amount: "1", to: listed })).body).toMatchObject({ ok: true });
    expect((await pay(tenant, { amount: "1", to: tenant.address })).body).toMatchObject({ ok: true });
    for (const to of [stranger(), other.address]) {
      expect((await pay(tenant, { amount: "1", to })).body).toMatchObject({ limit: "recipients", recipient: to });
    }
  });

  it("needs the approval that the policy asks for a payment, which names the chain", async () => {
    const tenant = await newTenant();
    const put = async (path: string, body: object) => {
      const headers = { authorization: `Bearer ${tenant.operatorKey}`, "content-type": "application/json" };
      const answer = await service.send(path, { method: "PUT", headers, body: JSON.stringify(body) });
      expect(answer.status, answer.text).toBeLessThan(300);
    };
    const rules = [{ id: "pay", severity: "require_approval", when: { kind: "payment", priceUsdOver: 2 } }];
    await put("/api/policies/enforced", { document: { rules } });
    await put("/api/policy-enforcement", { policyId: "enforced" });
    expect((await pay(tenant, { amount: "2" })).body).toMatchObject({ ok: true });
    const to = stranger();
    const { body } = await pay(tenant, { amount: "3", to });
    expect(body).toMatchObject({ code: "approval_required", approvalId: expect.stringMatching(/^apr_/) });
    const headers = { authorization: `Bearer ${tenant.operatorKey}` };
    const shown = await service.send(`/api/approvals/${String(body.approvalId)}`, { headers });
    expect(shown.body, shown.text).toMatchObject({
      evidence: { payments: [{ chain: nameChain(further.chain), amount: "3.00", token: "USDC", to }] },
    });
  });
});
