import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { sendMcp } from "../../../test/support/mcp.ts";
import { isSignedBy, type TestService } from "../../../test/support/service.ts";
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

/** The treasury tools on a started product, over dispatch and MCP; the chain is read by viem. */
let service: TestService;
let treasury: Treasury;
let own: Hex;
beforeAll(async () => {
  service = await openSharedService();
  treasury = openTreasury(service);
  own = await treasury.findTreasury(service.tenantId);
});
afterAll(async () => {
  await treasury.close();
  await service[Symbol.asyncDispose]();
});

const Contracts = z.object({
  tokens: z.object({ USDC: z.string(), EURC: z.string() }),
  splitter: z.string(),
  faucet: z.string(),
});
const Holdings = z.object({
  address: z.string(),
  balances: z.object({ USDC: z.string(), EURC: z.string() }),
  available: z.object({ USDC: z.string(), EURC: z.string() }),
  outgoing: z.object({ USDC: z.string(), EURC: z.string() }),
});
const holdings = async (as = {}) => Holdings.parse(requireResult(await service.call("check_treasury", {}, as)));
const paidCalls = (tool: string) =>
  service.sql("select 1 from usage_record where tool = $1 and tenant_id = $2", [tool, service.tenantId]);
const storedOrders = () =>
  service.sql("select id, state from chain_transaction where purpose = 'send_tokens' and tenant_id = $1", [
    service.tenantId,
  ]);

const provenance = { source: "embedded-devnet", sourceLevel: "embedded", sandbox: true, chainId: 5_042_002 };

describe("check_treasury", () => {
  it("shows the wallet as on the chain, with the source", async () => {
    const answer = await service.call("check_treasury", {});
    expect(requireResult(answer)).toEqual({
      ...provenance,
      asOf: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      address: own,
      balances: { USDC: "100000.00", EURC: "100000.00" },
      available: { USDC: "100000.00", EURC: "100000.00" },
      held: { USDC: "0.00", EURC: "0.00" },
      outgoing: { USDC: "0.00", EURC: "0.00" },
      otherChainsNote: expect.stringContaining("first call that names another chain opens your wallet there"),
    });
    expect(await treasury.readBalance(own, "EURC")).toBe(100_000n * UNIT);
    expect(answer.headers.get("x-service-meter-id")).toMatch(/^use_/);
    expect(answer.headers.get("x-service-trace-id")).toMatch(/^[0-9a-f]{32}$/);
    expect(isSignedBy(answer, service.signingSecret)).toBe(true);
  });

  it("shows each tenant its own wallet only", async () => {
    const other = await newFundedTenant(service, "Other");
    const { address } = await holdings(other.as);
    expect(address).toBe(await treasury.findTreasury(other.tenantId));
    expect(address).not.toBe(own);
  });
});

