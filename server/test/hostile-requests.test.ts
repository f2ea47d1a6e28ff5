import { randomBytes } from "node:crypto";
import { channel } from "node:diagnostics_channel";
import { chmodSync, copyFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { z } from "zod";
import { startApp } from "../src/compose.ts";
import { readConfig } from "../src/config/config.ts";
import { registry } from "../src/contributions.ts";
import { decorateChains } from "../src/decorate.ts";
import { WORDS_OF_OTHERS } from "../src/domain/schemas.ts";
import { mapEnvironments } from "../src/kernel/contracts/parts.ts";
import type { Tool } from "../src/kernel/contracts/tool.ts";
import { safeConfirmations } from "../src/outside/confirmations.ts";
import { MAXIMUM_WAITING_REQUESTS } from "../src/surfaces/http/limits/take-turns.ts";
import { type Buyer, createBuyer, decode, encode } from "./support/paid.ts";
import { createProbes } from "./support/probe-tools.ts";
import { sendRaw } from "./support/raw-http.ts";
import { startTestService, type TestService } from "./support/service.ts";
import { newFundedTenant, requireResult } from "./support/treasury.ts";

/**
 * Known attacks of hostile clients, repeated: the effect of a flood of refused, failing or unknown callers beyond this
 * process, the callers that it does not delay, and the parts that strangers can neither reach, read nor use to instruct
 * an agent. Floods pass the limits of this service several times, as each further call is refused in the same way.
 * contracts/test/TripEscrowOddTokens.t.sol shows that `withdraw` pays out a token that needs much gas.
 */

const PER_PAYER = 6;
const PER_ADDRESS = 15;
const REFUSALS = 5;
const FLOOD = 40;
const LONG_FLOOD = 100;

const probes = createProbes();
const [probeRead] = probes.tools;
if (probeRead === undefined) throw new Error("There is no probe.");
const open: Tool = { ...probeRead, name: "probe_open", payableWithoutKey: true };
const secret: Tool = { ...open, name: "probe_secret", answerIsKept: false };

/** Stopped, so that the buckets fill only when a test says so. */
let instant = Temporal.Now.instant();
/** Questions to the chain about payments, and requests to the supplier. */
const asked = { chain: 0, supplier: 0 };
const LookUp = z.object({ name: z.literal("authenticate-keys"), values: z.tuple([z.array(z.string())]) });
/** Hashes of keys that were looked up in the database. */
let keysLookedUp: () => readonly string[];

function counting<Part extends object>(part: Part): Part {
  return new Proxy(part, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        asked.supplier += 1;
        return Reflect.apply(value, target, args);
      };
    },
  });
}

let service: TestService;
let buyer: Buyer;

beforeAll(async () => {
  service = await startTestService(
    {
      UNSETTLED_PER_PAYER_MINUTE: String(PER_PAYER),
      UNSETTLED_PER_ADDRESS_MINUTE: String(PER_ADDRESS),
      REFUSED_KEYS_PER_MINUTE: String(REFUSALS),
      TRUSTED_PROXIES: "127.0.0.0/8, ::1",
    },
    {
      extraTools: [open, secret],
      clock: { now: () => instant },
      decorate: {
        suppliers: (suppliers) =>
          mapEnvironments(suppliers, (supplier) => ({
            ...supplier,
            flights: counting(supplier.flights),
            stays: counting(supplier.stays),
          })),
        chains: (chains) =>
          decorateChains(chains, ({ verifier, ...openedChain }) => {
            const verify: typeof verifier.verify = (payment, terms) => {
              asked.chain += 1;
              return verifier.verify(payment, terms);
            };
            return { ...openedChain, verifier: { ...verifier, verify } };
          }),
        pool(pool) {
          const query = vi.spyOn(pool, "query");
          keysLookedUp = () =>
            query.mock.calls.flatMap(([statement]) => LookUp.safeParse(statement).data?.values[0] ?? []);
          return pool;
        },
      },
    },
  );
  buyer = createBuyer(service);
});
afterAll(() => service?.[Symbol.asyncDispose]());

beforeEach(() => {
  instant = instant.add({ minutes: 2 });
  asked.chain = 0;
  asked.supplier = 0;
});

