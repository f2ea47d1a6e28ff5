import { createWalletClient, encodeFunctionData, http as viemHttp } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import { newFundedTenant, openTreasury, requireResult, type Treasury, UNIT } from "../../../test/support/treasury.ts";
import { formatDecimal } from "../../domain/money.ts";
import type { Hex, TokenSymbol } from "../../domain/tokens.ts";
import { swapPoolAbi } from "../../generated/contracts/swap-pool.ts";
import type { Parts } from "../../kernel/contracts/whole.ts";
import { sandboxCrossChainKeys } from "../../outside/sandbox-keys.ts";
import type { RateTable } from "../../ports/fx.ts";

/** The swap tools on a started product, with a pool that the test owns. */
let service: TestService;
let treasury: Treasury;
let pool: Hex;
let chains: Parts["chains"];
let ownerKey: Hex;
let behindSeconds = 0;
let changeRates: (table: RateTable) => RateTable = (table) => table;

/** Dollars for a euro, in millionths, by the rates that come with the service. */
const RATE = 1_141_500n;
const BASIS_POINTS = 10_000n;
const euros = (amount: bigint, spread = 10n) => (amount * UNIT * (BASIS_POINTS - spread)) / (RATE * BASIS_POINTS);
const dollars = (amount: bigint, spread = 10n) => (amount * RATE * (BASIS_POINTS - spread)) / (UNIT * BASIS_POINTS);
const POOL_TERMS = { spread: 10n, least: 5n * 10n ** 17n, most: 2n * 10n ** 18n };

const home = () => {
  const opened = chains.home("sandbox");
  if (opened === undefined) throw new Error("there is no home chain");
  return opened.chain;
};

beforeAll(async () => {
  service = await startTestService(
    {},
    {
      clock: { now: () => Temporal.Now.instant().subtract({ seconds: behindSeconds }) },
      decorate: {
        chains(opened) {
          chains = opened;
          return opened;
        },
        fx: (fx) => ({ ...fx, table: async (signal) => changeRates(await fx.table(signal)) }),
      },
    },
  );
  treasury = openTreasury(service);
  ownerKey = sandboxCrossChainKeys(treasury.keys.vault).deployer;
  // The first use deploys the pool.
  const quoted = { tool: "swap_tokens", args: { fromToken: "USDC", toToken: "EURC", amount: "1" } };
  requireResult(await service.call("preview_call", quoted));
  pool = home().crossChain.swapPool ?? "0x";
});
afterAll(async () => {
  await treasury?.close();
  await service?.[Symbol.asyncDispose]();
});
afterEach(() => {
  behindSeconds = 0;
  changeRates = (table) => table;
});

/** By the pool's owner. */
async function asOwner(data: Hex): Promise<void> {
  const transport = viemHttp(treasury.rpcUrl, { timeout: 120_000 });
  const owner = createWalletClient({ account: privateKeyToAccount(ownerKey), transport });
  const hash = await owner.sendTransaction({ chain: null, to: pool, data });
  const { status } = await treasury.client.waitForTransactionReceipt({ hash });
  expect(status).toBe("success");
}
const setTerms = ({ spread, least, most } = POOL_TERMS) =>
  asOwner(encodeFunctionData({ abi: swapPoolAbi, functionName: "setTerms", args: [spread, least, most] }));
const setPaused = (isPaused: boolean) =>
  asOwner(encodeFunctionData({ abi: swapPoolAbi, functionName: "setPaused", args: [isPaused] }));

type Tenant = Awaited<ReturnType<typeof newFundedTenant>>;
const swapAs = ({ as }: Tenant, amount: string, fromToken: TokenSymbol = "USDC", more: object = {}) =>
  service.call(
    "swap_tokens",
    { fromToken, toToken: fromToken === "USDC" ? "EURC" : "USDC", amount },
    { ...as, ...more },
  );
const previewAs = async ({ as }: Tenant, args: object) =>
  requireResult(await service.call("preview_call", { tool: "swap_tokens", args }, as));
