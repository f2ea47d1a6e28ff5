import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { sendMcp } from "../../../test/support/mcp.ts";
import { type Answer, type ScriptedServer, startScriptedServer } from "../../../test/support/scripted-server.ts";
import { isSignedBy, startTestService, type TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult } from "../../../test/support/treasury.ts";
import { createEmbeddedFx } from "../../adapters/embedded-fx/index.ts";
import { formatDecimal, parseDecimal } from "../../domain/money.ts";
import type { RateTable } from "../../ports/fx.ts";
import { convert, warnOfOldRate } from "./convert.ts";

const GOOD = `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
  <gesmes:subject>Reference rates</gesmes:subject><Cube><Cube time='2026-11-19'>
    <Cube currency='USD' rate='2'/><Cube currency='GBP' rate='0.5'/><Cube currency='JPY' rate='150.25'/>
  </Cube></Cube></gesmes:Envelope>`;

let service: TestService;
let table: RateTable;
beforeAll(async () => {
  service = await openSharedService();
  table = await createEmbeddedFx().table(new AbortController().signal);
});
afterAll(() => service[Symbol.asyncDispose]());

const quote = (args: unknown) => service.call("quote_fx", args);
const gbp = { fromCurrency: "GBP", toCurrency: "USDC", amount: 250 };

describe("quote_fx", () => {
  it.each([
    ["over a weekend", "2026-07-03", "2026-07-07T12:00:00Z", false],
    ["over a long weekend", "2026-04-02", "2026-04-07T15:00:00Z", false],
    ["when newer ones must be out", "2026-07-06", "2026-07-10T12:00:00Z", true],
  ])("warns of an old rate: %s", (_when, asOf, now, warns) => {
    expect(warnOfOldRate(asOf, Temporal.Instant.from(now)) !== undefined).toBe(warns);
  });

  it("converts at the embedded rates, with their date and source", async () => {
    const answer = await quote(gbp);
    expect(requireResult(answer)).toEqual({
      fromCurrency: "GBP",
      toCurrency: "USDC",
      amount: "250.00",
      // 1.1415 / 0.85538, and 250 times as much, both truncated.
      rate: "1.33449461",
      converted: "333.623652",
      assumptions: ["1 USDC = 1 USD"],
      source:
        "European Central Bank, euro foreign exchange reference rates of 2026-07-06: a fixed table that comes with the service",
      sourceLevel: "embedded",
      asOf: "2026-07-06",
      warning: expect.stringContaining("2026-07-06"),
    });
    expect(answer.body.priceMicroUsdc).toBe("1000");
    expect(isSignedBy(answer, service.signingSecret)).toBe(true);
    const overMcp = await sendMcp(service, "tools/call", { name: "quote_fx", arguments: gbp });
    expect(overMcp.body.result).toMatchObject({ structuredContent: requireResult(answer) });
  });

  it.each([
    ["EUR", "EURC", 1, "1", "1.00"],
    ["USDC", "USD", 0.000001, "1", "0.000001"],
    ["EURC", "USDC", 10.5, "1.1415", "11.98575"],
    ["usd", "EURC", 1, "0.87604029", "0.87604"],
    ["JPY", "USD", 0.000001, "0.00615994", "0.00"],
    ["KRW", "EURC", 1, "0.00057217", "0.000572"],
    ["GBP", "USD", 1e20, "1.33449461", "133449461058243120016.834623"],
  ] as const)("of %s in %s for %d", async (fromCurrency, toCurrency, amount, rate, converted) => {
    expect(requireResult(await quote({ fromCurrency, toCurrency, amount }))).toMatchObject({ rate, converted });
  });

  it("counts in integers, rounds down, and a round trip never gains", () => {
    const codes = [...table.perEuro.keys()];
    const cases = fc.tuple(
      fc.constantFrom(...codes, "USDC", "EURC"),
      fc.constantFrom("USDC", "USD", "EURC"),
      fc.bigInt({ min: 1n, max: 10n ** 24n }),
    );
    const perEuro = (code: string) => table.perEuro.get(code === "USDC" ? "USD" : code === "EURC" ? "EUR" : code) ?? 0n;
    fc.assert(
      fc.property(cases, ([from, to, amount]) => {
        const there = convert(table, amount, from, to);
        if (there === undefined) throw new Error("every one of them has a rate");
        // The largest integer not above amount × to / from.
        expect(there.converted * perEuro(from) <= amount * perEuro(to)).toBe(true);
        expect((there.converted + 1n) * perEuro(from) > amount * perEuro(to)).toBe(true);
        expect((convert(table, there.converted, to, from)?.converted ?? 0n) <= amount).toBe(true);
        const [whole = "", places = ""] = there.rate.split(".");
        const rate = BigInt(whole + places.padEnd(8, "0"));
        expect(rate * perEuro(from) <= 10n ** 8n * perEuro(to)).toBe(true);
        expect((rate + 1n) * perEuro(from) > 10n ** 8n * perEuro(to)).toBe(true);
      }),
    );
  });

  it("agrees with its own arithmetic over the surface", async () => {
    for (const amount of [0.1, 0.7, 1.005, 123_456.789, 9_007_199_254.740993]) {
      const { converted } = requireResult(await quote({ ...gbp, amount }));
      const micro = parseDecimal(String(amount)) ?? 0n;
      expect(converted).toBe(
        formatDecimal((micro * (table.perEuro.get("USD") ?? 0n)) / (table.perEuro.get("GBP") ?? 1n)),
      );
    }
  });

  it("names a similar currency for one without a rate, and lists all", async () => {
    const answer = await quote({ ...gbp, fromCurrency: "GBX" });
    expect([answer.status, answer.body.code, answer.body.retryable]).toEqual([500, "rate_not_available", false]);
    expect(answer.body.near).toBe("GBP");
    expect((await quote({ ...gbp, fromCurrency: "MAD" })).body.near).toBeUndefined();
    const { currencies } = z.object({ currencies: z.array(z.string()) }).parse(answer.body);
    expect(currencies).toEqual(expect.arrayContaining(["USDC", "EURC", "EUR", "USD", "CHF"]));
    expect(answer.headers.get("x-service-meter-id")).toBeNull();
    expect((await quote({ ...gbp, fromCurrency: "XAU" })).body.code).toBe("rate_not_available");
  });

  it("refuses invalid amounts and currencies", async () => {
    const bad: [string, Record<string, unknown>][] = [
      ...[0, -1, 1e30, 1e-7, 1.1234567, 1e21, "5", null].map((amount): [string, Record<string, unknown>] => [
        "amount",
        { amount },
      ]),
      ...["", "EU", "EUROS", "E1R", "€", "../", "ＥＵＲ", 7].map((fromCurrency): [string, Record<string, unknown>] => [
        "fromCurrency",
        { fromCurrency },
      ]),
      ["toCurrency", { toCurrency: "EUR" }],
      ["toCurrency", { toCurrency: "usdc" }],
    ];
    for (const [path, change] of bad) {
      const answer = await quote({ ...gbp, ...change });
      expect([answer.status, answer.body.code], JSON.stringify(change)).toEqual([400, "invalid_input"]);
      expect(answer.body.issues, JSON.stringify(change)).toEqual([expect.objectContaining({ path })]);
    }
  });
});

