// Finds a flight and books it with plain HTTP calls. Start the service with `npm start`, then in another terminal:
//
//   node_modules/.bin/node examples/dispatch.ts [path of quickstart.json]

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

interface Offer {
  id: string;
  totalAmount: string;
  totalCurrency: string;
}
interface Booking {
  pnr: string;
  orderId: string;
  offerId: string;
  totalAmount: string;
}

// Where the service is, and a key for it: `npm start` has written them down.
const quickstart = process.argv[2] ?? resolve(import.meta.dirname, "../.data/quickstart.json");
const { appUrl, apiKey, tenantId } = JSON.parse(readFileSync(quickstart, "utf8"));

/** One call of a tool: its name and its arguments in, its result out. */
async function call<Result>(tool: string, args: object, idempotencyKey?: string): Promise<Result> {
  const response = await fetch(`${appUrl}/api/agent/dispatch`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
    },
    body: JSON.stringify({ tenantId, tool, args }),
  });
  const answer = JSON.parse(await response.text());
  // An error says what to do next, and whether the same call can succeed later.
  assert(answer.ok, `${tool}: ${response.status} ${answer.code}, ${answer.detail}`);
  return answer.result;
}

// Any day: nobody is sold a second ticket for a flight unasked, so a second run had better take another one.
const days = 60 + Math.floor(Math.random() * 200);
const departureDate = Temporal.Now.plainDateISO().add({ days }).toString();
const { offers } = await call<{ offers: Offer[] }>("search_flights", {
  origin: "LHR",
  destination: "JFK",
  departureDate,
});
const [best] = offers;
assert(best !== undefined, "a search that found nothing is an error, so there is an offer");
process.stdout.write(
  `${offers.length} offers for ${departureDate}, the best for ${best.totalAmount} ${best.totalCurrency}\n`,
);

// A key of our own makes the booking safe to repeat: when the answer is lost, send the same call again.
const key = randomUUID();
const booking = await call<Booking>("book_flight", { offerId: best.id }, key);
assert.equal(booking.offerId, best.id);
assert.equal(booking.totalAmount, best.totalAmount);
process.stdout.write(`Booked: PNR ${booking.pnr}, order ${booking.orderId}\n`);

const again = await call<Booking>("book_flight", { offerId: best.id }, key);
assert.equal(again.orderId, booking.orderId);
process.stdout.write("Sent again with the same key: the same order, and nothing more to pay\n");
