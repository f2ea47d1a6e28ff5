import { z } from "zod";
import { DecimalAmount } from "../../../domain/schemas.ts";

/** The airline's legal duties to the passengers of a disrupted flight. General rules, not a decision on a case. */
export const AirlineDutyAnswer = z.object({
  rule: z.string().describe("Short, for a message"),
  owes: z.enum(["care", "hotel", "flight_or_refund", "refund", "compensation"]),
  article: z.string(),
  amount: DecimalAmount.nullable().describe("For each passenger; null: not fixed, or not known"),
  currency: z.string().nullable(),
  text: z.string(),
  onlyIf: z.string().nullable().describe("Null: the known facts show that it applies"),
  source: z.object({ title: z.string(), url: z.string(), asOf: z.string().nullable() }),
});

export type AirlineDuty = z.output<typeof AirlineDutyAnswer>;

/** Another flight or the money back: what a passenger can have instead of the flight. */
export const owesInstead = ({ owes }: Pick<AirlineDuty, "owes">): boolean =>
  owes === "flight_or_refund" || owes === "refund";

export interface DisruptedFlight {
  /** `unclear`: the flight may leave late, be cancelled or leave without the passenger. */
  event: "delay" | "cancellation" | "missed_connection" | "unclear";
  /** ISO 3166-1 alpha-2 of the airports where the journey of one booking begins and ends; empty if unknown. */
  from: string;
  to: string;
  /** Between these airports, along a great circle; undefined if unknown. */
  kilometers: number | undefined;
  /** Negative if earlier. Undefined if unknown. */
  departsLaterMinutes: number | undefined;
  arrivesLaterMinutes: number | undefined;
  /** The flight leaves, or may leave, a day later than planned. Undefined if unknown. */
  leavesNextDay: boolean | undefined;
  /** The delay makes passengers miss a later flight of the same booking: how late they arrive is open. */
  isConnectionLost: boolean;
  /** It leaves or arrives at another airport. */
  isElsewhere: boolean;
  /** Whole days from now to the planned departure: the airline gave at least this notice. */
  noticeDays: number;
  /** IATA codes; empty if unknown. */
  operatingCarrier: string;
  marketingCarrier: string;
}

/** As far as it is known; a flight that leaves late arrives as late, unless a connection is lost on the way. */
export const minutesLate = (
  flight: Pick<DisruptedFlight, "arrivesLaterMinutes" | "departsLaterMinutes" | "isConnectionLost">,
): number | undefined =>
  flight.arrivesLaterMinutes ?? (flight.isConnectionLost ? undefined : flight.departsLaterMinutes);

/** All conditions that are not known to be met, as one text; null if there are none. */
export const joinConditions = (conditions: readonly (string | null | false)[]): string | null =>
  conditions.filter((condition) => typeof condition === "string").join(" ") || null;