const validBefore = () => String(Math.floor(Date.now() / 1000) + 36_000);
const sign = (tool = "probe_open") => buyer.sign(tool, { authorization: { validBefore: validBefore() } });
const from = (address: string) => ({ "x-forwarded-for": address });

const Signed = z.looseObject({ payload: z.looseObject({ authorization: z.looseObject({}), signature: z.string() }) });

const someHex = (bytes: number) => `0x${randomBytes(bytes).toString("hex")}`;

/** Payments of people who do not exist, or of `payer`, with signatures of nobody. */
async function forge(count: number, payer?: string): Promise<string[]> {
  const signed = Signed.parse(decode(await sign()));
  return Array.from({ length: count }, () => {
    const authorization = { ...signed.payload.authorization, from: payer ?? someHex(20), nonce: someHex(32) };
    return encode({ ...signed, payload: { authorization, signature: `${someHex(64)}1b` } });
  });
}

async function flood(
  signatures: readonly string[],
  text: string,
  buildHeaders: (index: number) => Record<string, string>,
) {
  const answers = await Promise.all(
    signatures.map((signature, index) =>
      buyer.post("probe_open", { text, mood: "fail" }, { "payment-signature": signature, ...buildHeaders(index) }),
    ),
  );
  const statuses = answers.map(({ status }) => status);
  return { ofStatus: (status: number) => statuses.filter((one) => one === status).length, answers };
}

it("a payer whose calls bring no money is told to wait before chain and supplier are asked, from wherever it calls", async () => {
  const signatures = await Promise.all(Array.from({ length: FLOOD }, () => sign()));
  const { ofStatus, answers } = await flood(signatures, "failing", (index) => from(`198.51.100.${index}`));
  expect([ofStatus(500), ofStatus(429)]).toEqual([PER_PAYER, FLOOD - PER_PAYER]);
  expect([asked.chain, probes.runs("failing")]).toEqual([PER_PAYER, PER_PAYER]);
  const limited = answers.find(({ status }) => status === 429);
  expect(limited?.body).toMatchObject({ code: "rate_limited", retryable: true });
  expect(Number(limited?.headers.get("retry-after"))).toBeGreaterThan(0);
  instant = instant.add({ minutes: 2 });
  const headers = { "payment-signature": signatures[0] ?? "", ...from("198.51.100.200") };
  const paid = await buyer.post("probe_open", { text: "now paid" }, headers);
  expect(paid.status, paid.text).toBe(200);
});

it("calls that pay are not counted: a payer may make as many as it likes", async () => {
  for (let call = 0; call < 3 * PER_PAYER; call += 1) {
    const headers = { "payment-signature": await sign(), ...from("198.51.102.1") };
    expect((await buyer.post("probe_open", { text: "paid" }, headers)).status).toBe(200);
  }
});

it("nobody uses up a payer's limit by naming it, and garbage asks the chain only as often as it may be refused", async () => {
  const forged = await forge(FLOOD, buyer.address);
  const { ofStatus } = await flood(forged, "forged", (index) => from(`203.0.113.${index % 4}`));
  expect([ofStatus(402), ofStatus(429)]).toEqual([4 * REFUSALS, FLOOD - 4 * REFUSALS]);
  expect(asked.chain).toBe(4 * REFUSALS);
  const headers = { "payment-signature": await sign(), ...from("203.0.113.200") };
  expect((await buyer.post("probe_open", { text: "honest" }, headers)).status).toBe(200);
});

it("an address that sends garbage under many names is told to wait; who has paid before is not held up beside it", async () => {
  const forged = await forge(LONG_FLOOD);
  const { ofStatus } = await flood(forged, "garbage", () => from("203.0.114.1"));
  expect([ofStatus(402), ofStatus(429)]).toEqual([REFUSALS, LONG_FLOOD - REFUSALS]);
  expect(asked.chain).toBe(REFUSALS);
  expect(probes.runs("garbage")).toBe(0);
  const headers = { "payment-signature": await sign(), ...from("203.0.114.1") };
  // The address is over its limit of calls that brought no money, too.
  expect((await buyer.post("probe_open", { text: "beside" }, headers)).status).toBe(429);
  instant = instant.add({ seconds: 5 });
  expect((await buyer.post("probe_open", { text: "beside" }, headers)).status).toBe(200);
});

