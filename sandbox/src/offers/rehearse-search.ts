import type { Sandbox } from "../sandbox.ts";
import { OfferRequestBody, toOfferRequest } from "./parse.ts";
import { renderOffer } from "./render.ts";
import { createOfferStore } from "./store.ts";

const CORE = "0".repeat(16);
const DAYS_AHEAD = 60;

/**
 * Computes the answer to a search that nobody asked for, so that the first caller does not wait while code is compiled.
 * It stores nothing and counts as no request. It draws no random codes, so that seeded runs repeat.
 */
export async function rehearseSearch(sandbox: Pick<Sandbox, "db" | "clock" | "seed" | "network">): Promise<void> {
  const nowMs = sandbox.clock.nowMs();
  const today = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO("UTC").toPlainDate();
  const body = OfferRequestBody.parse({
    slices: [{ origin: "LHR", destination: "JFK", departure_date: today.add({ days: DAYS_AHEAD }).toString() }],
    passengers: [{ type: "adult" }],
  });
  const request = toOfferRequest(body, { core: CORE, nowMs, credits: [] });
  const offers = await createOfferStore(sandbox).listOffers(request);
  JSON.stringify(offers.map((offer) => renderOffer(offer, request)));
}
