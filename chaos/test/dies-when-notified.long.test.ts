import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { outputSchemas } from "../../server/src/contributions.ts";
import { type MailServer, startMailServer } from "../../server/test/support/mail-server.ts";
import { UNLIMITED_CALLS } from "../src/area.ts";
import { type CallRequest, isFinal } from "../src/call.ts";
import { armFaults, COMMIT_TIMEOUT_MILLISECONDS } from "../src/calls/faults.ts";
import { createTravelers, userIds } from "../src/calls/travelers.ts";
import type { Client } from "../src/client.ts";
import { createDeployment, type Deployment, SERVICE } from "../src/deployment.ts";
import { createHistory } from "../src/history.ts";
import { prepareTenants } from "../src/prepare-tenants.ts";

/** Only there to end a test that hangs. */
const LONG = 600_000;
const NOTIFIED_WITHIN_MILLISECONDS = 120_000;
const LOOK_MILLISECONDS = 200;
/** A booking rests so long before its look-up: well beyond the answer of the supplier that comes too late. */
const QUIET_MILLISECONDS = 5_000;
const GUEST = "guest@example.com";

let mails: MailServer;
let deployment: Deployment;
let client: Client;

beforeAll(async () => {
  mails = await startMailServer();
  deployment = await createDeployment({
    environment: {
      ...UNLIMITED_CALLS,
      SMTP_URL: `${mails.url}?tls=optional`,
      MAIL_FROM: "Wayfare <trips@example.com>",
      SANDBOX_COMMIT_TIMEOUT_MS: String(COMMIT_TIMEOUT_MILLISECONDS),
      SANDBOX_QUIET_MS: String(QUIET_MILLISECONDS),
    },
    edge: undefined,
    broken: undefined,
    keep: false,
  });
  await deployment.untilReady(AbortSignal.timeout(LONG));
  [{ client }] = await prepareTenants(deployment, createHistory(), []);
  await createTravelers(client);
}, LONG);
afterAll(async () => {
  await deployment?.destroy();
  await mails?.[Symbol.asyncDispose]();
}, LONG);

/** Makes the call while the service dies at the notification, before its work, and returns once it is back. */
async function callAndDie(topic: string, request: CallRequest): Promise<void> {
  const died = deployment.dieWhenNotified(topic, AbortSignal.timeout(NOTIFIED_WITHIN_MILLISECONDS));
  // Its answer may be lost.
  await client.call(request, AbortSignal.timeout(NOTIFIED_WITHIN_MILLISECONDS)).catch(() => undefined);
  expect(await died).toEqual([SERVICE]);
  await deployment.untilReady(AbortSignal.timeout(LONG));
}

async function until(isTrue: () => Promise<boolean> | boolean): Promise<void> {
  for (const deadline = AbortSignal.timeout(NOTIFIED_WITHIN_MILLISECONDS); !(await isTrue()); ) {
    deadline.throwIfAborted();
    await delay(LOOK_MILLISECONDS);
  }
}

/** Asks again as long as the answer says so. */
async function ask(request: CallRequest): Promise<unknown> {
  const deadline = AbortSignal.timeout(NOTIFIED_WITHIN_MILLISECONDS);
  for (;;) {
    const answer = await client.call(request, deadline);
    if (answer.kind === "ok") return answer.result;
    if (isFinal(answer)) throw new Error(`${request.tool}: ${JSON.stringify(answer)}`);
    deadline.throwIfAborted();
    await delay(LOOK_MILLISECONDS);
  }
}

it(
  "between a stored message and its sending: the guest gets one mail",
  async () => {
    await callAndDie("message", {
      tool: "prefund_trip",
      args: { budgetUsdc: "20", guestEmail: GUEST },
      key: "message",
    });
    await until(() => mails.received.length > 0);
    await until(async () => (await deployment.query("select 1 from message where state = 'sent'")).length === 1);
    expect(mails.received.map(({ to }) => to)).toEqual([[GUEST]]);
  },
  LONG,
);

it(
  "between a booking that was left and its look-up: the supplier has one order, and the call that asks again gets it",
  async () => {
    const [userId] = userIds;
    const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: 60 }).toString();
    const route = { origin: "LHR", destination: "CDG", departureDate, cabinClass: "economy", passengers: 1 };
    const { offers } = outputSchemas.search_flights.parse(await ask({ tool: "search_flights", args: route, userId }));
    const offerId = offers[0]?.id ?? "";
    const booking = { tool: "book_flight", args: { offerId }, userId, key: "booking" };
    const match = { path: "/air/orders", method: "POST" };
    const late = { match, fault: "late_effect", times: 1, delayMs: COMMIT_TIMEOUT_MILLISECONDS + 500 };
    await armFaults(deployment.quickstart().supplierUrl, [late]);
    await callAndDie("booking", booking);
    await until(async () => (await deployment.query("select 1 from booking where state = 'booked'")).length === 1);
    const { orderId } = outputSchemas.book_flight.parse(await ask(booking));
    const orders = await deployment.querySupplier("select id from orders");
    expect(orders).toEqual([{ id: orderId }]);
  },
  LONG,
);