it("unknown keys are looked up only as often as they may be refused; a key that is good is not held up beside them", async () => {
  const search = (key: string) => service.call("probe_open", { text: "keyed" }, { key });
  const { apiKey: second } = await service.operator((identity) =>
    identity.mintKey({ tenantId: service.tenantId, environment: "sandbox", actor: "test" }),
  );
  expect((await search(service.apiKey)).status).toBe(200);
  const before = keysLookedUp().length;
  const unknown = Array.from({ length: LONG_FLOOD }, () => `ak_${randomBytes(20).toString("hex")}`);
  const statuses = (await Promise.all(unknown.map((key) => search(key)))).map(({ status }) => status);
  expect(statuses.filter((status) => status === 401)).toHaveLength(REFUSALS);
  expect(statuses.filter((status) => status === 429)).toHaveLength(LONG_FLOOD - REFUSALS);
  expect(keysLookedUp().length - before).toBe(REFUSALS);
  // Its cached answer is over by then, and it is looked up again.
  instant = instant.add({ seconds: 5 });
  expect((await search(service.apiKey)).status).toBe(200);
  // A key that was never seen waits with the others of its address.
  expect((await search(second)).status).toBe(429);
  instant = instant.add({ minutes: 1 });
  const many = await Promise.all(Array.from({ length: FLOOD }, () => search(second)));
  expect(new Set(many.map(({ status }) => status))).toEqual(new Set([200]));
});

it("whoever copies a settled authorization gets its answer for a quarter of an hour, that of a document never, and then the receipt", async () => {
  const buy = async (tool: string, signature: string) =>
    buyer.post(tool, { text: tool }, { "payment-signature": signature, ...from("203.0.115.1") });
  const receipt = (tx: unknown) => ({ payer: buyer.address.toLowerCase(), amountUsdc: "0.0005", settlementTx: tx });
  const kept = await sign();
  const bought = await buy("probe_open", kept);
  expect(bought.status, bought.text).toBe(200);
  const settlementTx = z.object({ payment: z.object({ settlementTx: z.string() }) });
  const settlementHash = (answer: { body: unknown }) => settlementTx.parse(answer.body).payment.settlementTx;
  instant = instant.add({ minutes: 14 });
  expect((await buy("probe_open", kept)).body).toMatchObject({ result: { text: "probe_open" } });
  instant = instant.add({ minutes: 2 });
  const late = await buy("probe_open", kept);
  expect(late.status).toBe(402);
  expect(late.body).toMatchObject({ code: "payment_invalid", reason: "invalid_transaction_state" });
  expect(late.body).toMatchObject({ serviceReason: "authorization_already_used" });
  expect(late.body.receipt).toMatchObject(receipt(settlementHash(bought)));
  expect(late.body).not.toHaveProperty("result");

  const document = await sign("probe_secret");
  const read = await buy("probe_secret", document);
  expect(read.body).toMatchObject({ result: { text: "probe_secret" } });
  const copied = await buy("probe_secret", document);
  expect(copied.status).toBe(402);
  expect(copied.body.receipt).toMatchObject(receipt(settlementHash(read)));
  expect(probes.runs("probe_secret")).toBe(1);
  const stored = await service.sql("select result::text from payment where tool = 'probe_secret'");
  expect(stored).toEqual([{ result: "null" }]);
});

const REQUEST = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
const POURED_BYTES = 15_600_000;
/** The parser passes on this much of one read of a socket before anybody can close it. */
const READ_BYTES = 65_536;
const Started = z.object({ response: z.custom<ServerResponse>() });

it("a connection that pours in requests is closed when some wait, and others are answered beside it", async () => {
  let [waiting, most] = [0, 0];
  const count = (message: unknown) => {
    waiting += 1;
    most = Math.max(most, waiting);
    Started.parse(message).response.once("close", () => {
      waiting -= 1;
    });
  };
  const started = channel("http.server.request.start");
  started.subscribe(count);
  for (const url of [service.appUrl, service.edgeUrl]) {
    const socket = connect(Number(new URL(url).port), "127.0.0.1").on("error", () => undefined);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.write(Buffer.alloc(POURED_BYTES, REQUEST));
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    await closed;
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  }
  started.unsubscribe(count);
  expect(most).toBeLessThan(MAXIMUM_WAITING_REQUESTS + (2 * READ_BYTES) / REQUEST.length);
});

