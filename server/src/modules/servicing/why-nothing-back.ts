import { parseDecimal } from "../../domain/money.ts";
import { findFirstDeparture } from "../../domain/travel/first-departure.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Maps } from "../../ports/maps.ts";
import type { FlightServicing } from "../../ports/supplier/flight-servicing.ts";
import type { CancellationPolicy } from "../../ports/supplier/stays.ts";
import type { OrderRecord } from "../orders/index.ts";

/** The reasons for a quote of 0, in a sentence. The supplier gives none itself. */

const isNothing = (amount: string | null): boolean => amount !== null && parseDecimal(amount) === 0n;

interface FlightPorts {
  flightServicing: Pick<FlightServicing, "getOrderDetails">;
  maps: Pick<Maps, "airport">;
  clock: Clock;
}

/** Null: something comes back, or nothing was paid. */
export async function whyNoFlightRefund(
  { flightServicing, maps, clock }: FlightPorts,
  { orderId, status }: Pick<OrderRecord, "orderId" | "status">,
  { refundAmount, credits }: { refundAmount: string | null; credits: readonly unknown[] },
): Promise<string | null> {
  if (!isNothing(refundAmount) || credits.length > 0 || status === "held") return null;
  // The quote stands even if the supplier cannot be read now.
  const details = await flightServicing.getOrderDetails(orderId).catch(() => undefined);
  const rule = details?.conditions.refundBeforeDeparture;
  const departingAt = details === undefined ? null : findFirstDeparture(details.slices, maps);
  if (departingAt !== null && hasPassed(departingAt, clock)) {
    return `The first flight left at ${departingAt}, and the fare says nothing about refunds after departure: the airline offers none.`;
  }
  if (rule?.allowed === false) return "The fare is not refundable: this is the airline's fare rule.";
  if (rule?.allowed === true && rule.penaltyAmount != null && parseDecimal(rule.penaltyAmount) !== 0n) {
    return `The fare is refundable before departure for a fee of ${rule.penaltyAmount} ${rule.penaltyCurrency ?? ""}, which leaves nothing of the price.`;
  }
  return "The airline quotes no refund and does not say why; the order's conditions do not settle it.";
}

function hasPassed(departingAt: string, clock: Clock): boolean {
  if (!/(Z|[+-]\d{2}:\d{2})$/.test(departingAt)) return false;
  return Temporal.Instant.compare(Temporal.Instant.from(departingAt), clock.now()) <= 0;
}

/** Null: something comes back. */
export function whyNoStayRefund(
  { refundAmount }: { refundAmount: string },
  { refundable, timeline }: CancellationPolicy,
): string | null {
  if (!isNothing(refundAmount)) return null;
  const last = timeline
    .map(({ before }) => before)
    .toSorted()
    .at(-1);
  return refundable && last !== undefined
    ? `The accommodation's cancellation policy gives a refund only for a cancellation before ${last}.`
    : "The rate is not refundable: this is the accommodation's cancellation policy.";
}
