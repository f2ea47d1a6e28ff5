import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { sendMcp } from "../../../test/support/mcp.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import {
  newFundedTenant,
  openTreasury,
  requireResult,
  stranger,
  type Treasury,
  UNIT,
} from "../../../test/support/treasury.ts";
import { formatDecimal, parseDecimal } from "../../domain/money.ts";
import type { Hex } from "../../domain/tokens.ts";
import { settlementSplitterAbi } from "../../generated/contracts/settlement-splitter.ts";
import { splitParts } from "./split-parts.ts";

let service: TestService;
let treasury: Treasury;
let own: Hex;
let splitter: Hex;
const Contracts = z.object({ splitter: z.templateLiteral(["0x", z.string()]), faucet: z.string() });
beforeAll(async () => {
  service = await openSharedService();
  treasury = openTreasury(service);
  own = await treasury.findTreasury(service.tenantId);
  const [row] = await service.sql("select contracts from chain_network where network = 'sandbox' and is_home");
  splitter = Contracts.parse(row?.contracts).splitter;
});
afterAll(async () => {
  await treasury.close();
  await service[Symbol.asyncDispose]();
});

const collected = async () => treasury.readBalance((await treasury.keys.wallet("sandbox", "collection")).address);

describe("settle_split", () => {
  it.each([
    { gross: "250", terms: {}, parts: ["222.50", "25.00", "2.50"] },
    { gross: "0.000001", terms: {}, parts: ["0.000001", "0.00", "0.00"] },
    {
      gross: "0.999999",
      terms: { commissionBps: 3333, serviceFeeBps: 3333 },
      parts: ["0.333401", "0.333299", "0.333299"],
    },
    { gross: "10", terms: { commissionBps: 0, serviceFeeBps: 0 }, parts: ["10.00", "0.00", "0.00"] },
    { gross: "10", terms: { commissionBps: 10_000, serviceFeeBps: 0 }, parts: ["0.00", "10.00", "0.00"] },
    { gross: "10", terms: { commissionBps: 0, serviceFeeBps: 10_000 }, parts: ["0.00", "0.00", "10.00"] },
  ])("pays $parts of $gross", async ({ gross, terms, parts }) => {
    const supplier = stranger();
    const before = [await treasury.readBalance(own), await collected()] as const;
    const answer = await service.call("settle_split", { gross, supplier, ...terms });
    const result = requireResult(answer);
    expect([result.supplierUsdc, result.commissionUsdc, result.serviceFeeUsdc]).toEqual(parts);
    expect(result).toMatchObject({
      source: "embedded-devnet",
      sourceLevel: "embedded",
      sandbox: true,
      chainId: 5_042_002,
      asOf: expect.any(String),
      status: "confirmed",
      txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      from: own,
      supplier,
    });
    const [toSupplier = 0n, toOwn = 0n, toService = 0n] = parts.map((part) => parseDecimal(part) ?? 0n);
    expect(toSupplier + toOwn + toService).toBe(parseDecimal(gross));
    expect(await treasury.readBalance(supplier)).toBe(toSupplier);
    expect(await treasury.readBalance(own)).toBe(before[0] - toSupplier - toService);
    expect(await collected()).toBe(before[1] + toService);
    expect(await treasury.readBalance(splitter)).toBe(0n);
    const books = requireResult(await service.call("check_treasury", {}));
    expect(books.available).toEqual(books.balances);
  });

  it("divides like the contract, to the last micro-unit", async () => {
    const terms = fc
      .tuple(fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }), fc.nat({ max: 10_000 }), fc.nat({ max: 10_000 }))
      .filter(([, commission, fee]) => commission + fee <= 10_000);
    await fc.assert(
      fc.asyncProperty(terms, async ([gross, commissionBps, serviceFeeBps]) => {
        const parts = splitParts(gross, commissionBps, serviceFeeBps);
        expect(parts.supplier + parts.commission + parts.serviceFee).toBe(gross);
        expect(Object.values(parts).every((part) => part >= 0n)).toBe(true);
        const onChain = await treasury.client.readContract({
          address: splitter,
          abi: settlementSplitterAbi,
          functionName: "partsOf",
          args: [gross, BigInt(commissionBps), BigInt(serviceFeeBps)],
        });
        expect(onChain).toEqual(parts);
      }),
      { numRuns: 60 },
    );
  });

  it("refuses invalid or excessive shares, and invalid suppliers", async () => {
    const good = { gross: "1", supplier: stranger() };
    const bad: [string, Record<string, unknown>][] = [
      ["commissionBps", { commissionBps: -1 }],
      ["commissionBps", { commissionBps: 10_001 }],
      ["commissionBps", { commissionBps: 1.5 }],
      ["commissionBps", { commissionBps: "100" }],
      ["commissionBps", { commissionBps: 9_901 }],
      ["commissionBps", { commissionBps: 5_000, serviceFeeBps: 5_001 }],
      ["serviceFeeBps", { serviceFeeBps: -1 }],
      ["serviceFeeBps", { serviceFeeBps: 1e30 }],
      ...["0", "-1", "1.1234567", "1e30", "1e3", " 5", "05", "1".repeat(30)].map(
        (gross): [string, Record<string, unknown>] => ["gross", { gross }],
      ),
      ...[own, splitter, treasury.usdc, `0x${"0".repeat(40)}`, "0x12"].map(
        (supplier): [string, Record<string, unknown>] => ["supplier", { supplier }],
      ),
    ];
    for (const [path, change] of bad) {
      const answer = await service.call("settle_split", { ...good, ...change });
      expect([answer.status, answer.body.code], JSON.stringify(change)).toEqual([400, "invalid_input"]);
      expect(answer.body.issues, JSON.stringify(change)).toEqual([expect.objectContaining({ path })]);
    }
    const blocked = stranger();
    await treasury.block("USDC", blocked);
    expect((await service.call("settle_split", { ...good, supplier: blocked })).body.code).toBe("recipient_blocked");
    const much = await service.call("settle_split", { ...good, gross: "100000" });
    expect([much.status, much.body.code]).toEqual([500, "insufficient_balance"]);
  });

  it("pays another tenant's wallet as a deposit there, and the service's own fee wallet too", async () => {
    const other = await newFundedTenant(service, "Supplier");
    const supplier = await treasury.findTreasury(other.tenantId);
    expect((await service.call("settle_split", { gross: "100", supplier })).status).toBe(200);
    expect(requireResult(await service.call("check_treasury", {}, other.as))).toMatchObject({
      available: { USDC: "100089.00" },
      balances: { USDC: "100089.00" },
    });
    const { address } = await treasury.keys.wallet("sandbox", "collection");
    const before = await collected();
    expect((await service.call("settle_split", { gross: "100", supplier: address })).status).toBe(200);
    expect(await collected()).toBe(before + 90n * UNIT);
  });

  it("is paid once per idempotency key, over MCP too", async () => {
    const supplier = stranger();
    const call = () =>
      sendMcp(
        service,
        "tools/call",
        { name: "settle_split", arguments: { gross: "20", supplier } },
        { meta: { idempotencyKey: "split-1" } },
      );
    const Result = z.object({ result: z.object({ structuredContent: z.looseObject({ txHash: z.string() }) }) });
    const [first, second] = [Result.parse((await call()).body), Result.parse((await call()).body)];
    expect(second.result.structuredContent).toEqual({ ...first.result.structuredContent, replayed: true });
    expect(await treasury.readBalance(supplier)).toBe(parseDecimal("17.8"));
  });
});