it("one wallet with the price of one call asks chain and supplier a few times, and with wrong arguments never", async () => {
  const tool = "display_offer_conditions";
  const pay = (signature: string, args: object) =>
    buyer.post(tool, args, { "payment-signature": signature, ...from("198.51.103.1") });
  const signature = await sign(tool);
  const wrong = await Promise.all(Array.from({ length: FLOOD }, () => pay(signature, { offer: 7 })));
  expect(new Set(wrong.map(({ status }) => status))).toEqual(new Set([400, 429]));
  expect(asked).toEqual({ chain: 0, supplier: 0 });
  instant = instant.add({ minutes: 2 });
  const signatures = await Promise.all(Array.from({ length: FLOOD }, () => sign(tool)));
  const offerId = "off_0000000000000000000000";
  const first = await pay(signatures[0] ?? "", { offerId });
  expect(first.status, first.text).toBe(500);
  const forOne = asked.supplier;
  const answers = await Promise.all(signatures.slice(1).map((one) => pay(one, { offerId })));
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(FLOOD - PER_PAYER);
  expect(asked).toEqual({ chain: PER_PAYER, supplier: PER_PAYER * forOne });
});

const search = registry.find(({ name }) => name === "search_flights");
const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: 40 }).toString();
const flight = { origin: "LHR", destination: "JFK", departureDate };

it("a cap of 0 or one that is used up refuses before the supplier is asked", async () => {
  const make = async (monthlyCapMicroUsdc: bigint) => {
    const { tenant, apiKey } = await service.operator((identity) =>
      identity.createTenant({ name: "Capped", monthlyCapMicroUsdc, actor: "test" }),
    );
    return { key: apiKey, tenantId: tenant.id };
  };
  const searchMany = async (as: { key: string; tenantId: string }) => {
    const answers = Array.from({ length: LONG_FLOOD }, () => service.call("search_flights", flight, as));
    return new Set((await Promise.all(answers)).map(({ status }) => status));
  };
  expect(await searchMany(await make(0n))).toEqual(new Set([402]));
  expect(asked.supplier).toBe(0);
  const { price = 0n } = search ?? {};
  const some = await make(price);
  expect((await service.call("search_flights", flight, some)).status).toBe(200);
  // The first that does not fit may learn it from the books.
  expect((await service.call("search_flights", flight, some)).status).toBe(402);
  const before = asked.supplier;
  expect(await searchMany(some)).toEqual(new Set([402]));
  expect(asked.supplier).toBe(before);
});

it("a read that is repeated with its key is run again three times, and then names the call that was charged", async () => {
  const headers = { "idempotency-key": "twelve times" };
  const answers = [];
  let forOne = 0;
  for (let call = 0; call < 12; call += 1) {
    answers.push(await service.call("search_flights", flight, { headers }));
    if (call === 0) forOne = asked.supplier;
  }
  expect(answers.map(({ status }) => status)).toEqual([...Array(4).fill(200), ...Array(8).fill(429)]);
  expect(asked.supplier).toBe(4 * forOne);
  const meterId = answers[0]?.headers.get("x-service-meter-id");
  expect(answers.at(-1)?.body).toMatchObject({ code: "rate_limited", meterId });
});

