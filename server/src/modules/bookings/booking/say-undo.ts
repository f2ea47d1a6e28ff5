import { final, type PlannedFinality, perhapsFinal } from "../../../kernel/contracts/plan.ts";
import { BOOKING_RATE, inUsdc } from "../booking-rate.ts";
import type { SeenFlight, SeenOffer, SeenStay } from "../offers/seen-offers.ts";

/** Which window there is, an airline says only of an order. */
const VOID = ", or all of it until voidWindowEndsAt where book_flight answers that";

type TimeZoneOf = (airport: string) => string | undefined;

/** Until when an order of what the tenant saw can be cancelled, and what that costs, as far as the offer says. */
export function sayUndo(seen: SeenOffer | undefined, timeZoneOf: TimeZoneOf = () => undefined): PlannedFinality[] {
  if (seen === undefined) return [perhapsFinal("the order at the supplier, but for what its conditions give back")];
  if (seen.refundable === null)
    return [perhapsFinal("the order: the airline did not say whether it gives anything back")];
  if (!seen.refundable)
    return [final(`the order: cancelling it gives nothing back${seen.kind === "flight" ? VOID : ""}`)];
  return seen.kind === "flight" ? [undoOfFlight(seen, timeZoneOf)] : undosOfStay(seen);
}

function undoOfFlight(seen: SeenFlight, timeZoneOf: TimeZoneOf): PlannedFinality {
  const { legs, refundPenaltyAmount } = seen;
  const [first] = legs;
  const timeZone = first === undefined ? undefined : timeZoneOf(first.origin);
  const departingAt = first?.departingAt ?? undefined;
  return {
    undo: "not_known",
    what: `the order, once the first flight has left; until then cancelling gives its price back less undoCostUsdc, as money or airline credit (cancel_order_quote says which, once it is booked)${VOID}`,
    undoableUntil:
      timeZone === undefined || departingAt === undefined
        ? undefined
        : Temporal.PlainDateTime.from(departingAt).toZonedDateTime(timeZone).toInstant(),
    undoCost: refundPenaltyAmount === undefined ? undefined : worthOf(seen, refundPenaltyAmount),
  };
}

/** One for each step of what comes back. */
function undosOfStay(seen: SeenStay): PlannedFinality[] {
  const { refunds, totalAmount, totalCurrency } = seen;
  const total = worthOf(seen, totalAmount);
  if (refunds === undefined || refunds.length === 0) {
    return [perhapsFinal("the order, but for what its cancellation policy gives back")];
  }
  return refunds.map(({ before, refundAmount }) => {
    const refund = worthOf(seen, refundAmount);
    return {
      what: `the order: cancelled until then, it gives back ${refundAmount} ${totalCurrency}`,
      undoableUntil: Temporal.Instant.from(before),
      undoCost: total === undefined || refund === undefined ? undefined : total - refund,
    };
  });
}

/** In USDC, at the rate at which the offer was shown. */
function worthOf({ totalCurrency, rate }: SeenOffer, amount: string) {
  return inUsdc(amount, totalCurrency, rate ?? BOOKING_RATE);
}