async function holdings({ as }: Tenant) {
  const { available, outgoing } = requireResult(await service.call("check_treasury", {}, as));
  return { available, outgoing };
}
const nothingOut = { USDC: "0.00", EURC: "0.00" };

describe("swap_tokens", () => {
  it("exchanges dollars for euros as it was quoted, on the chain and in the books", async () => {
    const tenant = await newFundedTenant(service, "Swapper");
    const own = await treasury.findTreasury(tenant.tenantId);
    const out = euros(250n * UNIT);
    const preview = await previewAs(tenant, { fromToken: "USDC", toToken: "EURC", amount: "250" });
    expect(preview).toMatchObject({
      accepted: true,
      movements: [
        { token: "USDC", amount: "250.00", from: "treasury", to: "swap_pool" },
        { token: "EURC", amount: null, from: "swap_pool", to: "treasury" },
      ],
      irreversible: [{ what: "the swap", undo: "never" }],
    });
    for (const said of [
      `${formatDecimal(out)} EURC`,
      "0.87604029",
      "10 basis points",
      "300 seconds",
      "50000.00 USDC",
    ]) {
      expect(preview.note).toContain(said);
    }
    const answer = await swapAs(tenant, "250");
    const result = requireResult(answer);
    expect(result).toMatchObject({
      from: own,
      pool,
      fromToken: "USDC",
      toToken: "EURC",
      amountSent: "250.00",
      amountReceived: formatDecimal(out),
      minimumReceived: formatDecimal(out),
      rate: "0.87604029",
      spreadBps: 10,
      status: "confirmed",
      chainId: 5_042_002,
    });
    expect(await treasury.readBalance(own)).toBe(99_750n * UNIT);
    expect(await treasury.readBalance(own, "EURC")).toBe(100_000n * UNIT + out);
    expect(await holdings(tenant)).toEqual({
      available: { USDC: "99750.00", EURC: formatDecimal(100_000n * UNIT + out) },
      outgoing: nothingOut,
    });
    expect(answer.body.priceMicroUsdc).toBe("5000");
  });

  it("exchanges euros for dollars, and list_movements shows both sides with the pool's name", async () => {
    const tenant = await newFundedTenant(service, "Back");
    const out = dollars(33_333_333n);
    const result = requireResult(await swapAs(tenant, "33.333333", "EURC"));
    expect(result).toMatchObject({ amountReceived: formatDecimal(out), rate: "1.1415" });
    const { movements, pageSums } = requireResult(await service.call("list_movements", { limit: 2 }, tenant.as));
    const both = { kind: "swap", counterpart: "swap_pool", state: "confirmed", txHash: result.txHash };
    expect(movements).toEqual([
      expect.objectContaining({ ...both, direction: "in", token: "USDC", amount: formatDecimal(out) }),
      expect.objectContaining({ ...both, direction: "out", token: "EURC", amount: "33.333333" }),
    ]);
    expect(pageSums).toEqual(
      expect.arrayContaining([
        { token: "USDC", in: formatDecimal(out), out: "0.00" },
        { token: "EURC", in: "0.00", out: "33.333333" },
      ]),
    );
  });

  it("has the smallest amount that gives anything, and refuses what gives nothing", async () => {
    const tenant = await newFundedTenant(service, "Dust");
    const args = { fromToken: "USDC", toToken: "EURC" };
    for (const [path, more] of [
      ["toToken", { toToken: "USDC", amount: "1" }],
      ["amount", { amount: "0" }],
      ["amount", { amount: "0.000001" }],
    ] as const) {
      const answer = await service.call("swap_tokens", { ...args, ...more }, tenant.as);
      expect([answer.status, answer.body.code]).toEqual([400, "invalid_input"]);
      expect(answer.body.issues).toEqual([expect.objectContaining({ path })]);
      expect(await previewAs(tenant, { ...args, ...more })).toMatchObject({ problem: { code: "invalid_input" } });
    }
    expect(requireResult(await swapAs(tenant, "0.000002"))).toMatchObject({ amountReceived: "0.000001" });
    expect(await holdings(tenant)).toMatchObject({ available: { USDC: "99999.999998", EURC: "100000.000001" } });
  });

  it("refuses more than the wallet has, and names the most that the pool exchanges", async () => {
    const tenant = await newFundedTenant(service, "Large");
    const args = { fromToken: "USDC", toToken: "EURC" };
    const refused = async (amount: string, problem: object) => {
      expect((await swapAs(tenant, amount)).body).toMatchObject(problem);
      expect(await previewAs(tenant, { ...args, amount })).toMatchObject({ accepted: false, problem });
    };
    await refused("50000.000001", { code: "swap_amount_too_large", mostAmount: "50000.00", token: "USDC" });
    await refused("100000.01", { code: "insufficient_balance", missingUsdc: "0.01" });
    await swapAs(tenant, "50000");
    await swapAs(tenant, "49999.99");
    await refused("0.02", { code: "insufficient_balance", missingUsdc: "0.01" });
  });

  it("swaps nothing while the pool is paused, outside of its band, or at a rate that is too old", async () => {
    const tenant = await newFundedTenant(service, "Closed");
    const before = await holdings(tenant);
    const refused = async (code: string) => {
      const args = { fromToken: "USDC", toToken: "EURC", amount: "5" };
      expect((await swapAs(tenant, "5")).body).toMatchObject({ code, retryable: code !== "rate_not_available" });
      expect(await previewAs(tenant, args)).toMatchObject({ accepted: false, problem: { code } });
    };
    await setPaused(true);
    await refused("swap_not_available");
    await setPaused(false);
    await setTerms({ ...POOL_TERMS, most: 10n ** 18n });
    await refused("swap_not_available");
    await setTerms();
    changeRates = (table) => ({
      ...table,
      provenance: { source: "ecb", sourceLevel: "live", asOf: "2026-01-05T00:00:00Z" },
    });
    await refused("rate_stale");
    changeRates = (table) => ({ ...table, perEuro: new Map([["EUR", UNIT]]) });
    await refused("rate_not_available");
    expect(await holdings(tenant)).toEqual(before);
  });

  it("has no effect if the pool would pay less than quoted, and the money is free again", async () => {
    const tenant = await newFundedTenant(service, "Moved");
    const chain = home();
    const { swapTerms } = chain;
    // The owner has just widened the spread.
    Object.defineProperty(chain, "swapTerms", {
      configurable: true,
      value: async (address: Hex) => ({ ...(await swapTerms(address)), spreadBps: 9n }),
    });
    const answer = await swapAs(tenant, "40").finally(() =>
      Object.defineProperty(chain, "swapTerms", { configurable: true, value: swapTerms }),
    );
    expect(answer.body).toMatchObject({ code: "price_moved", txHash: expect.stringMatching(/^0x/) });
    expect(await holdings(tenant)).toEqual({
      available: { USDC: "100000.00", EURC: "100000.00" },
      outgoing: nothingOut,
    });
    const { movements } = requireResult(await service.call("list_movements", { limit: 1 }, tenant.as));
    expect(movements).toEqual([expect.objectContaining({ kind: "swap", state: "reverted", direction: "out" })]);
  });

  it("has no effect after its deadline", async () => {
    const tenant = await newFundedTenant(service, "Late");
    behindSeconds = 900;
    expect((await swapAs(tenant, "40")).body).toMatchObject({ code: "swap_expired" });
    behindSeconds = 0;
    expect(await holdings(tenant)).toEqual({
      available: { USDC: "100000.00", EURC: "100000.00" },
      outgoing: nothingOut,
    });
    expect((await swapAs(tenant, "40")).body).toMatchObject({ ok: true });
  });

  it("swaps once for sixteen calls with one key, and again without one", async () => {
    const tenant = await newFundedTenant(service, "Repeats");
    const headers = { headers: { "idempotency-key": "swap-1" } };
    const answers = await Promise.all(Array.from({ length: 16 }, () => swapAs(tenant, "10", "USDC", headers)));
    const kinds = new Set(answers.map(({ status, body }) => (status === 200 ? "swapped" : body.code)));
    expect([...kinds].toSorted()).toEqual(kinds.size === 1 ? ["swapped"] : ["in_progress", "swapped"]);
    const again = await swapAs(tenant, "10", "USDC", headers);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    const after = { USDC: "99990.00", EURC: formatDecimal(100_000n * UNIT + euros(10n * UNIT)) };
    expect((await holdings(tenant)).available).toEqual(after);
    expect((await swapAs(tenant, "11", "USDC", headers)).body.code).toBe("idempotency_mismatch");
    await swapAs(tenant, "10");
    expect((await holdings(tenant)).available).toMatchObject({ USDC: "99980.00" });
  });

  it("lets exactly as many of sixteen at once through as the money covers", async () => {
    const tenant = await newFundedTenant(service, "Sixteen");
    const answers = await Promise.all(Array.from({ length: 16 }, () => swapAs(tenant, "9000")));
    const outcomes = answers.map(({ status, body }) => (status === 200 ? "swapped" : body.code));
    expect(outcomes.filter((one) => one === "swapped")).toHaveLength(11);
    expect(outcomes.filter((one) => one !== "swapped")).toEqual(Array(5).fill("insufficient_balance"));
    expect(await holdings(tenant)).toEqual({
      available: { USDC: "1000.00", EURC: formatDecimal(100_000n * UNIT + 11n * euros(9_000n * UNIT)) },
      outgoing: nothingOut,
    });
  });

  it("counts against the limits of the key", async () => {
    const tenant = await newFundedTenant(service, "Limited");
    const keys = await service.operator((operator) => operator.listKeys(tenant.tenantId));
    await service.operator(({ spending: { spendLimits } }) =>
      spendLimits.set(tenant.tenantId, "sandbox", keys[0]?.id, { perDay: 15n * UNIT, recipients: [] }, "test"),
    );
    expect((await swapAs(tenant, "10")).body).toMatchObject({ ok: true });
    expect((await swapAs(tenant, "10")).body).toMatchObject({ code: "spend_limit_exceeded" });
    // Euros count at the reference rate.
    expect((await swapAs(tenant, "4.5", "EURC")).body).toMatchObject({ code: "spend_limit_exceeded" });
    expect((await swapAs(tenant, "4", "EURC")).body).toMatchObject({ ok: true });
  });
});