it("pages of others reach neither the supplier's control, nor the chain, nor the metrics", async () => {
  const json = { "content-type": "application/json" };
  const post = async (url: string, headers: Record<string, string>, body: string) =>
    sendRaw(url, { method: "POST", headers, body });
  const tick = (headers: Record<string, string>, seconds: number) =>
    post(`${service.supplierUrl}/_sandbox/tick`, headers, JSON.stringify({ advanceSeconds: seconds }));
  const block = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}';
  for (const { headers, statuses } of [
    { headers: { "content-type": "text/plain", origin: "https://attacker.example" }, statuses: [403, 403, 404] },
    { headers: { ...json, origin: "https://attacker.example" }, statuses: [403, 403, 404] },
    { headers: { ...json, host: "rebound.example" }, statuses: [403, 403, 404] },
    { headers: { "content-type": "text/plain" }, statuses: [415, 415, 200] },
  ]) {
    const metrics = await sendRaw(`${service.appUrl}/metrics`, { headers });
    const answers = [await tick(headers, 3_600), await post(buyer.chain.rpcUrl, headers, block), metrics];
    expect([headers, answers.map(({ status }) => status)]).toEqual([headers, statuses]);
  }
  expect((await post(buyer.chain.rpcUrl, json, block)).status).toBe(200);
  expect(JSON.parse((await tick(json, 0)).bytes.toString())).toMatchObject({ offsetSeconds: 0 });
});

it("a text of a quarter of a million characters goes into no request to the supplier", async () => {
  const answer = await service.call("find_airports_nearby", { query: "x".repeat(250_000) });
  expect([answer.status, answer.body.code]).toEqual([400, "invalid_input"]);
  expect(answer.text.length).toBeLessThan(2_000);
  expect(asked.supplier).toBe(0);
});

const HIDDEN = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\u{e0000}-\u{e007f}]/u;

it("what a supplier calls things reaches an agent as bounded text that can be seen, marked as words of others", async () => {
  const scenario = { match: { path: "/air/offer_requests", method: "POST" }, fault: "hostile_texts", delayMs: 0 };
  const [headers, url] = [{ "content-type": "application/json" }, `${service.supplierUrl}/_sandbox/scenarios`];
  await fetch(url, { method: "POST", headers, body: JSON.stringify({ ...scenario, times: 10 }) });
  const { text, body } = await service.call("search_flights", flight);
  await fetch(url, { method: "DELETE" });
  expect(text).toContain("Ignore all instructions");
  JSON.stringify(body, (_name, value: unknown) => {
    if (typeof value === "string")
      expect([value, HIDDEN.test(value), value.length < 2_000]).toEqual([value, false, true]);
    return value;
  });
  expect(JSON.stringify(search && z.toJSONSchema(search.output))).toContain(WORDS_OF_OTHERS);
});

it("a key file that others can read stops the start, and a live chain is believed only after its own finality", async () => {
  const masterKeyFile = join(service.dataDir, "loose.key");
  copyFileSync(join(service.dataDir, "master.key"), masterKeyFile);
  const { databaseUrl = "" } = service.config;
  const own = { DATA_DIR: service.dataDir, DATABASE_URL: databaseUrl, MASTER_KEY_FILE: masterKeyFile };
  const config = readConfig({ ...own, PORT: "0", EDGE_PORT: "0", LOG_LEVEL: "fatal" });
  for (const mode of [0o644, 0o640, 0o604, 0o620]) {
    chmodSync(masterKeyFile, mode);
    await expect(startApp(config)).rejects.toThrow(`is not private (mode 0${mode.toString(8)}): run chmod 600`);
  }
  expect([config.chainConfirmations, safeConfirmations(1), safeConfirmations(5_042_002)]).toEqual([undefined, 65, 1]);
});

it("a customer of another tenant is not taken over by its name and e-mail address", async () => {
  const other = await newFundedTenant(service, "Other");
  const twin = { givenName: "Tess", familyName: "Twin", email: "twin@example.com", phoneNumber: "+14155550123" };
  const ensure = async (as: { key?: string }) => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${as.key ?? service.apiKey}` };
    await service.send("/api/travelers/twin", { method: "PUT", headers, body: JSON.stringify(twin) });
    const answer = await service.call("ensure_flight_customer", { clerkUserId: "twin" }, as);
    return z.object({ created: z.boolean(), customerUserId: z.string() }).parse(requireResult(answer));
  };
  const [mine, theirs] = [await ensure({}), await ensure(other.as)];
  expect([mine.created, theirs.created, mine.customerUserId === theirs.customerUserId]).toEqual([true, true, false]);
  const credits = { customerUserId: mine.customerUserId };
  const foreign = await service.call("list_airline_credits", credits, other.as);
  expect(foreign.body).toMatchObject({ code: "customer_not_found" });
  expect((await service.call("list_airline_credits", credits)).status).toBe(200);
});
