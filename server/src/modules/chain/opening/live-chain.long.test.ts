import { decodeEventLog } from "viem";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { until } from "../../../../test/support/embedded-fixture.ts";
import {
  createLiveDeployment,
  LIVE_CHAIN_ID,
  type LiveChain,
  type LiveDeployment,
  type LiveService,
  startLiveChain,
} from "../../../../test/support/live-service.ts";
import { type SupplierSandbox, startSupplierSandbox } from "../../../../test/support/supplier-sandbox.ts";
import { requireResult, runChainCommand, stranger, UNIT } from "../../../../test/support/treasury.ts";
import { formatDecimal, parseDecimal } from "../../../domain/money.ts";
import type { Hex } from "../../../domain/tokens.ts";
import { stablecoinAbi } from "../../../generated/contracts/stablecoin.ts";

/** The product in production mode against a second local chain and a supplier sandbox in place of the live ones. */
// The limits only catch hangs: durations depend on the machine.
vi.setConfig({ testTimeout: 240_000 });
const PATIENCE = { timeout: 180_000, interval: 200 };
let chain: LiveChain;
let supplier: SupplierSandbox;
let deployment: LiveDeployment;
let service: LiveService;
let tenant: Awaited<ReturnType<typeof newTenant>>;
beforeAll(async () => {
  [chain, supplier] = await Promise.all([startLiveChain(), startSupplierSandbox()]);
  deployment = await createLiveDeployment(chain, supplier);
  service = await deployment.start();
  tenant = await newTenant("Live");
  await fund(tenant, 5_000n * UNIT);
});
afterAll(async () => {
  await service?.stop();
  await deployment?.[Symbol.asyncDispose]();
  await Promise.all([supplier.stop(), chain.close()]);
});

const SCOPES = ["treasury:read", "treasury:write", "treasury:spend", "flights:read", "flights:spend", "usage:read"];
const scopes = [...SCOPES, "flights:write", "travelers:read", "travelers:write"];
const Address = z.templateLiteral(["0x", z.string().regex(/^[0-9a-f]{40}$/)]);
const Books = z.object({
  address: Address,
  chainId: z.number(),
  sandbox: z.boolean(),
  source: z.string(),
  sourceLevel: z.string(),
  balances: z.object({ USDC: z.string(), EURC: z.string() }),
  available: z.object({ USDC: z.string(), EURC: z.string() }),
});
type As = { key: string; tenantId: string };

async function newTenant(name: string) {
  return await service.operator(async (identity) => {
    const { tenant: made, apiKey: sandboxKey } = await identity.createTenant({ name, actor: "test" });
    const { apiKey: key } = await identity.mintKey({
      tenantId: made.id,
      name: "live",
      environment: "production",
      scopes,
      actor: "test",
    });
    return { tenantId: made.id, live: { key, tenantId: made.id }, sandbox: { key: sandboxKey, tenantId: made.id } };
  });
}
const books = async (as: As) => Books.parse(requireResult(await service.call("check_treasury", {}, as)));
/** Pays in from outside, and waits until it is booked. */
async function fund({ tenantId, live }: { tenantId: string; live: As }, amount: bigint): Promise<Hex> {
  const { address } = await books(live);
  await chain.deposit(address, amount);
  const text = "select 1 from ledger_account where kind = 'prefunded' and network = 'production' and tenant_id = $1";
  await until(async () => (await deployment.sql(`${text} and balance_micro > 0`, [tenantId])).length > 0 || undefined);
  return address;
}

const Transfer = z.object({ from: z.string(), to: z.string(), value: z.bigint() });
/** The transfers of a transaction, by its events. */
async function readTransfers(hash: Hex) {
  const { logs, status } = await chain.client.getTransactionReceipt({ hash });
  expect(status).toBe("success");
  return logs.flatMap(({ data, topics }) => {
    const event = decodeEventLog({ abi: stablecoinAbi, data, topics, strict: false });
    if (event.eventName !== "Transfer") return [];
    const { from, to, value } = Transfer.parse(event.args);
    return [{ from: from.toLowerCase(), to: to.toLowerCase(), value }];
  });
}
const readCollection = async (network: string) => {
  const [row] = await deployment.sql("select address from wallet where kind = 'collection' and network = $1", [
    network,
  ]);
  return Address.parse(row?.address);
};