describe("swap_and_bridge", () => {
  const FROM = "Base_Sepolia";
  const bridgeAs = ({ as }: Tenant, amount: string, more: object = {}, options: object = {}) =>
    service.call("swap_and_bridge", { fromChain: FROM, amount, ...more }, { ...as, ...options });
  const previewBridgeAs = async ({ as }: Tenant, args: object) =>
    requireResult(
      await service.call("preview_call", { tool: "swap_and_bridge", args: { fromChain: FROM, ...args } }, as),
    );
  const least = (amount: bigint) => formatDecimal((euros(amount) * 9_950n) / BASIS_POINTS);

  it("bridges dollars and swaps them where they arrive", async () => {
    const tenant = await newFundedTenant(service, "Bridged");
    const headers = { headers: { "idempotency-key": "both" } };
    const answer = await bridgeAs(tenant, "120", {}, headers);
    const result = requireResult(answer);
    const out = formatDecimal(euros(120n * UNIT));
    expect(result).toMatchObject({
      kind: "swap_and_bridge",
      status: "completed",
      outcome: "completed",
      from: { name: FROM, isEmulated: true },
      to: { name: "Arc_Testnet" },
      amountSent: "120.00",
      receivedToken: "EURC",
      amountReceived: out,
      minimumReceived: least(120n * UNIT),
      nextSteps: [],
    });
    const hash = expect.stringMatching(/^0x[0-9a-f]{64}$/);
    expect(result.txHashes).toEqual([
      { step: "burn", chain: FROM, txHash: hash },
      { step: "mint", chain: "Arc_Testnet", txHash: hash },
      { step: "swap", chain: "Arc_Testnet", txHash: hash },
    ]);
    const after = { USDC: "100000.00", EURC: formatDecimal(100_000n * UNIT + euros(120n * UNIT)) };
    expect((await holdings(tenant)).available).toEqual(after);
    // The same call again is the same transfer.
    expect(requireResult(await bridgeAs(tenant, "120", {}, headers))).toMatchObject({ transferId: result.transferId });
    expect((await holdings(tenant)).available).toEqual(after);
    const read = requireResult(await service.call("read_transaction", { transferId: result.transferId }, tenant.as));
    expect(read.transfer).toMatchObject({ status: "completed", amountReceived: out, receivedToken: "EURC" });
  });

  it("previews the fee, the rate and the least received, and bridges alone for USDC", async () => {
    const tenant = await newFundedTenant(service, "Alone");
    const alone = requireResult(await bridgeAs(tenant, "30", { targetToken: "USDC" }));
    expect(alone).toMatchObject({
      kind: "bridge",
      outcome: "completed",
      amountReceived: "30.00",
      minimumReceived: null,
    });
    expect((await holdings(tenant)).available).toEqual({ USDC: "100030.00", EURC: "100000.00" });
    const preview = await previewBridgeAs(tenant, { amount: "40" });
    expect(preview).toMatchObject({
      accepted: true,
      movements: [
        { chain: "Base_Sepolia", token: "USDC", amount: "40.00", from: "treasury", to: "swap_pool" },
        { token: "EURC", amount: null, from: "swap_pool", to: "treasury" },
      ],
      allowances: expect.arrayContaining([
        expect.objectContaining({ name: "treasury wallet on Base_Sepolia", left: "9970.00", leftAfter: "9930.00" }),
      ]),
    });
    for (const said of ["at most 0.00 USDC", formatDecimal(euros(40n * UNIT)), least(40n * UNIT)]) {
      expect(preview.note).toContain(said);
    }
  });

  it("leaves the money as USDC if the rate has moved meanwhile, and says so", async () => {
    const tenant = await newFundedTenant(service, "Stays");
    let asked = 0;
    changeRates = (table) => {
      asked += 1;
      return asked === 1 ? table : { ...table, perEuro: new Map([...table.perEuro, ["USD", 1_300_000n]]) };
    };
    const result = requireResult(await bridgeAs(tenant, "50"));
    expect(result).toMatchObject({
      status: "failed",
      outcome: "bridged_not_swapped",
      receivedToken: "USDC",
      amountReceived: "50.00",
      minimumReceived: least(50n * UNIT),
      waiting: expect.stringContaining("50.00 USDC are in your treasury wallet"),
      nextSteps: [expect.stringContaining("swap_tokens"), "keep it as USDC"],
    });
    expect((await holdings(tenant)).available).toEqual({ USDC: "100050.00", EURC: "100000.00" });
    changeRates = (table) => table;
    expect((await swapAs(tenant, "50")).body).toMatchObject({ ok: true });
  });

  it("burns nothing while the pool swaps nothing", async () => {
    const tenant = await newFundedTenant(service, "Not begun");
    await setPaused(true);
    const answer = await bridgeAs(tenant, "50").finally(() => setPaused(false));
    expect(answer.body).toMatchObject({ code: "swap_not_available" });
    const { otherChains } = requireResult(await service.call("check_treasury", {}, tenant.as));
    expect(otherChains).toMatchObject([{ chain: "Base_Sepolia", available: { USDC: "10000.00" } }]);
  });

  it("counts money of the further chain against the limits of the key, from its first use on", async () => {
    const tenant = await newFundedTenant(service, "Limited there");
    const keys = await service.operator((operator) => operator.listKeys(tenant.tenantId));
    await service.operator(({ spending: { spendLimits } }) =>
      spendLimits.set(tenant.tenantId, "sandbox", keys[0]?.id, { perDay: 15n * UNIT }, "test"),
    );
    expect((await bridgeAs(tenant, "16")).body).toMatchObject({ code: "spend_limit_exceeded" });
    expect((await bridgeAs(tenant, "10")).body).toMatchObject({ ok: true });
    expect((await bridgeAs(tenant, "10")).body).toMatchObject({ code: "spend_limit_exceeded" });
    expect((await swapAs(tenant, "6")).body).toMatchObject({ code: "spend_limit_exceeded" });
  });
});
