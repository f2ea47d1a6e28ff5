import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { outputSchemas } from "../../src/contributions.ts";
import type { ToolMap } from "../../src/modules/index.ts";

/** service.book_flight as a run, and as a plain script that makes the same calls. */
export interface Product {
  port: number;
  tenantId: string;
  apiKey: string;
}

const POLL_MILLISECONDS = 100;
const Answered = z.object({ result: z.unknown() });
const Run = z.object({ runId: z.string(), status: z.string(), updatedAt: z.string(), failure: z.unknown() });

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

/** Wraps each call of a tool, for example to measure it. */
type Around = <Result>(tool: string, work: () => Promise<Result>) => Promise<Result>;
const directly: Around = (_tool, work) => work();

/** A trip that is funded and claimed. */
export async function prepareTrip(product: Product, around: Around = directly): Promise<string> {
  const { tripId, guestLink, codeNonce } = await around("prefund_trip", () =>
    call(product, "prefund_trip", { budgetUsdc: "700" }),
  );
  const guestWallet = `0x${randomBytes(20).toString("hex")}`;
  await around("guest_claim_link", () => call(product, "guest_claim_link", { guestLink, codeNonce, guestWallet }));
  return tripId;
}

export async function bookByRun(product: Product, tripId: string, departureDate: string): Promise<void> {
  let run = await startFlightRun(product, tripId, departureDate);
  while (run.status === "running" || run.status === "paused") {
    run = await waitForChange(product, run);
  }
  if (run.status !== "completed") throw new Error(`${run.runId} is ${run.status}: ${JSON.stringify(run.failure)}`);
}

export const startFlightRun = (product: Product, tripId: string, departureDate: string) =>
  startRun(product, "service.book_flight", { tripId, ...ROUTE, departureDate, acceptOverlap: true });

export function startStayRun(product: Product, tripId: string) {
  const today = Temporal.Now.plainDateISO("UTC");
  return startRun(product, "service.book_stay", {
    tripId,
    location: "London",
    checkInDate: today.add({ days: 60 }).toString(),
    checkOutDate: today.add({ days: 62 }).toString(),
    refundableOnly: true,
    acceptOverlap: true,
    guestNames: [{ givenName: "Amelia", familyName: "Hart" }],
    email: "amelia@example.com",
    phoneNumber: "+442080160508",
  });
}

/** Answers when the run pauses or ends. */
async function startRun(product: Product, workflowId: string, input: object): Promise<z.output<typeof Run>> {
  return Run.parse(await post(product, "/api/workflows/run", { workflowId, input }));
}

const waitForChange = (product: Product, { runId, updatedAt }: z.output<typeof Run>) =>
  pollRun(product, runId, `?wait=25&since=${encodeURIComponent(updatedAt)}`);

export async function pollRun({ port, apiKey }: Product, runId: string, query = ""): Promise<z.output<typeof Run>> {
  const response = await fetch(`http://127.0.0.1:${port}/api/workflows/runs/${runId}${query}`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  return Run.parse(await response.json());
}

const MOST_DAYS = 200;
/** Nobody buys two tickets for one flight, so that each script has a day of its own. */
let scripts = 0;

export async function bookByScript(
  product: Product,
  tripId: string,
  { departureDate, vendorAddress }: { departureDate: string; vendorAddress: string },
  around: Around = directly,
): Promise<void> {
  const ask = <Name extends keyof ToolMap>(tool: Name, args: ToolMap[Name]["input"]) =>
    around(tool, () => call(product, tool, args));
  await ask("read_trip", { tripId });
  scripts += 1;
  const ownDay = Temporal.PlainDate.from(departureDate)
    .add({ days: scripts % MOST_DAYS })
    .toString();
  const { offers } = await ask("search_flights", { ...ROUTE, departureDate: ownDay });
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
