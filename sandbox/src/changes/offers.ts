// The airline's offers in place of slices of an order: its own flights in the same fare, priced by the fare's conditions.
import { newRequestCore } from "../ids.ts";
import { parseMoney, toCents } from "../money.ts";
import { buildOffers, type Offer } from "../offers/build.ts";
import { renderConditions, renderOffer } from "../offers/render.ts";
import type { OfferRequest } from "../offers/request.ts";
import { hasOpenAirlineChange, mayChange, type OrderRow } from "../orders/rows.ts";
import type { CabinClass } from "../reference/data.ts";
import type { Sandbox } from "../sandbox.ts";
import { sumServices } from "../seats/booked.ts";
import type { WireSlice } from "../seats/services.ts";
import type { ChangePlan } from "./rows.ts";

export type WantedSlice = {
  readonly origin: string;
  readonly destination: string;
  readonly departureDate: string;
  readonly cabinClass: CabinClass | undefined;
};
export type PricedChange = {
  readonly plan: ChangePlan;
  readonly changeMicro: bigint;
  readonly newTotalMicro: bigint;
  readonly penaltyMicro: bigint;
  readonly refundTo: string | null;
  readonly durationMs: number;
};

const CABINS: readonly CabinClass[] = ["economy", "premium_economy", "business", "first"];

/** The best cabin on any segment: on small aircraft the passengers of a better one sit below it. */
function bestCabin(slices: readonly WireSlice[]): CabinClass {
  const flown = slices.flatMap((slice) => slice.segments.flatMap((segment) => segment.passengers));
  return [...CABINS].reverse().find((cabin) => flown.some((passenger) => passenger.cabin_class === cabin)) ?? "economy";
}

function toRequest(order: OrderRow, wanted: readonly WantedSlice[], nowMs: number): OfferRequest {
  return {
    core: newRequestCore(),
    createdAtMs: nowMs,
    cabinClass: wanted.find((slice) => slice.cabinClass !== undefined)?.cabinClass ?? bestCabin(order.details.slices),
    maxConnections: 1,
    slices: wanted.map((slice) => ({
      origin: slice.origin,
      destination: slice.destination,
      departureDate: slice.departureDate,
      departureTime: null,
      arrivalTime: null,
    })),
    passengers: order.details.passengers.map((passenger) => ({
      id: passenger.id,
      type: passenger.type,
      age: passenger.age,
      fareType: passenger.fare_type,
      givenName: null,
      familyName: null,
      loyaltyAccounts: [],
    })),
    privateFares: order.details.privateFares,
    credits: [],
  };
}

/** The part of a sum that falls on some of the slices. */
function computeShare(sum: bigint, parts: readonly bigint[], chosen: readonly boolean[]): bigint {
  const all = parts.reduce((total, part) => total + part, 0n);
  const taken = parts.reduce((total, part, index) => (chosen[index] === true ? total + part : total), 0n);
  return all === 0n ? 0n : toCents((sum * taken) / all);
}

/** The slices after a change: what is added stands where something was removed, the rest of it at the end. */
export function replaceSlices<Slice, Added>(
  slices: readonly Slice[],
  removed: readonly boolean[],
  added: readonly Added[],
): (Slice | Added)[] {
  const waiting = [...added];
  const kept = slices.flatMap((slice, index): (Slice | Added)[] => {
    if (removed[index] !== true) return [slice];
    const next = waiting.shift();
    return next === undefined ? [] : [next];
  });
  return [...kept, ...waiting];
}

/** One fare has one penalty: each slice of the order says the same as the order. */
export function withTerms(
  slices: readonly WireSlice[],
  { change_before_departure }: ChangePlan["conditions"],
): WireSlice[] {
  return slices.map((slice) => ({ ...slice, conditions: { ...slice.conditions, change_before_departure } }));
}

function durationMs(offer: Offer): number {
  return offer.slices.reduce((sum, slice) => {
    const last = slice.flights.at(-1) ?? slice.flights[0];
    return sum + last.arrivesMs - slice.flights[0].departsMs;
  }, 0);
}

function priceChange(order: OrderRow, removed: readonly boolean[], offer: Offer, request: OfferRequest): PricedChange {
  const { details } = order;
  const wire = renderOffer(offer, request);
  const gone = details.slices.filter((_, index) => removed[index] === true);
  const goneSegments = new Set(gone.flatMap((slice) => slice.segments.map((segment) => segment.id)));
  const total = BigInt(order.total_micro);
  // Services of a removed slice are lost; their price counts as a part of the slice's.
  const lost = sumServices(order.services.filter((service) => service.segmentIds.some((id) => goneSegments.has(id))));
  const fares = details.sliceFares.map((fare) => BigInt(fare.totalMicro));
  const taxes = details.sliceFares.map((fare) => BigInt(fare.taxMicro));
  const oldMicro = computeShare(total - sumServices(order.services), fares, removed) + lost;
  const involuntary = hasOpenAirlineChange(order);
  const keepsValue = involuntary || details.conditions.refund_before_departure.allowed;
  const difference = offer.totalMicro - oldMicro;
  const differenceMicro = difference < 0n && !keepsValue ? 0n : difference;
  const terms = details.conditions.change_before_departure;
  const penaltyMicro = involuntary ? 0n : (parseMoney(terms.penalty_amount ?? "0") ?? 0n);
  const changeMicro = differenceMicro + penaltyMicro;
  // All that is paid for a change is part of what the order costs from then on, its penalty too.
  const newTotalMicro = total + changeMicro;
  const conditions = renderConditions({ ...offer, totalMicro: newTotalMicro });
  const sliceFares = replaceSlices(
    details.sliceFares,
    removed,
    offer.sliceFares.map((fare) => ({ totalMicro: fare.totalMicro.toString(), taxMicro: fare.taxMicro.toString() })),
  );
  return {
    plan: {
      add: withTerms(wire.slices, conditions),
      remove: gone,
      sliceFares,
      conditions,
      taxMicro: (
        BigInt(order.tax_micro) -
        computeShare(BigInt(order.tax_micro), taxes, removed) +
        offer.taxMicro
      ).toString(),
    },
    changeMicro,
    newTotalMicro,
    penaltyMicro,
    refundTo: changeMicro >= 0n ? null : details.refundsAsCredit ? "voucher" : "original_form_of_payment",
    durationMs: durationMs(offer),
  };
}

/** None when the fare does not allow changes, the order has no tickets yet, or the airline does not fly then. */
export function offerChanges(
  sandbox: Sandbox,
  order: OrderRow,
  removed: readonly boolean[],
  wanted: readonly WantedSlice[],
): readonly PricedChange[] {
  if (!mayChange(order)) return [];
  const nowMs = sandbox.clock.nowMs();
  const request = toRequest(order, wanted, nowMs);
  const brand = order.details.slices[0]?.fare_brand_name;
  return buildOffers(sandbox.seed, sandbox.network, request, order.details.owner.iata_code)
    .filter((offer) => offer.brand.name === brand)
    .map((offer) => priceChange(order, removed, offer, request));
}
