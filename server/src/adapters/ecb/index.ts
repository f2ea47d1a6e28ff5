import { MICRO_PER_UNIT, parseDecimal } from "../../domain/money.ts";
import { isCalendarDate } from "../../domain/schemas.ts";
import type { HttpClient } from "../../platform/http-client/http-client.ts";
import type { Clock } from "../../ports/clock.ts";
import type { RateSource, RateTable } from "../../ports/fx.ts";
import type { Log } from "../../ports/log.ts";

const TIMEOUT_MILLISECONDS = 5_000;
const FRESH_MILLISECONDS = 3_600_000;
/** After a failure the old table is used for a while, so that a failing source does not slow every quote. */
const RETRY_MILLISECONDS = 60_000;
const MAXIMUM_BYTES = 256 * 1024;

const DAY = /<Cube\s+time=["'](\d{4}-\d{2}-\d{2})["']/;
const END = /<\/(?:\w+:)?Envelope>\s*$/;
const RATE = /<Cube\s+currency=["']([A-Z]{3})["']\s+rate=["']([0-9.]+)["']/g;

/** The daily euro reference rates of the European Central Bank, from its XML file. Falls back to the last table, then to `fallback`. */
export function createEcbRates(options: {
  url: string;
  http: HttpClient;
  fallback: RateSource;
  clock: Clock;
  log: Log;
}): RateSource {
  const { url, http, fallback, clock, log } = options;
  let known: RateTable | undefined;
  let nextReadAt = 0;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    try {
      // Shared by all waiting callers, so that one caller's leaving does not abort it.
      const answer = await http.send({
        method: "GET",
        url,
        timeoutMilliseconds: TIMEOUT_MILLISECONDS,
        maxBytes: MAXIMUM_BYTES,
      });
      if (answer.status !== 200) throw new Error(`the rate source answered ${answer.status}`);
      known = parseRates(answer.body.toString("utf8"));
      nextReadAt = clock.now().epochMilliseconds + FRESH_MILLISECONDS;
    } catch (err) {
      log.warn({ err }, "exchange rates could not be read");
      nextReadAt = clock.now().epochMilliseconds + RETRY_MILLISECONDS;
    } finally {
      reading = undefined;
    }
  }

  return {
    async table(signal) {
      if (clock.now().epochMilliseconds >= nextReadAt) {
        reading ??= read();
        await reading;
      }
      return known ?? fallback.table(signal);
    },
  };
}

/** Throws if the document is malformed: half a table must not count as one. */
function parseRates(document: string): RateTable {
  if (!END.test(document)) throw new Error("the document breaks off");
  const asOf = DAY.exec(document)?.[1];
  const perEuro = new Map([["EUR", MICRO_PER_UNIT]]);
  for (const [, currency = "", text = ""] of document.matchAll(RATE)) {
    const rate = parseDecimal(text);
    if (rate === undefined || rate === 0n) throw new Error(`the rate of ${currency} is no rate`);
    perEuro.set(currency, rate);
  }
  if (asOf === undefined || !isCalendarDate(asOf) || !perEuro.has("USD"))
    throw new Error("the document holds no reference rates");
  const source = "European Central Bank, euro foreign exchange reference rates";
  return { provenance: { source, sourceLevel: "live", asOf }, perEuro };
}
