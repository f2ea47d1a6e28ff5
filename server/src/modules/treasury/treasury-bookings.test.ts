import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import {
  openTreasury,
  requireResult,
  runChainCommand,
  stranger,
  type Treasury,
  UNIT,
} from "../../../test/support/treasury.ts";
import { formatDecimal, parseDecimal } from "../../domain/money.ts";
import type { Hex } from "../../domain/tokens.ts";

/** The effects of bookings on the chain, and what stops and starts money. */
let service: TestService;
let treasury: Treasury;
let own: Hex;
let collection: Hex;
beforeAll(async () => {
  service = await startTestService();
  treasury = openTreasury(service);
  own = await treasury.findTreasury(service.tenantId);
  collection = (await treasury.keys.wallet("sandbox", "collection")).address;
});
afterAll(async () => {
  await treasury.close();
  await service[Symbol.asyncDispose]();
});

const UnknownMovements = z.object({
  toBlock: z.string(),
  movements: z.array(z.object({ transactionHash: z.string() })),
});
const Offers = z.object({ offers: z.array(z.object({ id: z.string(), totalAmount: z.string() })) });
const search = (departureDate = Temporal.Now.plainDateISO("UTC").add({ days: 40 }).toString()) =>
  service.call("search_flights", { origin: "LHR", destination: "JFK", departureDate });
let daysAhead = 40;
async function nextOffer() {
  daysAhead += 1;
  const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: daysAhead }).toString();
  const [offer] = Offers.parse(requireResult(await search(departureDate))).offers;
  if (offer === undefined) throw new Error("there is no offer");
  return offer;
}
const book = (offerId: string, headers = {}) => service.call("book_flight", { offerId }, { headers });
const wallets = async () => ({
  own: await treasury.readBalance(own),
  collection: await treasury.readBalance(collection),
});
const arm = async (path: string, fault: string) => {
  const response = await fetch(`${service.supplierUrl}/_sandbox/scenarios`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ match: { path, method: "POST" }, fault, times: 1, delayMs: 0 }),
  });
  expect(response.ok).toBe(true);
};
const Treasuries = z.object({
  available: z.object({ USDC: z.string() }),
  held: z.object({ USDC: z.string() }),
  outgoing: z.object({ USDC: z.string() }),
  balances: z.object({ USDC: z.string() }),
});
const books = async () => Treasuries.parse(requireResult(await service.call("check_treasury", {})));
const metric = async () => {
  const { text } = await service.send("/metrics", {});
  const line = /^wayfare_ledger_chain_difference_micro\{network="sandbox",token="USDC"\} (.*)$/m.exec(text);
  return Number(line?.[1]);
};

const chain = (...args: string[]) => runChainCommand(service.config, args);
const Status = z.object({
  chainId: z.number(),
  genesisHash: z.string(),
  answers: z.boolean(),
  headBlock: z.string().nullable(),
  indexedBlock: z.string(),
  stoppedBecause: z.string().nullable(),
  difference: z.object({ usdc: z.string(), eurc: z.string() }).nullable(),
  treasuries: z.number(),
  wallets: z.array(z.looseObject({ kind: z.string(), address: z.string() })),
  openTransactions: z.object({ queued: z.number(), signed: z.number(), oldest: z.string().nullable() }),
});
const openOrders = () => service.sql("select 1 from chain_transaction where state in ('queued', 'signed')");
const stoppedBecause = async () =>
  (await service.sql("select stopped_because from chain_network where is_home"))[0]?.stopped_because;
const status = async () => Status.parse(JSON.parse((await chain("status", "--network", "sandbox", "--json")).out));