describe("rates of a configured source", () => {
  const live = { sourceLevel: "live", asOf: "2026-11-19" };
  const fallback = { sourceLevel: "embedded", asOf: "2026-07-06" };
  const embedded = { ...fallback, converted: "333.623652" };

  /** One service for every source: each has its own path behind a shared clock that is moved on. */
  let source: ScriptedServer;
  let answer: Answer;
  let asked: TestService;
  let hours = 0;
  beforeAll(async () => {
    source = await startScriptedServer(() => answer);
    const clock = { now: () => Temporal.Now.instant().add({ hours }) };
    asked = await startTestService({ FX_RATES_URL: `${source.url}/eurofxref-daily.xml` }, { clock });
  });
  afterAll(async () => {
    await asked[Symbol.asyncDispose]();
    await source.close();
  });
  const ask = async (next: Answer) => {
    answer = next;
    hours += 2;
    return requireResult(await asked.call("quote_fx", gbp));
  };
  const page = (text: string): Answer => ({ status: 200, text, headers: { "content-type": "text/xml" } });

  it.each<[string, Answer]>([
    ["answers 500", { status: 500, text: GOOD }],
    ["answers with a web page", page("<html><body>Scheduled maintenance 2026</body></html>")],
    ["breaks off in the middle", { truncated: GOOD.slice(0, 400) }],
    ["drops the connection", "reset"],
    ["lacks the dollar", page(GOOD.replace("currency='USD'", "currency='XXX'"))],
    ["lacks its day", page(GOOD.replace("time='2026-11-19'", ""))],
    ["has a day that is none", page(GOOD.replace("2026-11-19", "2026-13-45"))],
    ["has a rate of zero", page(GOOD.replace("rate='0.5'", "rate='0'"))],
    ["has a rate that is none", page(GOOD.replace("rate='0.5'", "rate='0.5.1'"))],
    ["has half a table", page(GOOD.slice(0, GOOD.indexOf("<Cube currency='GBP'")))],
    ["redirects", { status: 302, headers: { location: "/elsewhere" } }],
  ])("one that %s is not believed: the embedded rates answer and say so", async (_what, bad) => {
    expect(await ask(bad)).toMatchObject(embedded);
  });

  it("are used when the source answers, and requested once an hour", async () => {
    // A source that was too slow once is asked again, two hours later each time.
    await expect.poll(() => ask(page(GOOD))).toMatchObject({ ...live, rate: "4", converted: "1000.00" });
    const before = source.requests.length;
    await Promise.all(Array.from({ length: 5 }, () => asked.call("quote_fx", gbp)));
    expect(source.requests.length).toBe(before);
    expect(source.requests.at(-1)).toMatchObject({ method: "GET", path: "/eurofxref-daily.xml" });
  });

  it("stay, with their date, when the source fails later", async () => {
    expect(await ask({ status: 503, text: "" })).toMatchObject({ ...live, converted: "1000.00" });
    const newer = page(GOOD.replace("2026-11-19", "2026-11-20").replace("rate='2'", "rate='3'"));
    await expect.poll(() => ask(newer)).toMatchObject({ asOf: "2026-11-20", converted: "1500.00" });
  });

  it("do not delay callers for a source that never answers", async () => {
    // It is given up after a while, and not asked again immediately.
    expect(await ask("hang")).toMatchObject({ asOf: "2026-11-20", converted: "1500.00" });
    const before = source.requests.length;
    await asked.call("quote_fx", gbp);
    expect(source.requests.length).toBe(before);
  });
});