describe("faucet_drip", () => {
  it("drips on the hub, once per interval, and each token separately", async () => {
    const address = stranger();
    const drip = (change = {}) => service.call("faucet_drip", { address, ...change });
    expect(requireResult(await drip())).toMatchObject({
      to: address,
      token: "USDC",
      blockchain: "ARC-TESTNET",
      status: "confirmed",
      chainId: 5_042_002,
      sandbox: true,
      sourceLevel: "embedded",
    });
    expect(await treasury.readBalance(address)).toBe(20n * UNIT);
    const again = await drip();
    expect([again.status, again.body.code, again.body.retryable]).toEqual([500, "faucet_cooldown", true]);
    const { waitSeconds } = z.object({ waitSeconds: z.number() }).parse(again.body);
    expect(waitSeconds).toBeGreaterThan(7_000);
    expect(waitSeconds).toBeLessThanOrEqual(7_200);
    expect(again.headers.get("retry-after")).toBe(String(waitSeconds));
    expect((await drip({ token: "EURC" })).status).toBe(200);
    expect(await treasury.readBalance(address, "EURC")).toBe(20n * UNIT);
    expect(await treasury.readBalance(address)).toBe(20n * UNIT);
  });

  it("gives concurrent callers the same answer", async () => {
    const address = stranger();
    const answers = await Promise.all(Array.from({ length: 5 }, () => service.call("faucet_drip", { address })));
    const codes = answers.map(({ status, body }) => (status === 200 ? "dripped" : body.code)).toSorted();
    expect(codes).toEqual(["dripped", ...Array.from({ length: 4 }, () => "faucet_cooldown")]);
    expect(await treasury.readBalance(address)).toBe(20n * UNIT);
  });

  it("knows no other chain than those of its list", async () => {
    const unknown = await service.call("faucet_drip", { address: stranger(), blockchain: "ETH-MAINNET" });
    expect([unknown.status, unknown.body.code]).toEqual([400, "invalid_input"]);
  });

  it("refuses invalid addresses, and drips into a tenant's wallet as a deposit", async () => {
    for (const address of ["0x12", `0x${"0".repeat(40)}`, "me", ` ${stranger()}`]) {
      const answer = await service.call("faucet_drip", { address });
      expect([answer.status, answer.body.code], address).toEqual([400, "invalid_input"]);
      expect(answer.body.issues).toEqual([expect.objectContaining({ path: "address" })]);
    }
    const blocked = stranger();
    await treasury.block("USDC", blocked);
    expect((await service.call("faucet_drip", { address: blocked })).body.code).toBe("recipient_blocked");
    const other = await newFundedTenant(service, "Dripped");
    const address = await treasury.findTreasury(other.tenantId);
    expect((await service.call("faucet_drip", { address })).status).toBe(200);
    expect(requireResult(await service.call("check_treasury", {}, other.as))).toMatchObject({
      available: { USDC: formatDecimal(100_020n * UNIT) },
    });
  });
});

