import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import { newFundedTenant, requireResult, UNIT } from "../../../test/support/treasury.ts";
import { Failure } from "../../domain/errors.ts";
import { formatDecimal, parseDecimal } from "../../domain/money.ts";
import type { Parts } from "../../kernel/contracts/whole.ts";
import type { UnifiedBalance } from "../../ports/chain/unified-balance.ts";

/** The unified balance through the front door: two development chains, their contracts and the attester. */

const PATIENCE_MILLISECONDS = 60_000;
const FEE = 10_000n;

let service: TestService;
let tenant: Awaited<ReturnType<typeof newFundedTenant>>;

beforeAll(async () => {
  const decorated = ({ of }: Parts["unifiedBalance"]): Parts["unifiedBalance"] => ({
    of(environment, network) {
      const operator = of(environment, network);
      return operator && withFaults(operator);
    },
  });
  service = await startTestService({}, { decorate: { unifiedBalance: decorated } });
  tenant = await newFundedTenant(service, "Gateway");
});
afterAll(() => service?.[Symbol.asyncDispose]());

const call = (tool: string, args: object) => service.call(tool, args, tenant.as);
const micro = (text: string) => parseDecimal(text) ?? -1n;

const Chains = z.array(
  z.looseObject({
    chain: z.string(),
    available: z.string(),
    pending: z.string(),
    withdrawing: z.string(),
    inFlight: z.string(),
  }),
);
const Balance = z.object({ total: z.string(), chains: Chains });
const readChain = async (name: string) => {
  const { chains } = Balance.parse(requireResult(await call("gateway_balance", {})));
  const found = chains.find(({ chain }) => chain === name);
  if (found === undefined) throw new Error(`${name} is not listed`);
  return found;
};
const Wallets = z.object({ available: z.object({ USDC: z.string() }) });
const readWallet = async () => micro(Wallets.parse(requireResult(await call("check_treasury", {}))).available.USDC);
const Transfer = z.looseObject({ transferId: z.string(), status: z.string(), fee: z.string(), deposited: z.string() });
const send = async (amount: string, change: object = {}) =>
  Transfer.parse(
    requireResult(await call("gateway_transfer", { from: "Base_Sepolia", to: "Arc_Testnet", amount, ...change })),
  );

const readStates = async () =>
  (
    await service.sql(
      "select status, count(*)::int as count from cross_chain_transfer where tenant_id = $1 group by 1",
      [tenant.tenantId],
    )
  ).map(({ status, count }) => [status, count]);

/** Every transfer is burned on its source: books, contract and operator agree. */
async function settle() {
  await expect
    .poll(async () => (await readStates()).filter(([status]) => status !== "completed" && status !== "failed"), {
      timeout: PATIENCE_MILLISECONDS,
    })
    .toEqual([]);
  for (const name of ["Base_Sepolia", "Arc_Testnet"]) {
    const found = await readChain(name);
    expect(found).toMatchObject({ pending: "0.00", inFlight: "0.00" });
    expect(found).not.toHaveProperty("differs");
    expect(found).not.toHaveProperty("stale");
  }
}

type Fault = "lost" | "away" | "expired";
const faults: Fault[] = [];
const sentSalts: string[] = [];

/** The operator answers the next requests like this; a lost answer is one to a request that it has carried out. */
const withFaults = (operator: UnifiedBalance): UnifiedBalance => ({
  ...operator,
  async transfer(intent, signature) {
    sentSalts.push(intent.spec.salt);
    const fault = faults.shift();
    const away = new Failure("unavailable", { detail: "a test" });
    if (fault === "away") throw away;
    const answer = await operator.transfer(intent, signature);
    if (fault === "expired") {
      expired.add(answer.transferId);
      return { ...answer, expirationBlock: 1n };
    }
    if (fault === "lost") throw away;
    return answer;
  },
  findStatus: async (id) => (expired.has(id) ? "expired" : await operator.findStatus(id)),
});
const expired = new Set<string>();

