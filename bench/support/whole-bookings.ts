import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { outputSchemas } from "../../server/src/contributions.ts";
import type { ToolMap } from "../../server/src/modules/index.ts";

/** service.book_flight as a run, and as a plain script that makes the same calls. */
export interface Product {
  port: number;
  tenantId: string;
  apiKey: string;
}

const POLL_MILLISECONDS = 100;
const Answered = z.object({ result: z.unknown() });
const Run = z.object({ runId: z.string(), status: z.string(), failure: z.unknown() });

const ROUTE = { origin: "LHR", destination: "CDG", cabinClass: "economy", passengers: 1 } as const;

async function post({ port, apiKey }: Product, path: string, body: object): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${apiKey}`,
      "idempotency-key": randomBytes(12).toString("hex"),
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${text}`);
  return JSON.parse(text);
}

async function call<Name extends keyof ToolMap>(
  product: Product,
  tool: Name,
  args: ToolMap[Name]["input"],
): Promise<ToolMap[Name]["output"]> {
  const answer = await post(product, "/api/agent/dispatch", { tenantId: product.tenantId, tool, args });
  return outputSchemas[tool].parse(Answered.parse(answer).result);
}

/** A trip that is funded and claimed. */
export async function prepareTrip(product: Product): Promise<string> {
  const { tripId, guestLink, codeNonce } = await call(product, "prefund_trip", { budgetUsdc: "700" });
  const guestWallet = `0x${randomBytes(20).toString("hex")}`;
  await call(product, "guest_claim_link", { guestLink, codeNonce, guestWallet });
  return tripId;
}

export async function bookByRun(product: Product, tripId: string, departureDate: string): Promise<void> {
  const { passengers, ...route } = ROUTE;
  const input = { tripId, ...route, passengers, departureDate };
  let run = Run.parse(await post(product, "/api/workflows/run", { workflowId: "service.book_flight", input }));
  while (run.status === "running" || run.status === "paused") {
    await delay(POLL_MILLISECONDS);
    const response = await fetch(`http://127.0.0.1:${product.port}/api/workflows/runs/${run.runId}`, {
      headers: { authorization: `Bearer ${product.apiKey}` },
    });
    run = Run.parse(await response.json());
  }
  if (run.status !== "completed") throw new Error(`${run.runId} is ${run.status}: ${JSON.stringify(run.failure)}`);
}

export async function bookByScript(
  product: Product,
  tripId: string,
  { departureDate, vendorAddress }: { departureDate: string; vendorAddress: string },
): Promise<void> {
  const ask = <Name extends keyof ToolMap>(tool: Name, args: ToolMap[Name]["input"]) => call(product, tool, args);
  await ask("read_trip", { tripId });
  const { offers } = await ask("search_flights", { ...ROUTE, departureDate });
  const [offer] = offers;
  if (offer === undefined) throw new Error("No flight was found.");
  const durationHours = Math.max(...offer.slices.map(({ durationMinutes }) => durationMinutes)) / 60;
  const judged = { priceUsd: Number(offer.totalAmount), durationHours, cabin: ROUTE.cabinClass };
  const carrierIata = offer.slices[0]?.segments[0]?.carrier ?? "";
  await ask("check_policy", { policyId: "default-corp", offer: { kind: "flight", ...judged, carrierIata } });
  const booking = { offerId: offer.id, additionalCustomerUserIds: [] };
  await ask("preview_call", { tool: "book_flight", args: booking });
  const upperBoundUsdc = (Math.ceil(Number(offer.totalAmount) * 105) / 100).toFixed(2);
  const { bookingId } = await ask("reserve_booking", { tripId, upperBoundUsdc });
  const booked = await ask("book_flight", booking);
  const { chargedUsdc: vendorAmountUsdc, itineraryHash } = booked;
  if (itineraryHash === null) throw new Error("The booking has no hash.");
  await ask("commit_booking", { bookingId, vendorAmountUsdc, itineraryHash, vendorAddress });
  let order = await ask("read_order", { orderId: booked.orderId });
  while (order.ticketOrderHash === null) {
    await delay(POLL_MILLISECONDS);
    order = await ask("read_order", { orderId: booked.orderId });
  }
  await ask("confirm_flight", { bookingId, ticketOrderHash: order.ticketOrderHash });
  await ask("settle_booking", { bookingId });
  await ask("generate_booking_invoice", { bookingId });
}
