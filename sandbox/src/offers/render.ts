import { toIso } from "../clock.ts";
import { accountCurrency } from "../currencies.ts";
import { chance, pickWhole } from "../hash.ts";
import { derivedId } from "../ids.ts";
import { cabinOn } from "../inventory/fares.ts";
import type { Itinerary } from "../inventory/itineraries.ts";
import type { Flight } from "../inventory/schedule.ts";
import { applyPermille, formatMoney, toCents } from "../money.ts";
import { type AirportRecord, airportByCode, type CabinClass } from "../reference/data.ts";
import { isMetropolitan, renderAircraft, renderAirline, renderAirport, renderCityPlace } from "../reference/render.ts";
import type { Offer } from "./build.ts";
import type { OfferRequest } from "./request.ts";

const CABIN_NAMES: Record<CabinClass, string> = {
  economy: "Economy",
  premium_economy: "Premium Economy",
  business: "Business",
  first: "First",
};
const CABIN_LETTERS: Record<CabinClass, string> = { economy: "Y", premium_economy: "W", business: "C", first: "F" };
const EMISSION_WEIGHT: Record<CabinClass, number> = { economy: 1, premium_economy: 1.5, business: 2.9, first: 4 };
const LONG_HAUL_KM = 4500;

function formatDuration(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  const days = Math.floor(minutes / 1440);
  const hours = Math.floor((minutes % 1440) / 60);
  const rest = minutes % 60;
  const time = `${hours > 0 ? `${hours}H` : ""}${rest > 0 ? `${rest}M` : ""}`;
  return `P${days > 0 ? `${days}D` : ""}${time === "" ? (days > 0 ? "" : "T0M") : `T${time}`}`;
}

function localText(time: Temporal.PlainDateTime): string {
  return time.toString({ smallestUnit: "second" });
}

function terminal(airport: AirportRecord, flight: Flight): string | null {
  return airport.tier === 1 ? String(pickWhole(1, 4, "terminal", airport.iata, flight.airline.iata)) : null;
}

function renderBags(offer: Offer, flight: Flight, infant: boolean) {
  if (offer.testRoute === "no_bags") return [];
  const longHaul = flight.distanceKm > LONG_HAUL_KM ? 1 : 0;
  const lowCost = flight.airline.kind === "low_cost";
  const checked = Math.max(
    0,
    offer.brand.checkedBags + (lowCost && offer.brand.name === "Basic" ? 0 : longHaul) - (infant ? 1 : 0),
  );
  const bags = [];
  if (checked > 0) bags.push({ type: "checked", quantity: Math.min(2, checked) });
  if (!infant) bags.push({ type: "carry_on", quantity: 1 });
  return bags;
}

function renderStops(offer: Offer, request: OfferRequest, flight: Flight, slice: number, segment: number) {
  if (flight.stop === undefined) return [];
  const { airport, groundMinutes } = flight.stop;
  // The stop lies half way in time: nothing on the wire tells more than its two local times.
  const middle = Math.round((flight.departsMs + flight.arrivesMs) / 2 / 300_000) * 300_000;
  const local = (ms: number) =>
    localText(Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(airport.tz).toPlainDateTime());
  return [
    {
      id: derivedId("sto", request.core, offer.place, slice, segment),
      airport: renderAirport(airport),
      arriving_at: local(middle),
      departing_at: local(middle + groundMinutes * 60_000),
      duration: formatDuration(groundMinutes * 60_000),
    },
  ];
}

function renderSegment(offer: Offer, request: OfferRequest, flight: Flight, slice: number, segment: number) {
  const cabin = cabinOn(flight, request.cabinClass);
  return {
    id: derivedId("seg", request.core, offer.place, slice, segment),
    departing_at: localText(flight.departsLocal),
    arriving_at: localText(flight.arrivesLocal),
    origin: renderAirport(flight.from),
    destination: renderAirport(flight.to),
    origin_terminal: terminal(flight.from, flight),
    destination_terminal: terminal(flight.to, flight),
    duration: formatDuration(flight.arrivesMs - flight.departsMs),
    distance: flight.distanceKm.toFixed(3),
    aircraft: renderAircraft(flight.aircraft),
    marketing_carrier: renderAirline(flight.airline),
    marketing_carrier_flight_number: flight.number,
    operating_carrier: renderAirline(flight.airline),
    operating_carrier_flight_number: flight.number,
    stops: renderStops(offer, request, flight, slice, segment),
    media: [],
    passengers: request.passengers.map((passenger) => ({
      passenger_id: passenger.id,
      cabin_class: cabin,
      cabin_class_marketing_name: CABIN_NAMES[cabin],
      fare_basis_code: `${CABIN_LETTERS[cabin]}${offer.brand.name.slice(0, 1).toUpperCase()}${flight.airline.iata}SBX`,
      baggages: renderBags(offer, flight, passenger.type === "infant_without_seat"),
      cabin: {
        name: cabin,
        marketing_name: CABIN_NAMES[cabin],
        amenities: {
          wifi: {
            available: chance("wifi", flight.airline.iata, flight.aircraft.iata) > 0.4 ? "true" : "false",
            cost: "paid",
          },
          seat: {
            pitch: cabin === "economy" ? "31" : "38",
            legroom: cabin === "economy" ? "standard" : "more",
            type: "standard",
          },
          power: { available: flight.aircraft.body === "wide" ? "true" : "false" },
        },
      },
    })),
  };
}