describe("send_tokens", () => {
  it.each(["USDC", "EURC"] as const)("moves %s on the chain and in the books", async (token) => {
    const to = stranger();
    const [walletBefore, booksBefore] = [await treasury.readBalance(own, token), await holdings()];
    const answer = await service.call("send_tokens", { to, amount: "12.345678", token });
    const result = requireResult(answer);
    expect(result).toMatchObject({ ...provenance, from: own, to, amount: "12.345678", token, status: "confirmed" });
    const hash = z.templateLiteral(["0x", z.string()]).parse(result.txHash);
    expect((await treasury.client.getTransactionReceipt({ hash })).status).toBe("success");
    expect(await treasury.readBalance(to, token)).toBe(12_345_678n);
    expect(await treasury.readBalance(own, token)).toBe(walletBefore - 12_345_678n);
    const books = await holdings();
    expect(parseDecimal(books.available[token])).toBe((parseDecimal(booksBefore.available[token]) ?? 0n) - 12_345_678n);
    expect(books.available).toEqual(books.balances);
    expect(books.outgoing).toEqual({ USDC: "0.00", EURC: "0.00" });
    expect(answer.body.priceMicroUsdc).toBe("5000");
    expect(isSignedBy(answer, service.signingSecret)).toBe(true);
  });

  it("is the same tool over MCP, with a result that fits its published schema", async () => {
    const to = stranger();
    const answer = await sendMcp(service, "tools/call", { name: "send_tokens", arguments: { to, amount: "1" } });
    const { result } = z
      .object({ result: z.object({ isError: z.boolean().optional(), structuredContent: z.looseObject({}) }) })
      .parse(answer.body);
    expect(result.isError).not.toBe(true);
    expect(result.structuredContent).toMatchObject({ ...provenance, to, amount: "1.00", status: "confirmed" });
    expect(await treasury.readBalance(to)).toBe(UNIT);
    const refused = await sendMcp(service, "tools/call", { name: "send_tokens", arguments: { to, amount: "1e3" } });
    expect(refused.body.result).toMatchObject({ isError: true });
    expect(refused.text).toContain("invalid_input");
  });

  const badAmounts = [
    "0",
    "0.000000",
    "-1",
    "1.1234567",
    "1e30",
    "1e3",
    " 5",
    "5 ",
    "05",
    "+5",
    ".5",
    "5.",
    "1,5",
    "0x10",
    "٥",
    "",
    "NaN",
    "Infinity",
    "1".repeat(30),
    "9223372036854.775808",
    "9".repeat(100_000),
    5,
    null,
  ];
  const badRecipients = [
    "0x",
    "0x12",
    `0x${"g".repeat(40)}`,
    `0X${"a".repeat(40)}`,
    `0x${"a".repeat(39)}`,
    `0x${"a".repeat(41)}`,
    ` 0x${"a".repeat(40)}`,
    `0x${"a".repeat(40)}\n`,
    "vitalik.eth",
    `0x${"0".repeat(40)}`,
    7,
  ];

  it("refuses every invalid amount, and charges and stores nothing", async () => {
    const before = [await paidCalls("send_tokens"), await storedOrders()];
    for (const amount of badAmounts) {
      const answer = await service.call("send_tokens", { to: stranger(), amount });
      expect([answer.status, answer.body.code], `${String(amount).slice(0, 40)}`).toEqual([400, "invalid_input"]);
      expect(answer.body.issues).toEqual([expect.objectContaining({ path: "amount" })]);
    }
    expect([await paidCalls("send_tokens"), await storedOrders()]).toEqual(before);
  });

  it("refuses every invalid recipient", async () => {
    const before = await storedOrders();
    // Tokens sent to a contract of the chain are lost.
    const [network] = await service.sql("select contracts from chain_network where is_home");
    const { tokens, splitter, faucet } = Contracts.parse(network?.contracts);
    const contracts = [tokens.USDC, tokens.EURC, splitter, faucet];
    for (const to of [...badRecipients, own, own.toUpperCase().replace("0X", "0x"), ...contracts]) {
      const answer = await service.call("send_tokens", { to, amount: "1" });
      expect([answer.status, answer.body.code], String(to)).toEqual([400, "invalid_input"]);
      expect(answer.body.issues).toEqual([expect.objectContaining({ path: "to" })]);
    }
    expect(await storedOrders()).toEqual(before);
  });

  it("names the missing amount, and moves nothing", async () => {
    const before = await holdings();
    const have = parseDecimal(before.available.USDC) ?? 0n;
    for (const required of [have + 1n, 2n ** 63n - 1n]) {
      const answer = await service.call("send_tokens", { to: stranger(), amount: formatDecimal(required) });
      expect([answer.status, answer.body.code, answer.body.retryable]).toEqual([500, "insufficient_balance", false]);
      expect(answer.body).toMatchObject({
        requiredUsdc: formatDecimal(required),
        availableUsdc: before.available.USDC,
        missingUsdc: formatDecimal(required - have),
      });
      expect(answer.headers.get("x-service-meter-id")).toBeNull();
    }
    expect(await holdings()).toEqual(before);
  });

  it("does not send to an address blocked by the token's issuer, and does to others", async () => {
    const blocked = stranger();
    await treasury.block("USDC", blocked);
    const answer = await service.call("send_tokens", { to: blocked, amount: "1" });
    expect([answer.status, answer.body.code, answer.body.retryable]).toEqual([500, "recipient_blocked", false]);
    // An address blocked in one token is not blocked in another.
    expect((await service.call("send_tokens", { to: blocked, amount: "1", token: "EURC" })).status).toBe(200);
    expect(await treasury.readBalance(blocked)).toBe(0n);
    expect((await service.call("send_tokens", { to: stranger(), amount: "1" })).status).toBe(200);
  });

  it("refunds if the sender turns out to be blocked meanwhile", async () => {
    const blocked = await newFundedTenant(service, "Blocked");
    await treasury.block("USDC", await treasury.findTreasury(blocked.tenantId));
    const answer = await service.call("send_tokens", { to: stranger(), amount: "1" }, blocked.as);
    expect([answer.status, answer.body.code, answer.body.retryable]).toEqual([500, "recipient_blocked", false]);
    const books = await holdings(blocked.as);
    expect(books.available.USDC).toBe("100000.00");
    expect(books.outgoing.USDC).toBe("0.00");
  });

  it("to another tenant's wallet is a deposit there", async () => {
    const other = await newFundedTenant(service, "Receiver");
    const to = await treasury.findTreasury(other.tenantId);
    expect((await service.call("send_tokens", { to, amount: "7.5" })).status).toBe(200);
    const books = await holdings(other.as);
    expect(books).toMatchObject({ balances: { USDC: "100007.50" }, available: { USDC: "100007.50" } });
    expect((await service.call("send_tokens", { to: own, amount: "100007.5" }, other.as)).status).toBe(200);
    expect((await holdings(other.as)).available.USDC).toBe("0.00");
  });

  it("lets exactly as many of 32 concurrent sends through as the money covers", async () => {
    const poor = await newFundedTenant(service, "Twenty");
    const from = await treasury.findTreasury(poor.tenantId);
    expect((await service.call("send_tokens", { to: stranger(), amount: "99900" }, poor.as)).status).toBe(200);
    const to = stranger();
    const answers = await Promise.all(
      Array.from({ length: 32 }, () => service.call("send_tokens", { to, amount: "5" }, poor.as)),
    );
    const outcomes = answers.map(({ status, body }) => (status === 200 ? "sent" : body.code));
    expect(outcomes.filter((outcome) => outcome === "sent")).toHaveLength(20);
    expect(outcomes.filter((outcome) => outcome === "insufficient_balance")).toHaveLength(12);
    const hashes = answers.filter(({ status }) => status === 200).map((answer) => requireResult(answer).txHash);
    expect(new Set(hashes).size).toBe(20);
    expect(await treasury.readBalance(to)).toBe(100n * UNIT);
    expect(await treasury.readBalance(from)).toBe(0n);
    expect((await holdings(poor.as)).available.USDC).toBe("0.00");
  });
});