describe("a booking", () => {
  it("moves exactly its charge from the tenant's wallet to the collection account", async () => {
    const { id, totalAmount } = await nextOffer();
    const before = await wallets();
    const booked = requireResult(await book(id));
    const charged = parseDecimal(String(booked.chargedUsdc)) ?? 0n;
    expect(booked.chargedUsdc).toBe(totalAmount);
    expect(charged).toBeGreaterThan(0n);
    await expect.poll(wallets).toEqual({ own: before.own - charged, collection: before.collection + charged });
    await expect.poll(books).toEqual({
      available: { USDC: formatDecimal(before.own - charged) },
      held: { USDC: "0.00" },
      outgoing: { USDC: "0.00" },
      balances: { USDC: formatDecimal(before.own - charged) },
    });
    // A repetition is the same booking, and takes nothing more.
    const again = await book(id);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await wallets()).toEqual({ own: before.own - charged, collection: before.collection + charged });
    expect(await service.sql("select 1 from chain_transaction where purpose = 'capture'")).toHaveLength(1);
  });

  it.each(["offer_expired", "price_changed"])("that fails as %s moves nothing", async (fault) => {
    const { id } = await nextOffer();
    const before = [await wallets(), await books()];
    await arm("/air/orders", fault);
    const answer = await book(id);
    expect([answer.status, answer.body.code]).toEqual([500, fault]);
    expect([await wallets(), await books()]).toEqual(before);
    expect(await service.sql("select 1 from chain_transaction where purpose = 'capture'")).toHaveLength(1);
  });

  it.each([
    ["not_enabled", "provider_unavailable", "has not enabled this product"],
    ["numeric_code", "booking_rejected", "refused the booking. Nothing was booked"],
  ])(
    "that the supplier refuses as %s moves nothing and says so; a search that it refuses so, too",
    async (fault, code, words) => {
      const { id } = await nextOffer();
      const before = [await wallets(), await books()];
      await arm("/air/orders", fault);
      const answer = await book(id);
      expect([answer.status, answer.body.code, answer.body.detail]).toEqual([
        500,
        code,
        expect.stringContaining(words),
      ]);
      expect([await wallets(), await books()]).toEqual(before);
      await arm("/air/offer_requests", fault);
      const found = await search();
      expect([found.status, found.body.code]).toEqual([500, "provider_unavailable"]);
      expect((await search()).status).toBe(200);
    },
  );

  it("with an unknown outcome at the airline holds its money until the supplier was asked; a search is refused", async () => {
    const { id } = await nextOffer();
    const before = [await wallets(), await books()];
    await arm("/air/offer_requests", "airline_unknown");
    const found = await search();
    expect([found.status, found.body.code, found.body.retryable]).toEqual([500, "provider_unavailable", true]);
    await arm("/air/orders", "airline_unknown");
    const answer = await book(id);
    expect([answer.status, answer.body.code]).toEqual([500, "outcome_unknown"]);
    expect(answer.text).not.toContain("nothing was");
    expect(parseDecimal((await books()).held.USDC)).toBeGreaterThan(0n);
    // The look-up after the quiet time finds no order.
    await service.sql("update booking set quiet_until = now() - interval '1 second' where offer_id = $1", [id]);
    await expect.poll(async () => [await wallets(), await books()]).toEqual(before);
  });

  it("that the wallet does not cover is refused with the missing amount", async () => {
    const { id, totalAmount } = await nextOffer();
    const price = parseDecimal(totalAmount) ?? 0n;
    const left = price - 1n;
    const available = parseDecimal((await books()).available.USDC) ?? 0n;
    const away = stranger();
    await service.call("send_tokens", { to: away, amount: formatDecimal(available - left) });
    const answer = await book(id);
    expect([answer.status, answer.body.code, answer.body.missingUsdc]).toEqual([
      500,
      "insufficient_balance",
      "0.000001",
    ]);
    expect(await treasury.readBalance(own)).toBe(left);
    // A deposit from outside brings more than is missing.
    expect((await service.call("faucet_drip", { address: own })).status).toBe(200);
    expect((await book(id)).status).toBe(200);
    await expect.poll(() => treasury.readBalance(own)).toBe(left + 20n * UNIT - price);
  });
});

describe("money that leaves a wallet outside of the service", () => {
  it("stops money until an operator has recorded it and resumes", async () => {
    // Earlier operations have ended.
    await expect.poll(openOrders).toEqual([]);
    expect(await status()).toMatchObject({ answers: true, stoppedBecause: null, difference: { usdc: "0.00" } });
    const offer = await nextOffer();
    const [thief, friend] = [stranger(), stranger()];
    const keyed = { "idempotency-key": "stopped" };
    const before = await treasury.readBalance(own);
    const hash = await treasury.steal(service.tenantId, thief, UNIT);
    await expect.poll(stoppedBecause).toContain(hash);
    expect((await status()).stoppedBecause).toContain(hash);
    await expect.poll(metric).toBe(1_000_000);

    const refused = { code: "settlement_stopped", retryable: true };
    for (const answer of [
      await service.call("send_tokens", { to: friend, amount: "0.1" }, { headers: keyed }),
      await service.call("settle_split", { gross: "0.1", supplier: stranger() }),
      await service.call("faucet_drip", { address: stranger() }),
      await book(offer.id, { "idempotency-key": "stopped-booking" }),
    ]) {
      expect([answer.status, answer.body], answer.text).toEqual([500, expect.objectContaining(refused)]);
    }
    expect(await service.sql("select 1 from booking where offer_id = $1", [offer.id])).toEqual([]);
    // Calls that move no money continue, and an earlier booking is still reported.
    expect((await service.call("check_treasury", {})).status).toBe(200);
    expect(await openOrders()).toEqual([]);

    const text = (await chain("status", "--network", "sandbox")).out;
    expect(text).toMatch(/STANDS STILL: Money left a wallet/);
    expect(text).toMatch(/difference +1\.00 USDC, 0\.00 EURC/);
    // Resumed without an inspection, it stops again.
    const early = await chain("resume", "--network", "sandbox");
    expect(early.out).toContain("still disagree, by 1.00 USDC");
    await expect.poll(stoppedBecause).not.toBeNull();

    const again = await treasury.steal(service.tenantId, thief, UNIT);
    const unknown = async () => {
      const { out } = await chain("unknown", "--network", "sandbox", "--from-block", "0", "--json");
      return UnknownMovements.parse(JSON.parse(out));
    };
    const listed = await unknown();
    expect(listed.movements.map(({ transactionHash }) => transactionHash)).toEqual([hash, again]);
    const accepted = await chain("accept", "--network", "sandbox", hash, "--json");
    expect(JSON.parse(accepted.out)).toMatchObject({ movements: [{ token: "USDC", from: own, amount: "1.00" }] });
    // Exactly the listed movements, without those recorded meanwhile.
    const range = ["--from-block", "0", "--to-block", listed.toBlock];
    const rest = await chain("accept-unknown", "--network", "sandbox", ...range, "--json");
    expect(JSON.parse(rest.out)).toEqual({ network: "sandbox", accepted: 1, refused: [] });
    expect((await unknown()).movements).toEqual([]);
    // An earlier comparison would stop it once more.
    await expect.poll(metric).toBe(0);
    expect((await chain("resume", "--network", "sandbox")).out).toBe("Payments on the sandbox network have resumed.\n");
    expect((await chain("resume", "--network", "sandbox")).out).toBe(
      "Payments on the sandbox network were not stopped.\n",
    );
    expect((await status()).stoppedBecause).toBeNull();
    expect((await books()).balances.USDC).toBe(formatDecimal(before - 2n * UNIT));
    expect((await books()).available.USDC).toBe(formatDecimal(before - 2n * UNIT));
    // The refusals were not stored under their keys.
    const sent = await service.call("send_tokens", { to: friend, amount: "0.1" }, { headers: keyed });
    expect([sent.status, sent.headers.get("idempotent-replayed")]).toEqual([200, null]);
    expect((await book(offer.id, { "idempotency-key": "stopped-booking" })).body.code).toBe("insufficient_balance");
    const audited = await service.sql("select action, actor from audit_log where action like 'chain.%' order by id");
    expect(audited).toEqual([
      { action: "chain.stop", actor: "job:chain" },
      { action: "chain.resume", actor: "command" },
      { action: "chain.stop", actor: "job:chain" },
      { action: "chain.accept", actor: "command" },
      { action: "chain.accept", actor: "command" },
      { action: "chain.resume", actor: "command" },
    ]);
  });
});