describe("two networks in one process", () => {
  it("are chosen by the key", async () => {
    const live = await books(tenant.live);
    const source = `eip155:${LIVE_CHAIN_ID}`;
    expect(live).toMatchObject({ chainId: LIVE_CHAIN_ID, sandbox: false, sourceLevel: "live", source });
    await expect.poll(async () => (await books(tenant.sandbox)).available.USDC, PATIENCE).toBe("100000.00");
    const sandbox = await books(tenant.sandbox);
    expect(sandbox).toMatchObject({ chainId: 5_042_002, sandbox: true, source: "embedded-devnet" });
    expect(sandbox.address).not.toBe(live.address);
    expect(await chain.readBalance(sandbox.address)).toBe(0n);
  });

  it("send tokens independently", async () => {
    const to = stranger();
    const sent = requireResult(await service.call("send_tokens", { to, amount: "3.25" }, tenant.live));
    expect(sent).toMatchObject({ chainId: LIVE_CHAIN_ID, sandbox: false, sourceLevel: "live", status: "confirmed" });
    expect(await chain.readBalance(to)).toBe(3_250_000n);
    const there = requireResult(await service.call("send_tokens", { to, amount: "1" }, tenant.sandbox));
    expect(there).toMatchObject({ chainId: 5_042_002, sandbox: true });
    expect(await chain.readBalance(to)).toBe(3_250_000n);
  });

  it("have separate idempotency keys: the sandbox's answer does not answer a live call", async () => {
    const to = stranger();
    const key = { "idempotency-key": "tried first" };
    const userId = "user_both";
    const user = async (as: As) => await service.call("send_tokens", { to, amount: "1" }, { ...as, userId }, key);
    for (const as of [tenant.sandbox, tenant.live]) {
      const refused = await user(as);
      expect([refused.body.code, refused.status], "a user of the other environment").toEqual(["invalid_input", 400]);
      const made = await service.send(`/api/travelers/${userId}`, {
        method: "PUT",
        headers: { "content-type": "application/json", authorization: `Bearer ${as.key}` },
        body: JSON.stringify({ preferredLanguage: "en" }),
      });
      expect(made.status, made.text).toBe(201);
    }
    expect(requireResult(await user(tenant.sandbox))).toMatchObject({ chainId: 5_042_002 });
    expect(await chain.readBalance(to)).toBe(0n);
    for (let time = 0; time < 2; time += 1) {
      expect(requireResult(await user(tenant.live))).toMatchObject({ chainId: LIVE_CHAIN_ID });
      expect(await chain.readBalance(to)).toBe(UNIT);
    }
  });

  it("split on the live one through the configured contract, and use the faucet only on the other", async () => {
    const suppliers = stranger();
    const split = requireResult(await service.call("settle_split", { gross: "100", supplier: suppliers }, tenant.live));
    expect(split).toMatchObject({ supplierUsdc: "89.00", commissionUsdc: "10.00", serviceFeeUsdc: "1.00" });
    expect(await chain.readBalance(suppliers)).toBe(89n * UNIT);
    const drip = (as: As) => service.call("faucet_drip", { address: stranger() }, as);
    const refused = await drip(tenant.live);
    expect([refused.status, refused.body.code]).toEqual([500, "chain_not_available"]);
    expect((await drip(tenant.sandbox)).status).toBe(200);
  });

  it("keep their money apart: an empty live wallet cannot spend sandbox money", async () => {
    const poor = await newTenant("Poor");
    const answer = await service.call("send_tokens", { to: stranger(), amount: "1" }, poor.live);
    expect(answer.body).toMatchObject({ code: "insufficient_balance", availableUsdc: "0.00", missingUsdc: "1.00" });
  });

  it("are shown to the operator", async () => {
    const { code, out } = await runChainCommand(service.config, ["status", "--network", "production", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      chainId: LIVE_CHAIN_ID,
      answers: true,
      stoppedBecause: null,
      wallets: expect.arrayContaining([
        expect.objectContaining({ kind: "relayer", gas: expect.stringMatching(/^99\.\d+$/) }),
      ]),
    });
    const sandbox = await runChainCommand(service.config, ["status", "--network", "sandbox", "--json"]);
    expect(JSON.parse(sandbox.out)).toMatchObject({ chainId: 5_042_002, answers: true });
  });
});

