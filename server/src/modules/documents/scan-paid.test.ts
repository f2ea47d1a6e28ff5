import { afterAll, beforeAll, expect, it } from "vitest";
import { buildScan, createFakeScanner, passportFields } from "../../../test/support/fake-scanner.ts";
import { type Buyer, createBuyer } from "../../../test/support/paid.ts";
import { searchDatabase } from "../../../test/support/search-database.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import { DocumentRefused } from "./document-scanner.ts";

/** Scans paid one by one, without a key. */

const fake = createFakeScanner();
/** Stands still, so that the limits fill only when a test advances it. */
let instant = Temporal.Now.instant();
const PER_PAYER = 90;
const PER_ADDRESS = 110;

let service: TestService;
let buyer: Buyer;
beforeAll(async () => {
  service = await startTestService(
    {
      UNSETTLED_PER_PAYER_MINUTE: String(PER_PAYER),
      UNSETTLED_PER_ADDRESS_MINUTE: String(PER_ADDRESS),
      TRUSTED_PROXIES: "127.0.0.0/8, ::1",
    },
    { clock: { now: () => instant }, decorate: { documentScanner: () => fake.scanner } },
  );
  buyer = createBuyer(service);
});
afterAll(() => service?.[Symbol.asyncDispose]());

const longValid = () => ({ authorization: { validBefore: String(Math.floor(Date.now() / 1000) + 3_600) } });
const DATA = Buffer.from("a document").toString("base64");
const pay = (args: object, headers = {}) => buyer.pay("scan_document", { data: DATA, ...args }, longValid(), headers);

it("the answer comes once, and only its receipt is stored", async () => {
  fake.says(buildScan({ merchantName: "Unforgettable Inn", invoiceNumber: "UNF-4711" }));
  const headers = { "payment-signature": await buyer.sign("scan_document", longValid()) };
  const args = { kind: "receipt", data: DATA };
  const before = fake.requests.length;
  const first = await buyer.post("scan_document", args, headers);
  expect([first.status, first.body.result], first.text).toEqual([200, expect.objectContaining({ needsReview: false })]);
  expect(first.text).toContain("Unforgettable Inn");
  const again = await buyer.post("scan_document", args, headers);
  expect(again.status).toBe(402);
  expect(again.body.receipt).toBeDefined();
  expect(again.text).not.toContain("Unforgettable");
  expect(fake.requests.length - before).toBe(1);
  for (const text of ["Unforgettable", "UNF-4711", DATA]) expect(await searchDatabase(service, text)).toEqual([]);
});

it("a passport gets no scanId, as there is no profile to fill, and nothing is stored", async () => {
  fake.says(buildScan({ ...passportFields("AB7100001"), issuedOn: "2023-09-15" }));
  const { status, body, text } = await pay({ kind: "id_document" });
  expect([status, body.result], text).toEqual([200, expect.not.objectContaining({ scanId: expect.anything() })]);
  expect(text).not.toContain("AB7100001");
  expect(await service.sql("select 1 from document_scan")).toEqual([]);
});

it("one document of a payer is read at once, two wait, and a payer that sends more must wait", async () => {
  instant = instant.add({ minutes: 2 });
  const release = Promise.withResolvers<void>();
  let [running, most] = [0, 0];
  fake.answers(async () => {
    running += 1;
    most = Math.max(most, running);
    await release.promise;
    running -= 1;
    return buildScan({});
  });
  const first = pay({ kind: "receipt" });
  await expect.poll(() => running).toBe(1);
  const others = Array.from({ length: 3 }, () => pay({ kind: "receipt" }));
  // The others cannot end before the first one.
  const refused = await Promise.race(others);
  expect([refused.status, refused.body.code, refused.body.retryable]).toEqual([429, "rate_limited", true]);
  release.resolve();
  const statuses = (await Promise.all([first, ...others])).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([200, 200, 200, 429]);
  expect(most).toBe(1);
});

it("failed scans cost the service more than others, so a payer and an address have few of them", async () => {
  instant = instant.add({ minutes: 2 });
  fake.answers(() => Promise.reject(new DocumentRefused("document_damaged")));
  const before = fake.requests.length;
  const from = { "x-forwarded-for": "198.51.100.1" };
  const codes: unknown[] = [];
  for (let attempt = 0; attempt < 5; attempt += 1) codes.push((await pay({ kind: "receipt" }, from)).body.code);
  // Each counts as 20 of a payer's 90.
  expect(codes).toEqual([...Array(4).fill("document_damaged"), "rate_limited"]);
  expect(fake.requests.length - before).toBe(4);
  // These used 100 of an address's 110, so the next one is refused unread, whoever pays.
  const unread = await buyer.post("scan_document", {}, { ...from, "payment-signature": "nothing" });
  expect([unread.status, unread.body.code]).toEqual([429, "rate_limited"]);
  instant = instant.add({ minutes: 2 });
  fake.says(buildScan({}));
  // Control: paid scans do not count.
  for (let attempt = 0; attempt < 7; attempt += 1) expect((await pay({ kind: "receipt" }, from)).status).toBe(200);
});
