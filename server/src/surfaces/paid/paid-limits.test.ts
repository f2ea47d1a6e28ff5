import { afterAll, beforeAll, expect, it } from "vitest";
import { type Buyer, createBuyer } from "../../../test/support/paid.ts";
import { createProbes } from "../../../test/support/probe-tools.ts";
import { sendRaw } from "../../../test/support/raw-http.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import type { Tool } from "../../kernel/contracts/tool.ts";

/** Limits on unpaid requests and invalid payments, and the answers to pages and to probes of other methods. */

const [probeRead] = createProbes().tools;
if (probeRead === undefined) throw new Error("There is no probe.");
const open: Tool = { ...probeRead, name: "probe_open", payableWithoutKey: true };

const METRICS_TOKEN = "m".repeat(32);

let service: TestService;
let buyer: Buyer;

beforeAll(async () => {
  service = await startTestService(
    { METRICS_TOKEN, UNPAID_PER_MINUTE: "40", REFUSED_KEYS_PER_MINUTE: "5", TRUSTED_PROXIES: "127.0.0.0/8, ::1" },
    { extraTools: [open], clock: { now: () => instant } },
  );
  buyer = createBuyer(service);
});
afterAll(() => service?.[Symbol.asyncDispose]());

/** The service's clock is ahead of real time by then. */
const longValid = () => ({ authorization: { validBefore: String(Math.floor(Date.now() / 1000) + 3_600) } });

/** Stopped, so that the buckets fill only when a test says so. */
let instant = Temporal.Now.instant();