describe("a booking with a production key", () => {
  it("is paid on the live chain, to the last micro-unit, and a failed one is not", async () => {
    const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: 60 }).toString();
    const search = { origin: "LHR", destination: "JFK", departureDate };
    const found = requireResult(await service.call("search_flights", search, tenant.live));
    expect(found).toMatchObject({ sandbox: false, sourceLevel: "live" });
    const { offers } = z
      .object({ offers: z.array(z.object({ id: z.string(), totalAmount: z.string() })) })
      .parse(found);
    const [first, second] = offers;
    const profile = {
      givenName: "Ada",
      familyName: "Okafor",
      bornOn: "1990-04-12",
      title: "ms",
      gender: "f",
      email: "ada@example.com",
      phoneNumber: "+447700900123",
    };
    const stored = await service.send("/api/travelers/user_ada", {
      method: "PUT",
      headers: { "content-type": "application/json", authorization: `Bearer ${tenant.live.key}` },
      body: JSON.stringify(profile),
    });
    expect(stored.status, stored.text).toBeLessThan(300);
    const book = (offerId: string | undefined) =>
      service.send("/api/agent/dispatch", {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${tenant.live.key}` },
        body: JSON.stringify({ tenantId: tenant.tenantId, tool: "book_flight", args: { offerId }, userId: "user_ada" }),
      });
    await supplier.arm("POST", "/air/orders", "offer_expired");
    expect((await book(first?.id)).body.code).toBe("offer_expired");
    const booked = requireResult(await book(second?.id));
    expect(booked.chargedUsdc).toBe(second?.totalAmount);
    const captures = async () =>
      await deployment.sql("select hash from chain_transaction where purpose = 'capture' and state = 'confirmed'");
    await expect.poll(async () => (await captures()).length, PATIENCE).toBe(1);
    const hash = z.templateLiteral(["0x", z.string()]).parse((await captures())[0]?.hash);
    expect(await readTransfers(hash)).toEqual([
      {
        from: (await books(tenant.live)).address,
        to: await readCollection("production"),
        value: parseDecimal(second?.totalAmount ?? ""),
      },
    ]);
  });
});

const Usage = z.object({
  records: z.array(
    z.object({ id: z.string(), status: z.string(), priceMicroUsdc: z.string(), settlementTx: z.string().nullable() }),
  ),
});
async function readUsage({ key }: As) {
  const answer = await service.send("/api/usage?limit=100", { headers: { authorization: `Bearer ${key}` } });
  return Usage.parse(answer.body).records;
}
const quote = (as: As) => service.call("quote_fx", { fromCurrency: "EUR", toCurrency: "USDC", amount: 1 }, as);

describe("the usage of production keys", () => {
  it("is paid on the live chain and marked with the transaction, and sandbox usage never is", async () => {
    const payer = await newTenant("Payer");
    const from = await fund(payer, 10n * UNIT);
    for (let call = 0; call < 5; call += 1) expect((await quote(payer.live)).status).toBe(200);
    expect((await quote(payer.sandbox)).status).toBe(200);
    const statuses = async () => new Set((await readUsage(payer.live)).map(({ status }) => status));
    await expect.poll(statuses, PATIENCE).toEqual(new Set(["settled"]));
    const records = await readUsage(payer.live);
    for (const [hash, paid] of Map.groupBy(records, ({ settlementTx }) => settlementTx)) {
      const value = paid.reduce((sum, { priceMicroUsdc }) => sum + BigInt(priceMicroUsdc), 0n);
      const tx = z.templateLiteral(["0x", z.string()]).parse(hash);
      expect(await readTransfers(tx)).toEqual([{ from, to: await readCollection("production"), value }]);
    }
    expect(await readUsage(payer.sandbox)).toEqual([
      expect.objectContaining({ status: "sandbox", settlementTx: null }),
    ]);
    const sum = records.reduce((all, { priceMicroUsdc }) => all + BigInt(priceMicroUsdc), 0n);
    expect(await chain.readBalance(from)).toBe(10n * UNIT - sum);
  });

  it("is owed by a tenant without money, whoever else pays, and paid after a deposit", async () => {
    const [debtor, payer] = [await newTenant("Debtor"), await newTenant("Other payer")];
    const started = await quote(debtor.live);
    expect(started.headers.get("x-service-meter-id")).toMatch(/^use_/);
    await fund(payer, UNIT);
    await quote(payer.live);
    const states = async ({ live }: { live: As }) => new Set((await readUsage(live)).map(({ status }) => status));
    await expect.poll(() => states(payer), PATIENCE).toEqual(new Set(["settled"]));
    expect(await readUsage(debtor.live)).toEqual([
      expect.objectContaining({ status: "unsettled", settlementTx: null, priceMicroUsdc: "1000" }),
    ]);
    const { address } = await books(debtor.live);
    await chain.deposit(address, UNIT);
    await expect.poll(() => states(debtor), PATIENCE).toEqual(new Set(["settled"]));
    expect(await chain.readBalance(address)).toBeLessThan(UNIT);
    expect(formatDecimal(await chain.readBalance(address))).toBe((await books(debtor.live)).balances.USDC);
  });

  it("stays owed if the network refuses the payment, and is paid later", async () => {
    const payer = await newTenant("Blocked payer");
    const from = await fund(payer, UNIT);
    await chain.setBlocked("blacklist", from);
    await quote(payer.live);
    const reverted =
      "select 1 from chain_transaction where purpose = 'usage' and state = 'reverted' and tenant_id = $1";
    await until(async () => (await deployment.sql(reverted, [payer.tenantId])).length > 0 || undefined);
    const before = await chain.readBalance(from);
    await chain.setBlocked("unBlacklist", from);
    const states = async () => new Set((await readUsage(payer.live)).map(({ status }) => status));
    await expect.poll(states, PATIENCE).toEqual(new Set(["settled"]));
    const records = await readUsage(payer.live);
    const sum = records.reduce((all, { priceMicroUsdc }) => all + BigInt(priceMicroUsdc), 0n);
    expect(await chain.readBalance(from)).toBe(UNIT - sum);
    expect(before).toBeGreaterThan(UNIT - sum);
  });

  it("is paid despite many tenants who cannot pay", async () => {
    const [model, payer] = [await newTenant("Model"), await newTenant("Behind them")];
    await quote(model.live);
    // Copies of the first debtor, more than one round handles, that come before all others.
    const copies = (table: string, change: string, where: string) =>
      `insert into ${table} select (jsonb_populate_record(null::${table}, to_jsonb(model) || jsonb_build_object(${change}))).*
      from ${table} as model, generate_series(1, 105) as n where ${where} = $1`;
    await deployment.sql(copies("tenant", "'id', 'tenant_00' || n", "model.id"), [model.tenantId]);
    const record = "'id', 'use_00' || n, 'tenant_id', 'tenant_00' || n, 'call_id', 'call_00' || n";
    await deployment.sql(copies("usage_record", record, "model.tenant_id"), [model.tenantId]);
    await fund(payer, UNIT);
    await quote(payer.live);
    await expect
      .poll(async () => new Set((await readUsage(payer.live)).map(({ status }) => status)), PATIENCE)
      .toEqual(new Set(["settled"]));
    // Otherwise every later round includes them.
    await deployment.sql("delete from usage_record where id like 'use\\_00%'");
  });
});

describe("a network that misbehaves", () => {
  afterEach(() => chain.behave());

  it("is reported as unreachable, and nothing is sent or charged", async () => {
    const stored = () => deployment.sql("select id from chain_transaction where purpose = 'send_tokens'");
    const before = await stored();
    chain.misbehave(() => "500");
    for (const [tool, args] of [
      ["check_treasury", {}],
      ["send_tokens", { to: stranger(), amount: "1" }],
      ["settle_split", { gross: "1", supplier: stranger() }],
    ] as const) {
      const answer = await service.call(tool, args, tenant.live);
      expect([answer.status, answer.body.code, answer.body.retryable]).toEqual([503, "unavailable", true]);
      expect(answer.headers.get("retry-after")).toMatch(/^\d+$/);
      expect(answer.headers.get("x-service-meter-id")).toBeNull();
    }
    expect(await stored()).toEqual(before);
    // The sandbox beside it is not affected.
    expect((await service.call("check_treasury", {}, tenant.sandbox)).status).toBe(200);
  });

  it("and drops the connection after it took a transfer executes the transfer once", async () => {
    const to = stranger();
    chain.misbehave(({ method }) => (method === "eth_sendRawTransaction" ? "dropped" : "pass"));
    const sent = await service.call("send_tokens", { to, amount: "2" }, tenant.live);
    expect(sent.status, sent.text).toBe(200);
    expect(await chain.readBalance(to)).toBe(2n * UNIT);
  });
});

describe("a restart", () => {
  it("finds the same wallets, books and keys", async () => {
    const before = await books(tenant.live);
    await service.stop();
    service = await deployment.start();
    const after = await books(tenant.live);
    expect(after.address).toBe(before.address);
    const status = await runChainCommand(service.config, ["status", "--network", "production", "--json"]);
    expect(JSON.parse(status.out)).toMatchObject({ stoppedBecause: null, difference: { usdc: "0.00", eurc: "0.00" } });
    expect((await service.call("send_tokens", { to: stranger(), amount: "1" }, tenant.live)).status).toBe(200);
  });
});
