import { formatDecimal } from "../../domain/money.ts";
import type { PlannedMovement } from "../../kernel/contracts/plan.ts";
import type { FlightPurchase, Purchase, StayPurchase } from "../../kernel/contracts/purchase.ts";
import { type ApprovalCase, type ApprovalContext, describeVerdict } from "../policy/index.ts";

/** What whoever decides is shown of a call: plain values, as they are stored and audited. */
export function showCase(
  asked: ApprovalCase,
  { alternatives, purpose }: ApprovalContext,
): Readonly<Record<string, unknown>> {
  const { call, plan, verdict } = asked;
  return {
    askedForUserId: call.namedUserId ?? null,
    bought: plan.bought === undefined ? null : showPurchase(plan.bought),
    purpose: purpose === undefined ? null : showPurchase(purpose),
    alternatives: alternatives.map(({ offerId, bought }) => ({ offerId, ...showPurchase(bought) })),
    payments: plan.movements.map(showMovement),
    irreversible: plan.irreversible.map(({ what, undoableUntil }) => ({
      what,
      undoableUntil: undoableUntil?.toString() ?? null,
    })),
    ...describeVerdict(verdict, asked),
  };
}

function showPurchase(bought: Purchase): Record<string, unknown> {
  const { kind, price, priceAtLeast, travelerIds, refundable } = bought;
  return {
    kind,
    priceUsd: price === undefined ? null : formatDecimal(price),
    ...(priceAtLeast === undefined ? {} : { priceAtLeastUsd: formatDecimal(priceAtLeast) }),
    travelerIds: travelerIds ?? null,
    refundable: refundable ?? null,
    ...(bought.kind === "flight" ? showFlight(bought) : showStay(bought)),
  };
}

function showFlight({ carriers, changeable, refundPenalty, legs }: FlightPurchase): Record<string, unknown> {
  return {
    carriers: carriers ?? null,
    changeable: changeable ?? null,
    refundPenaltyUsd: refundPenalty === undefined ? null : formatDecimal(refundPenalty),
    legs: legs.map(({ origin, destination, departsAt, arrivesAt, durationMinutes, stops, flights, cabin }) => ({
      origin: origin ?? null,
      destination: destination ?? null,
      departsAt: departsAt?.toString() ?? null,
      arrivesAt: arrivesAt?.toString() ?? null,
      durationMinutes: durationMinutes ?? null,
      stops: stops ?? null,
      flights: flights ?? null,
      cabin: cabin ?? null,
    })),
  };
}

function showStay({ name, checkInDate, checkOutDate, rooms, country, stars }: StayPurchase): Record<string, unknown> {
  return {
    name: name ?? null,
    checkInDate: checkInDate?.toString() ?? null,
    checkOutDate: checkOutDate?.toString() ?? null,
    rooms: rooms ?? null,
    country: country ?? null,
    stars: stars ?? null,
  };
}

function showMovement({ token, expected, amount = expected, from, to, isLater }: PlannedMovement) {
  return { token, amount: amount === undefined ? null : formatDecimal(amount), from, to, later: isLater === true };
}
