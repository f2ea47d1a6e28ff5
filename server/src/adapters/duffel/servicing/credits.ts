import { z } from "zod";
import type { Clock } from "../../../ports/clock.ts";
import type { Log } from "../../../ports/log.ts";
import type { FlightServicing } from "../../../ports/supplier/flight-servicing.ts";
import type { DuffelClient } from "../client.ts";
import { isSupplierId } from "../wire.ts";
import { toCreditDetails, WireCreditDetails } from "./map-servicing.ts";

/** One person's credits; more would mean that the filter was ignored. */
const MOST_CREDITS = 2_000;

export function createCredits(
  client: DuffelClient,
  clock: Clock,
  log: Log,
): Pick<FlightServicing, "listAirlineCredits"> {
  return {
    async listAirlineCredits(customerUserId, limit, { signal } = {}) {
      if (!isSupplierId(customerUserId)) return [];
      const listed = await client.readPages(
        {
          subject: "customer",
          schema: z.unknown(),
          path: "/air/airline_credits",
          query: { user_id: customerUserId },
          signal,
        },
        MOST_CREDITS,
      );
      const parsed = listed.flatMap((credit) => WireCreditDetails.safeParse(credit).data ?? []);
      const left = listed.length - parsed.length;
      if (left > 0) log.warn({ left, of: listed.length }, "airline credits that cannot be read were left out");
      return (
        parsed
          // If the supplier ignored the filter, a customer must not see another's credits.
          .filter((credit) => credit.user_id === customerUserId)
          .sort((a, b) => issued(b) - issued(a))
          .flatMap((credit) => toCreditDetails(credit, clock.now()) ?? [])
          .slice(0, limit)
      );
    },
  };
}

function issued(credit: z.infer<typeof WireCreditDetails>): number {
  const at = Date.parse(credit.created_at ?? credit.issued_on ?? "");
  return Number.isNaN(at) ? 0 : at;
}