describe("a transfer over the Gateway", () => {
  it("deposits what is missing, arrives once, and is burned at its source", async () => {
    const before = await readWallet();
    const sent = await send("20");
    expect(sent).toMatchObject({ amountReceived: "20.00", recipient: expect.stringMatching(/^0x/), kind: "gateway" });
    expect(micro(sent.deposited)).toBeGreaterThanOrEqual(20n * UNIT + FEE);
    expect(await readWallet()).toBe(before + 20n * UNIT);
    await settle();
    // The rest of what was set aside for the fee is there for the next one.
    expect(micro((await readChain("Base_Sepolia")).available)).toBe(
      micro(sent.deposited) - 20n * UNIT - micro(sent.fee),
    );
    const { movements, pageSums } = requireResult(await call("list_movements", { limit: 20 }));
    const chain = "Base_Sepolia";
    const own = { chain, direction: "out", kind: "gateway", transferId: sent.transferId };
    expect(movements).toEqual(
      expect.arrayContaining([
        // It leaves the wallet, and then the Gateway with the fee.
        expect.objectContaining({ ...own, amount: sent.deposited, counterpart: "gateway" }),
        expect.objectContaining({
          ...own,
          pot: "gateway",
          amount: formatDecimal(20n * UNIT + micro(sent.fee)),
          fee: sent.fee,
          counterpart: sent.recipient,
          text: "Out of the Gateway to another chain, with the Gateway's fee",
        }),
      ]),
    );
    const ofTransfer = z.array(z.object({ transferId: z.string().nullable(), fee: z.string().optional() }).loose());
    const withFee = ofTransfer.parse(movements).filter(({ transferId, fee }) => transferId === sent.transferId && fee);
    expect(withFee).toHaveLength(1);
    expect(movements).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          chain: "Arc_Testnet",
          direction: "in",
          amount: "20.00",
          counterpart: "gateway",
          isBetweenOwn: true,
          text: "Out of your money in the Gateway on another chain",
        }),
      ]),
    );
    // The money is the tenant's before and after: only the fee went to anybody else.
    expect(pageSums).toContainEqual(expect.objectContaining({ token: "USDC", out: sent.fee }));
  });

  it("is previewed with both chains, and with its amount once", async () => {
    const args = { from: "base-sepolia", to: "eip155:5042002", amount: "50" };
    const { accepted, movements, totals, allowances } = requireResult(
      await call("preview_call", { tool: "gateway_transfer", args }),
    );
    expect(accepted).toBe(true);
    expect(movements).toMatchObject([
      { from: "treasury", to: "gateway", chain: "Base_Sepolia" },
      { from: "gateway", to: "treasury", chain: "Base_Sepolia", toChain: "Arc_Testnet", amount: "50.00" },
    ]);
    expect(totals).toEqual([{ token: "USDC", amount: "50.00" }]);
    expect(allowances).toContainEqual(expect.objectContaining({ name: "treasury wallet on Base_Sepolia" }));
    const sent = await send("1", { from: "BASE_SEPOLIA", to: "ARC-TESTNET" });
    expect(sent).toMatchObject({ from: { name: "Base_Sepolia" }, to: { name: "Arc_Testnet" } });
    await settle();
  });

  it("takes what is there first, and sends the same intent again when the answer is lost", async () => {
    requireResult(await call("gateway_deposit", { chain: "Base_Sepolia", amount: "30" }));
    const [wallet, deposited] = [await readWallet(), micro((await readChain("Base_Sepolia")).available)];
    sentSalts.length = 0;
    faults.push("lost", "away", "lost");
    const sent = await send("10");
    expect(sent.deposited).toBe("0.00");
    await settle();
    expect(sentSalts).toHaveLength(4);
    expect(new Set(sentSalts).size).toBe(1);
    expect(await readWallet()).toBe(wallet + 10n * UNIT);
    expect(micro((await readChain("Base_Sepolia")).available)).toBe(deposited - 10n * UNIT - micro(sent.fee));
  });

  it("sixteen equal ones at once lose and double nothing", async () => {
    const [wallet, base] = [await readWallet(), await readChain("Base_Sepolia")];
    const all = await Promise.all(Array.from({ length: 16 }, () => send("4")));
    expect(new Set(all.map(({ transferId }) => transferId)).size).toBe(16);
    await settle();
    expect(await readWallet()).toBe(wallet + 64n * UNIT);
    const sum = (amounts: readonly string[]) => amounts.reduce((total, one) => total + micro(one), 0n);
    const spent = 64n * UNIT + sum(all.map(({ fee }) => fee));
    const left = micro(base.available) + sum(all.map(({ deposited }) => deposited)) - spent;
    expect(micro((await readChain("Base_Sepolia")).available)).toBe(left);
  });

  it("sixteen equal ones at once with one key are one", async () => {
    const wallet = await readWallet();
    const args = { from: "Base_Sepolia", to: "Arc_Testnet", amount: "3" };
    const headers = { "idempotency-key": "sixteen" };
    const ask = () => service.call("gateway_transfer", args, { ...tenant.as, headers });
    await Promise.all(Array.from({ length: 16 }, ask));
    await settle();
    expect(requireResult(await ask())).toMatchObject({ status: "completed" });
    expect(await readWallet()).toBe(wallet + 3n * UNIT);
  });

  it("signs another intent once the operator says that an attestation has expired", async () => {
    const [wallet, { available }] = [await readWallet(), await readChain("Base_Sepolia")];
    // The operator, which only says so here, keeps the first one's money aside.
    const added = 20n * UNIT;
    requireResult(await call("gateway_deposit", { chain: "Base_Sepolia", amount: "20" }));
    sentSalts.length = 0;
    faults.push("expired");
    const sent = await send("5");
    await expect.poll(readStates, { timeout: PATIENCE_MILLISECONDS }).toEqual([["completed", expect.any(Number)]]);
    expect(new Set(sentSalts).size).toBe(2);
    expect(await readWallet()).toBe(wallet + 5n * UNIT);
    expect(micro((await readChain("Base_Sepolia")).available)).toBe(
      micro(available) + added + micro(sent.deposited) - 5n * UNIT - micro(sent.fee),
    );
  });

  it("is previewed with its fee, what arrives and when", async () => {
    const args = { from: "Base_Sepolia", to: "Arc_Testnet", amount: "5" };
    expect(requireResult(await call("preview_call", { tool: "gateway_transfer", args }))).toMatchObject({
      accepted: true,
      arrival: { amountReceived: "5.00", receivedToken: "USDC", expectedBy: expect.any(String) },
    });
  });

  it("that is refused says what it needs with its fee, as its preview does, and leaves the other chain alone", async () => {
    const other = await newFundedTenant(service, "Refused");
    const args = { from: "Arc_Testnet", to: "Base_Sepolia", amount: "5000000" };
    const { body } = await service.call("gateway_transfer", args, other.as);
    expect(body).toMatchObject({
      code: "insufficient_balance",
      detail: expect.stringMatching(/^Your money in the Gateway and in your wallet on Arc_Testnet lacks /),
    });
    expect(micro(String(body.requiredUsdc))).toBeGreaterThan(5_000_000n * UNIT);
    const { problem } = requireResult(await service.call("preview_call", { tool: "gateway_transfer", args }, other.as));
    const { code, detail, requiredUsdc } = body;
    expect(problem).toMatchObject({ code, detail, requiredUsdc });
    const wallets = "select chain from wallet where tenant_id = $1 and chain = 'eip155:84532'";
    expect(await service.sql(wallets, [other.tenantId])).toEqual([]);
  });

  it.each([
    ["the same chain", { to: "Base_Sepolia" }, "invalid_input"],
    ["an unknown chain", { from: "Solana" }, "invalid_input"],
    ["nothing", { amount: "0" }, "invalid_input"],
    ["less than the fee", { amount: "0.000001" }, "amount_too_low"],
    ["more than there is", { amount: "99999999" }, "insufficient_balance"],
    ["a wrong checksum", { recipient: "0x52908400098527886E0F7030069857D2E4169Ee7" }, "invalid_input"],
    ["the zero address", { recipient: `0x${"0".repeat(40)}` }, "invalid_input"],
  ])("%s is refused", async (_name, change, code) => {
    const before = await readChain("Base_Sepolia");
    const args = { from: "Base_Sepolia", to: "Arc_Testnet", amount: "5", ...change };
    expect((await call("gateway_transfer", args)).body).toMatchObject({ ok: false, code });
    expect(await readChain("Base_Sepolia")).toEqual(before);
  });
});