function penalty(offer: Offer, allowed: boolean) {
  if (!allowed) return { allowed: false, penalty_amount: null, penalty_currency: null };
  const amount = toCents(applyPermille(offer.totalMicro, offer.brand.penaltyPermille));
  return { allowed: true, penalty_amount: formatMoney(amount), penalty_currency: accountCurrency() };
}

export function renderConditions(offer: Offer) {
  return {
    change_before_departure: penalty(offer, offer.brand.changeAllowed),
    refund_before_departure: penalty(offer, offer.brand.refundAllowed),
  };
}

/** The place of a requested code: an airport, else a metropolitan area. */
export function renderPlace(code: string) {
  const airport = airportByCode.get(code);
  return airport === undefined ? renderCityPlace(code) : renderAirport(airport);
}

function renderEnd(code: string, airport: AirportRecord) {
  const metropolitan = code !== airport.iata && isMetropolitan(code);
  return {
    type: metropolitan ? "city" : "airport",
    place: metropolitan ? (renderCityPlace(code) ?? renderAirport(airport)) : renderAirport(airport),
  };
}

function renderSlice(offer: Offer, request: OfferRequest, itinerary: Itinerary, index: number) {
  const first = itinerary.flights[0];
  const last = itinerary.flights.at(-1) ?? first;
  const asked = request.slices[index];
  const origin = renderEnd(asked?.origin ?? first.from.iata, first.from);
  const destination = renderEnd(asked?.destination ?? last.to.iata, last.to);
  const flexible = offer.brand.name === "Flex";
  return {
    id: derivedId("sli", request.core, offer.place, index),
    origin_type: origin.type,
    destination_type: destination.type,
    origin: origin.place,
    destination: destination.place,
    duration: formatDuration(last.arrivesMs - first.departsMs),
    fare_brand_name: offer.brand.name,
    ngs_shelf: offer.brand.name === "Basic" ? 1 : offer.brand.name === "Standard" ? 2 : 3,
    comparison_key: itinerary.flights.map((flight) => `${flight.airline.iata}${flight.number}`).join("-"),
    conditions: {
      change_before_departure: penalty(offer, offer.brand.changeAllowed),
      advance_seat_selection: offer.brand.name !== "Basic",
      priority_boarding: flexible,
      priority_check_in: flexible,
    },
    segments: itinerary.flights.map((flight, segment) => renderSegment(offer, request, flight, index, segment)),
  };
}

function renderPrivateFares(offer: Offer, request: OfferRequest) {
  const fares = [];
  const codes = request.privateFares[offer.owner.iata];
  if (codes !== undefined) fares.push({ type: codes.corporate_code === undefined ? "leisure" : "corporate", ...codes });
  if (request.passengers.some((passenger) => passenger.fareType !== null)) fares.push({ type: "leisure" });
  return fares;
}

function emissionsKg(offer: Offer, request: OfferRequest): string {
  const seats = request.passengers.filter((passenger) => passenger.type !== "infant_without_seat").length;
  let kg = 0;
  for (const flight of offer.slices.flatMap((slice) => slice.flights)) {
    const perKm = flight.distanceKm < 1500 ? 0.11 : 0.085;
    kg += flight.distanceKm * perKm * EMISSION_WEIGHT[cabinOn(flight, request.cabinClass)];
  }
  return String(Math.round(kg * seats));
}

export function renderOfferPassengers(request: OfferRequest) {
  return request.passengers.map((passenger) => ({
    id: passenger.id,
    type: passenger.fareType === null ? passenger.type : null,
    age: passenger.age,
    fare_type: passenger.fareType,
    given_name: passenger.givenName,
    family_name: passenger.familyName,
    loyalty_programme_accounts: passenger.loyaltyAccounts,
  }));
}

export function renderOffer(offer: Offer, request: OfferRequest) {
  const iso = (ms: number | null) => (ms === null ? null : toIso(ms));
  const international = offer.slices.some((slice) =>
    slice.flights.some((flight) => flight.from.country !== flight.to.country),
  );
  return {
    id: offer.id,
    live_mode: false,
    created_at: toIso(request.createdAtMs),
    updated_at: toIso(request.createdAtMs),
    expires_at: toIso(offer.expiresAtMs),
    partial: false,
    owner: renderAirline(offer.owner),
    total_amount: formatMoney(offer.totalMicro),
    total_currency: accountCurrency(),
    base_amount: formatMoney(offer.totalMicro - offer.taxMicro),
    base_currency: accountCurrency(),
    tax_amount: formatMoney(offer.taxMicro),
    tax_currency: accountCurrency(),
    total_emissions_kg: emissionsKg(offer, request),
    conditions: renderConditions(offer),
    payment_requirements: {
      requires_instant_payment: offer.requiresInstantPayment,
      price_guarantee_expires_at: iso(offer.priceGuaranteeExpiresAtMs),
      payment_required_by: iso(offer.paymentRequiredByMs),
    },
    passenger_identity_documents_required: offer.testRoute === "documents",
    supported_passenger_identity_document_types: international ? ["passport"] : [],
    supported_loyalty_programmes: offer.owner.programme === null ? [] : [offer.owner.iata],
    private_fares: renderPrivateFares(offer, request),
    available_airline_credit_ids: request.credits
      .filter((credit) => credit.airline === offer.owner.iata)
      .map((credit) => credit.id),
    passengers: renderOfferPassengers(request),
    slices: offer.slices.map((itinerary, index) => renderSlice(offer, request, itinerary, index)),
    available_services: null,
  };
}
export type WireOffer = ReturnType<typeof renderOffer>;