describe("scopes", () => {
  const tools = {
    check_treasury: { scope: "treasury:read", args: {} },
    quote_fx: { scope: "treasury:read", args: { fromCurrency: "EUR", toCurrency: "USDC", amount: 1 } },
    faucet_drip: { scope: "treasury:write", args: { address: stranger() } },
    send_tokens: { scope: "treasury:spend", args: { to: stranger(), amount: "1" } },
    settle_split: { scope: "treasury:spend", args: { gross: "1", supplier: stranger() } },
  };

  it.each(["treasury:read", "treasury:write", "treasury:spend"])("%s allows its own tools only", async (held) => {
    const { apiKey } = await service.operator((identity) =>
      identity.mintKey({
        tenantId: service.tenantId,
        name: held,
        environment: "sandbox",
        scopes: [held],
        actor: "test",
      }),
    );
    for (const [tool, { scope, args }] of Object.entries(tools)) {
      const answer = await service.call(tool, args, { key: apiKey });
      if (scope === held) expect(answer.status, `${tool} ${answer.text}`).toBe(200);
      else expect([answer.status, answer.body.code, answer.body.scope], tool).toEqual([403, "missing_scope", scope]);
    }
    const listed = await sendMcp(service, "tools/list", {}, { key: apiKey });
    const { result } = z
      .object({ result: z.object({ tools: z.array(z.object({ name: z.string() })) }) })
      .parse(listed.body);
    const names = new Set(result.tools.map(({ name }) => name));
    for (const [tool, { scope }] of Object.entries(tools)) expect(names.has(tool), tool).toBe(scope === held);
  });
});
