import { z } from "zod";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import type { RequestedService } from "../../../ports/supplier/flights.ts";
import type { AskedBooking } from "../../bookings/index.ts";
import { chooseLead, customerNotFound, findOwnTraveler, type Travelers } from "../../travelers/index.ts";

export type FlightCaller = Pick<
  Caller,
  "tenantId" | "userId" | "travelerId" | "leadTravelerId" | "environment" | "cover"
>;

export interface AskedFlight {
  offerId: string;
  services: readonly RequestedService[];
  additionalCustomerUserIds: readonly string[];
  airlineCreditId: string | undefined;
}

/** The services in an answer of an earlier release. */
const Answered = z.object({ services: z.array(z.unknown()).default([]) });

/** The request of a call, to distinguish a repetition from another booking of the same offer. */
export function askedFlight(travelers: Travelers, caller: FlightCaller, asked: AskedFlight): AskedBooking {
  const { offerId, additionalCustomerUserIds, airlineCreditId } = asked;
  const services = asked.services.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  return {
    kind: "flight",
    offerId,
    particulars: { services, airlineCreditId: airlineCreditId ?? null },
    heldParticulars: heldParticulars(airlineCreditId),
    async isForSame({ travelers: booked }) {
      const named = await namedUsers(travelers, caller, additionalCustomerUserIds);
      const all = named.length === booked.length ? named : [chooseLead(caller), ...named];
      const known = booked.flatMap(({ userId }) => userId ?? []);
      return JSON.stringify(all.toSorted()) === JSON.stringify(known.toSorted());
    },
    mayBeSame: (booking) =>
      booking.airlineCreditId === airlineCreditId &&
      Answered.parse(booking.result ?? {}).services.length > 0 === services.length > 0,
  };
}

/** An order is held without services; they come with its payment. */
export const heldParticulars = (airlineCreditId?: string) => ({
  services: [],
  airlineCreditId: airlineCreditId ?? null,
});

/** In the order in which they are named. */
async function namedUsers(
  travelers: Travelers,
  caller: FlightCaller,
  customerUserIds: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  for (const customerUserId of customerUserIds) {
    const userId = await findOwnTraveler(travelers, caller, customerUserId);
    if (userId === undefined) throw customerNotFound(customerUserId);
    found.push(userId);
  }
  return found;
}