it("asking for prices is free up to a limit, which does not delay paying", async () => {
  const signature = await buyer.sign("probe_open");
  const answers = await Promise.all(Array.from({ length: 45 }, () => buyer.post("probe_open", {})));
  const limited = answers.filter(({ status }) => status === 429);
  expect(limited).toHaveLength(6);
  expect(limited[0]?.body).toMatchObject({ code: "rate_limited", retryable: true });
  expect(Number(limited[0]?.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(limited[0]?.headers.get("access-control-allow-origin")).toBe("*");
  const paid = await buyer.post("probe_open", { text: "x" }, { "payment-signature": signature });
  expect(paid.status, paid.text).toBe(200);
  instant = instant.add({ minutes: 2 });
  expect((await buyer.post("probe_open", {})).status).toBe(402);
});

it("refused payments are limited as strictly as refused keys", async () => {
  instant = instant.add({ minutes: 2 });
  const tries = [];
  for (let attempt = 0; attempt < 7; attempt += 1) {
    tries.push((await buyer.post("probe_open", {}, { "payment-signature": "nothing" })).status);
  }
  expect(tries).toEqual([400, 400, 400, 400, 400, 429, 429]);
  const key = { authorization: `Bearer ak_${"x".repeat(40)}` };
  expect((await buyer.post("probe_open", {}, key)).status).toBe(429);
  expect((await buyer.post("probe_open", {})).status).toBe(402);
});

it("a probe by GET or HEAD learns the price and buys nothing", async () => {
  instant = instant.add({ minutes: 2 });
  for (const method of ["GET", "HEAD"]) {
    const answer = await fetch(buyer.toolUrl("probe_open"), { method });
    expect(answer.status).toBe(402);
    expect(answer.headers.get("payment-required")).not.toBeNull();
    expect(answer.headers.get("cache-control")).toBe("no-store");
  }
  const headers = { "payment-signature": await buyer.sign("probe_open", longValid()) };
  expect((await fetch(buyer.toolUrl("probe_open"), { headers })).status).toBe(404);
  const paid = await buyer.post("probe_open", { text: "x" }, headers);
  expect(paid.status, paid.text).toBe(200);
});

it("a misspelled tool gets the right name, before anything is paid", async () => {
  for (const method of ["GET", "POST"]) {
    const answer = await fetch(buyer.toolUrl("serch_flights"), { method });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({
      code: "tool_not_found",
      detail: expect.stringContaining("search_flights"),
    });
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  }
});

it("pages of any origin may pay, with the official client's requests", async () => {
  const preflight = await fetch(buyer.toolUrl("probe_open"), {
    method: "OPTIONS",
    headers: {
      origin: "https://shop.example",
      "access-control-request-method": "POST",
      "access-control-request-headers": "access-control-expose-headers,content-type,payment-signature",
    },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
  const allowed = preflight.headers.get("access-control-allow-headers")?.split(", ");
  expect(allowed).toEqual(
    expect.arrayContaining(["content-type", "authorization", "payment-signature", "access-control-expose-headers"]),
  );
  const exposed = (await buyer.post("probe_open", {})).headers.get("access-control-expose-headers")?.split(", ");
  expect(exposed).toEqual(expect.arrayContaining(["payment-required", "payment-response", "x-service-sig"]));
});

it("a body that is too large is refused before the authorization is used", async () => {
  const headers = { "payment-signature": await buyer.sign("probe_open", longValid()) };
  const large = await buyer.post("probe_open", { text: "x".repeat(300_000) }, headers);
  expect(large.status).toBe(413);
  expect(large.body.code).toBe("too_large");
  expect((await buyer.post("probe_open", { text: "small" }, headers)).status).toBe(200);
});

it("behind a trusted proxy each client has its own limit, whatever it writes itself", async () => {
  instant = instant.add({ minutes: 2 });
  const refusals = async (forwardedFor: (attempt: number) => string) => {
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 6; attempt += 1) {
      const headers = { "payment-signature": "nothing", "x-forwarded-for": forwardedFor(attempt) };
      statuses.push((await buyer.post("probe_open", {}, headers)).status);
    }
    return statuses;
  };
  const limited = [400, 400, 400, 400, 400, 429];
  expect(await refusals(() => "198.51.100.1")).toEqual(limited);
  expect(await refusals((attempt) => `203.0.113.${attempt}, 198.51.100.2`)).toEqual(limited);
  // Control: this is what distinguishes them.
  expect(await refusals((attempt) => `198.51.101.${attempt}`)).toEqual(Array(6).fill(400));
});

it("what only this machine may see is hidden from clients of a trusted proxy", async () => {
  const metrics = async (headers: Record<string, string>) => {
    const { status } = await sendRaw(`${service.appUrl}/metrics`, { headers });
    return status;
  };
  expect(await metrics({})).toBe(200);
  expect(await metrics({ "x-forwarded-for": "198.51.100.1" })).toBe(404);
  expect(await metrics({ "x-forwarded-for": "127.0.0.1, 198.51.100.1" })).toBe(404);
  expect(await metrics({ origin: "https://attacker.example" })).toBe(404);
  expect(await metrics({ host: "rebound.example" })).toBe(404);
  expect(await metrics({ origin: service.appUrl })).toBe(200);
});

it("metrics are shown to other machines with the token only, and say what runs and what the operator's wallets hold", async () => {
  const ask = async (authorization?: string) => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    return await fetch(`${service.appUrl}/metrics`, { headers: { ...headers, "x-forwarded-for": "192.0.2.1" } });
  };
  for (const wrong of [undefined, "Bearer", `Bearer ${METRICS_TOKEN}x`, `Basic ${METRICS_TOKEN}`]) {
    expect((await ask(wrong)).status).toBe(404);
  }
  const answer = await ask(`Bearer ${METRICS_TOKEN}`);
  expect(answer.status).toBe(200);
  const text = await answer.text();
  expect(text).toMatch(/^wayfare_build_info\{version="[\d.]+",node="26[\d.]+"\} 1$/m);
  expect(text).toMatch(/^wayfare_database_connections\{state="used"\} \d+$/m);
  await expect
    .poll(async () => await (await ask(`Bearer ${METRICS_TOKEN}`)).text(), { timeout: 20_000 })
    .toMatch(/^wayfare_relayer_gas\{network="sandbox".*\} [\d.e+]+$/m);
  const funds = await (await ask(`Bearer ${METRICS_TOKEN}`)).text();
  expect(funds).toMatch(/^wayfare_operator_balance\{network="sandbox",.*holder="collection",token="USDC"\} [\d.e+]+$/m);
});
