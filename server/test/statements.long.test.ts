import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { splitLooks } from "./support/looks.ts";
import { startTestService, type TestService } from "./support/service.ts";
import { startStatementCounter } from "./support/statement-counter.ts";
import { adminUrl } from "./support/test-database.ts";
import {
  bookByScript,
  type Product,
  pollRun,
  prepareTrip,
  startFlightRun,
  startStayRun,
} from "./support/whole-bookings.ts";

/**
 * The most statements that an operation may send to the database, with the work that follows its answer, such as that on the
 * supplier's events, and without looks (`looks.ts`): what `npm run bench:booking` counts and shows with `--list`. A bound is raised only with a reason in the commit.
 */
const MOST: Readonly<Record<string, number>> = {
  "flight run": 188,
  "stay run": 150,
  "poll of a run": 1,
  prefund_trip: 47,
  guest_claim_link: 26,
  read_trip: 6,
  search_flights: 4,
  check_policy: 4,
  preview_call: 22,
  reserve_booking: 17,
  book_flight: 75,
  commit_booking: 30,
  read_order: 5,
  confirm_flight: 15,
  settle_booking: 49,
  generate_booking_invoice: 17,
};
/** Measured again while one is over its bound, and the least counts: a job of the product may run in between. */
const TIMES = 5;
const IDLE_MILLISECONDS = 3_000;
/** The work that follows an answer is over after so long without a statement. */
const CALM_MILLISECONDS = 600;
const MOST_WAITS = 20;
const LOOK_MILLISECONDS = 50;

let counter: Awaited<ReturnType<typeof startStatementCounter>>;
let service: TestService;
let product: Product;
const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: 60 }).toString();

beforeAll(async () => {
  counter = await startStatementCounter(adminUrl());
  vi.stubEnv("TEST_DATABASE_URL", counter.url);
  service = await startTestService();
  vi.unstubAllEnvs();
  await service.isFunded(service.tenantId);
  const { tenantId, apiKey, appUrl } = service;
  product = { port: Number(new URL(appUrl).port), tenantId, apiKey };
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await counter?.close();
});

const LOOK = "select state from workflow_run where id = $1";

it("no operation of a booking asks the database more often than its bound allows", async () => {
  // Later bookings find its connections, plans and traveler.
  const { runId } = await runToEnd(await startFlightRun(product, await prepareTrip(product), departureDate));
  await untilCalm(new Set([LOOK]));
  await delay(IDLE_MILLISECONDS);
  const idleTexts = new Set([LOOK, ...counter.take().byText.keys()]);

  const counted = new Map<string, number>();
  const count = async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    counter.take();
    const result = await work();
    const statements = await untilCalm(idleTexts);
    counted.set(name, Math.min(statements, counted.get(name) ?? statements));
    return result;
  };
  const [wallet] = await service.sql(
    "select address from wallet join chain_network using (network, chain) where kind = 'collection' and network = 'sandbox' and is_home",
  );
  const vendorAddress = String(wallet?.address);
  const findOver = () => [...counted].filter(([name, statements]) => statements > (MOST[name] ?? 0));
  for (let time = 0; time < TIMES && (time === 0 || findOver().length > 0); time += 1) {
    const [flightTrip, stayTrip] = [await prepareTrip(product), await prepareTrip(product)];
    await untilCalm(idleTexts);
    await count("poll of a run", () => pollRun(product, runId));
    await count("flight run", async () => await runToEnd(await startFlightRun(product, flightTrip, departureDate)));
    await count("stay run", async () => await runToEnd(await startStayRun(product, stayTrip)));
    await bookByScript(product, await prepareTrip(product, count), { departureDate, vendorAddress }, count);
  }
  expect(Object.fromEntries(findOver()), "operations over their bounds").toEqual({});
  expect([...counted.keys()].toSorted()).toEqual(Object.keys(MOST).toSorted());
}, 400_000);

/** Returns the number of statements until none comes for a while. */
async function untilCalm(others: ReadonlySet<string>): Promise<number> {
  let counted = 0;
  for (let waits = 0; waits < MOST_WAITS; waits += 1) {
    await delay(CALM_MILLISECONDS);
    const { statements } = splitLooks(counter.take(), others).own;
    if (statements === 0) break;
    counted += statements;
  }
  return counted;
}

async function runToEnd(run: { runId: string }): Promise<{ runId: string }> {
  for (;;) {
    const [found] = await service.sql(LOOK, [run.runId]);
    if (found?.state === "completed") return run;
    expect(found?.state).not.toBe("failed");
    await delay(LOOK_MILLISECONDS);
  }
}