describe("repetition", () => {
  const withKey = (key: string, as = {}) => ({ ...as, headers: { "idempotency-key": key } });

  it("sends once per key, however often it is called, and again without one", async () => {
    const to = stranger();
    const call = (key?: string) =>
      service.call("send_tokens", { to, amount: "2" }, key === undefined ? {} : withKey(key));
    const first = await call("pay-1");
    const again = await call("pay-1");
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(requireResult(again)).toEqual(requireResult(first));
    expect(await treasury.readBalance(to)).toBe(2n * UNIT);
    await call();
    await call();
    expect(await treasury.readBalance(to)).toBe(6n * UNIT);
  });

  it("sends once for eight at the same time with one key", async () => {
    const to = stranger();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => service.call("send_tokens", { to, amount: "3" }, withKey("pay-at-once"))),
    );
    const kinds = new Set(answers.map(({ status, body }) => (status === 200 ? "sent" : body.code)));
    expect([...kinds].toSorted()).toEqual(kinds.size === 1 ? ["sent"] : ["in_progress", "sent"]);
    expect(await treasury.readBalance(to)).toBe(3n * UNIT);
  });

  it("refuses the key with another amount, and separates tenants and tools", async () => {
    const to = stranger();
    await service.call("send_tokens", { to, amount: "1" }, withKey("pay-2"));
    const other = await service.call("send_tokens", { to, amount: "1.5" }, withKey("pay-2"));
    expect([other.status, other.body.code]).toEqual([422, "idempotency_mismatch"]);
    const tenant = await newFundedTenant(service, "Same key");
    expect((await service.call("send_tokens", { to, amount: "1" }, withKey("pay-2", tenant.as))).status).toBe(200);
    expect(await treasury.readBalance(to)).toBe(2n * UNIT);
  });

  it("keeps a final failure under its key", async () => {
    const send = () => service.call("send_tokens", { to: stranger(), amount: "1000000" }, withKey("pay-3"));
    // The arguments differ, so the key belongs to the first call only.
    expect((await send()).body.code).toBe("insufficient_balance");
    expect((await send()).body.code).toBe("idempotency_mismatch");
  });
});
