import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { z } from "zod";
import { type Buyer, createBuyer, decode, encode } from "../../../test/support/paid.ts";
import { createProbes } from "../../../test/support/probe-tools.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import type { Tool } from "../../kernel/tool.ts";

/** What a flood of refused, failing or unknown callers causes beyond this process, and who is not held up by it. */

const PER_PAYER = 6;
const PER_ADDRESS = 15;
const REFUSALS = 5;
const FLOOD = 40;

const probes = createProbes();
const [probeRead] = probes.tools;
if (probeRead === undefined) throw new Error("There is no probe.");
const open: Tool = { ...probeRead, name: "probe_open", payableWithoutKey: true };
const secret: Tool = { ...open, name: "probe_secret", answerIsKept: false };

/** Stands still, so that the buckets fill when a test says so. */
let instant = Temporal.Now.instant();
/** Questions to the chain about payments. */
const asked = { chain: 0 };
const LookUp = z.object({ name: z.literal("authenticate-keys"), values: z.tuple([z.array(z.string())]) });
/** Hashes of keys that were looked up in the database. */
let keysLookedUp: () => readonly string[];

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
        networks({ sandbox }) {
          if (sandbox === undefined) return {};
          const { verifier } = sandbox;
          const verify: typeof verifier.verify = (payment, terms) => {
            asked.chain += 1;
            return verifier.verify(payment, terms);
          };
          return { sandbox: { ...sandbox, verifier: { ...verifier, verify } } };
        },
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
});

const validBefore = () => String(Math.floor(Date.now() / 1000) + 36_000);
const sign = (tool = "probe_open") => buyer.sign(tool, { authorization: { validBefore: validBefore() } });
const from = (address: string) => ({ "x-forwarded-for": address });

const Signed = z.looseObject({ payload: z.looseObject({ authorization: z.looseObject({}), signature: z.string() }) });

/** The payment of somebody who does not exist, or of `payer`, with a signature of nobody. */
async function forge(payer = `0x${randomBytes(20).toString("hex")}`): Promise<string> {
  const signed = Signed.parse(decode(await sign()));
  const { authorization } = signed.payload;
  const signature = `0x${randomBytes(64).toString("hex")}1b`;
  return encode({ ...signed, payload: { authorization: { ...authorization, from: payer }, signature } });
}

async function flood(
  signatures: readonly string[],
  text: string,
  headersOf: (index: number) => Record<string, string>,
) {
  const answers = await Promise.all(
    signatures.map((signature, index) =>
      buyer.post("probe_open", { text, mood: "fail" }, { "payment-signature": signature, ...headersOf(index) }),
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
  const forged = await Promise.all(Array.from({ length: FLOOD }, () => forge(buyer.address)));
  const { ofStatus } = await flood(forged, "forged", (index) => from(`203.0.113.${index % 4}`));
  expect([ofStatus(402), ofStatus(429)]).toEqual([4 * REFUSALS, FLOOD - 4 * REFUSALS]);
  expect(asked.chain).toBe(4 * REFUSALS);
  const headers = { "payment-signature": await sign(), ...from("203.0.113.200") };
  expect((await buyer.post("probe_open", { text: "honest" }, headers)).status).toBe(200);
});

it("an address that sends garbage under many names is told to wait; who has paid before is not held up beside it", async () => {
  const forged = await Promise.all(Array.from({ length: FLOOD }, () => forge()));
  const { ofStatus } = await flood(forged, "garbage", () => from("203.0.114.1"));
  expect([ofStatus(402), ofStatus(429)]).toEqual([REFUSALS, FLOOD - REFUSALS]);
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
  const unknown = Array.from({ length: FLOOD }, () => `ak_${randomBytes(20).toString("hex")}`);
  const statuses = (await Promise.all(unknown.map((key) => search(key)))).map(({ status }) => status);
  expect(statuses.filter((status) => status === 401)).toHaveLength(REFUSALS);
  expect(statuses.filter((status) => status === 429)).toHaveLength(FLOOD - REFUSALS);
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
  const hashOf = (answer: { body: unknown }) => settlementTx.parse(answer.body).payment.settlementTx;
  instant = instant.add({ minutes: 14 });
  expect((await buy("probe_open", kept)).body).toMatchObject({ result: { text: "probe_open" } });
  instant = instant.add({ minutes: 2 });
  const late = await buy("probe_open", kept);
  expect(late.status).toBe(402);
  expect(late.body).toMatchObject({ code: "payment_invalid", reason: "invalid_transaction_state" });
  expect(late.body).toMatchObject({ serviceReason: "authorization_already_used" });
  expect(late.body.receipt).toMatchObject(receipt(hashOf(bought)));
  expect(late.body).not.toHaveProperty("result");

  const document = await sign("probe_secret");
  const read = await buy("probe_secret", document);
  expect(read.body).toMatchObject({ result: { text: "probe_secret" } });
  const copied = await buy("probe_secret", document);
  expect(copied.status).toBe(402);
  expect(copied.body.receipt).toMatchObject(receipt(hashOf(read)));
  expect(probes.runs("probe_secret")).toBe(1);
  const stored = await service.sql("select result::text from payment where tool = 'probe_secret'");
  expect(stored).toEqual([{ result: "null" }]);
});