describe("npm run chain", () => {
  it("shows where the service's money is", async () => {
    const found = await status();
    const { genesisHash } = found;
    const [network] = await service.sql("select genesis_hash, chain_id::int from chain_network where is_home");
    expect(network).toEqual({ genesis_hash: genesisHash, chain_id: 5_042_002 });
    expect(BigInt(found.headBlock ?? "0")).toBeGreaterThanOrEqual(BigInt(found.indexedBlock));
    expect(found.wallets.map(({ kind }) => kind).toSorted()).toEqual(["collection", "relayer"]);
    expect(found.wallets).toContainEqual({
      kind: "collection",
      address: collection,
      usdc: formatDecimal(await treasury.readBalance(collection)),
      eurc: "0.00",
      gas: "0.00",
    });
    const relayer = found.wallets.find(({ kind }) => kind === "relayer");
    expect(Number(relayer?.gas)).toBeGreaterThan(9_000);
    expect(found).toMatchObject({ treasuries: 1, openTransactions: { queued: 0, signed: 0, oldest: null } });
    const text = (await chain("status", "--network", "sandbox")).out;
    expect(text).toMatch(/money +moves/);
  });

  it("shows a tenant's deposit address and its ledger balance", async () => {
    const { available } = await books();
    const { out } = await chain("treasury", "--network", "sandbox", service.tenantId, "--json");
    expect(JSON.parse(out)).toEqual({
      network: "sandbox",
      tenantId: service.tenantId,
      address: own,
      balances: [
        { token: "USDC", available: available.USDC, held: "0.00", outgoing: "0.00" },
        { token: "EURC", available: "100000.00", held: "0.00", outgoing: "0.00" },
      ],
    });
    expect((await chain("treasury", "--network", "sandbox", service.tenantId)).out).toContain(own);
  });

  it.each<[string[], number, RegExp]>([
    [["status"], 2, /--network is missing/],
    [["status", "--network", "live"], 2, /sandbox or production/],
    [["status", "--network", "production"], 1, /no production network yet/],
    [["treasury", "--network", "sandbox", "tenant_none"], 1, /There is no tenant tenant_none/],
    [["accept", "--network", "sandbox"], 2, /<transactionHash> is missing/],
    [["accept", "--network", "sandbox", "0x12"], 2, /64 hexadecimal digits/],
    [["accept", "--network", "sandbox", `0x${"a".repeat(64)}`], 1, /is in no confirmed block/],
    [["resum"], 2, /Did you mean resume/],
  ])("%j is answered with what is wrong", async (args, code, message) => {
    const outcome = await chain(...args);
    expect(outcome.error).toMatch(message);
    expect([outcome.code, outcome.out]).toEqual([code, ""]);
  });

  it("does not record the service's own transactions as a stranger's", async () => {
    const [row] = await service.sql("select hash from chain_transaction where purpose = 'capture'");
    const outcome = await chain("accept", "--network", "sandbox", String(row?.hash));
    expect([outcome.code, outcome.error]).toEqual([1, expect.stringMatching(/one of the service's own/)]);
  });
});
