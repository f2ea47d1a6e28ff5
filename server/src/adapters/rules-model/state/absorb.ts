import { z } from "zod";
import type { ModelToolResult } from "../../../ports/language-model.ts";
import {
  AirportList,
  BookedFlight,
  BookedStay,
  Cancelled,
  ChangeAnswer,
  ChangeOffer,
  FlightAnswer,
  FlightOffer,
  FxQuote,
  Order,
  OrderDetails,
  OrderList,
  readList,
  Stay,
  StayAnswer,
} from "./results.ts";
import type { Place, State } from "./state.ts";

const DEEDS = /^(?:book_flight|book_stay|confirm_|save_traveler|generate_booking_invoice)/;
const Arguments = z.record(z.string(), z.unknown());
const Saved = z.looseObject({ givenName: z.string(), familyName: z.string(), userId: z.string() });
const Query = z.looseObject({ query: z.string() });

/** Takes over what a tool has answered. */
export function absorbResult(state: State, result: ModelToolResult, args: unknown): void {
  state.results.push({ result, args });
  if (result.outcome !== "withdrawn" && DEEDS.test(result.name)) state.deed = undefined;
  if (result.outcome === "withdrawn" && DEEDS.test(result.name)) {
    const given = Arguments.safeParse(args).data;
    if (given !== undefined) state.withdrawn = { name: result.name, args: given };
  }
  if (result.outcome === "ok") READERS[result.name]?.(state, result.result, args);
}

type Reader = (state: State, result: unknown, args: unknown) => void;

/** Lists of flights that were shown before, which a traveler may come back to. */
const KEPT_LISTS = 8;
const Departure = z.looseObject({ departureDate: z.string() });

/** Two days are compared: the list of the cheaper one stays, and its day is that of the journey. */
function keepCheaperDay(state: State, offers: readonly FlightOffer[], args: unknown): boolean {
  const { flight, dayPrices } = state;
  const day = Departure.safeParse(args).data?.departureDate;
  const [cheapest] = offers.toSorted((one, other) => Number(one.totalAmount) - Number(other.totalAmount));
  if (flight.otherDeparture === undefined || day === undefined || cheapest === undefined) return true;
  const [before] = dayPrices.values();
  state.dayPrices = new Map([...dayPrices, [day, cheapest]]);
  const isCheaper = before === undefined || Number(cheapest.totalAmount) < Number(before.totalAmount);
  if (isCheaper && flight.departure?.toString() !== day) {
    flight.otherDeparture = flight.departure ?? flight.otherDeparture;
    flight.departure = Temporal.PlainDate.from(day);
  }
  return isCheaper;
}

const readFlights: Reader = (state, result, args) => {
  const answer = FlightAnswer.safeParse(result).data;
  if (answer === undefined) return;
  const offers = readList(FlightOffer, answer.offers);
  // A narrower search that found nothing leaves what was shown.
  if (offers.length === 0 && state.flights !== undefined) return;
  if (!keepCheaperDay(state, offers, args)) return;
  if (state.flights !== undefined)
    state.earlierFlights = [...state.earlierFlights, state.flights.offers].slice(-KEPT_LISTS);
  state.flights = { offers, searchId: answer.searchId ?? state.flights?.searchId };
  state.spoken = undefined;
  state.seatsSearched = state.party.adults + state.party.children;
  state.lastShown = "flights";
};

const readStays: Reader = (state, result) => {
  const answer = StayAnswer.safeParse(result).data;
  if (answer === undefined) return;
  const stays = readList(Stay, answer.accommodations);
  if (stays.length === 0 && state.stays !== undefined) return;
  state.stays = { stays, searchId: answer.searchId ?? state.stays?.searchId };
  if (state.task === "flight") state.task = "stay";
  state.spoken = undefined;
  state.pickedStay = undefined;
  state.lastShown = "stays";
};

function keepOrder(state: State, order: Order): void {
  state.orders = [...state.orders.filter(({ orderId }) => orderId !== order.orderId), order];
}

const READERS: Readonly<Record<string, Reader>> = {
  search_flights: readFlights,
  search_more_flights: readFlights,
  search_hotels: readStays,
  search_family_hotels: readStays,
  search_more_stays: readStays,
  find_airports_nearby(state, result, args) {
    const query = Query.safeParse(args).data?.query;
    const list = AirportList.safeParse(result).data;
    const [nearest] = list?.airports ?? [];
    if (query === undefined || nearest === undefined) return;
    const own = list?.airports.find(({ cityName }) => cityName?.toLowerCase() === query.toLowerCase()) ?? nearest;
    const found = (place: Place | undefined): Place | undefined =>
      place?.name === query && place.code === undefined
        ? { ...place, code: own.iataCode, ...(own.countryCode ? { country: own.countryCode } : {}) }
        : place;
    const { flight } = state;
    const [origin, destination] = [found(flight.origin), found(flight.destination)];
    if (origin !== undefined) flight.origin = origin;
    if (destination !== undefined) flight.destination = destination;
  },
  quote_fx(state, result) {
    const quote = FxQuote.safeParse(result).data;
    if (quote?.toCurrency === "USD") state.rates.set(quote.fromCurrency, Number(quote.rate));
  },
  request_order_change(state, result) {
    const answer = ChangeAnswer.safeParse(result).data;
    if (answer === undefined) return;
    state.changes = readList(ChangeOffer, answer.offers);
    state.lastShown = state.changes.length > 0 ? "changes" : undefined;
  },
  save_traveler(state, _result, args) {
    const saved = Saved.safeParse(args).data;
    if (saved !== undefined) state.saved.set(`${saved.givenName} ${saved.familyName}`, saved.userId);
  },
  list_orders(state, result) {
    for (const order of readList(Order, OrderList.safeParse(result).data?.orders ?? []).toReversed())
      keepOrder(state, order);
  },
  read_order(state, result) {
    const order = OrderDetails.safeParse(result).data;
    const known = state.orders.find(({ orderId }) => orderId === order?.orderId);
    if (order === undefined) return;
    keepOrder(state, {
      ...known,
      orderId: order.orderId,
      kind: order.kind,
      status: order.status,
      pnr: order.pnr,
      ticketing: order.ticketing,
    });
  },
  book_flight(state, result) {
    const booked = BookedFlight.safeParse(result).data;
    if (booked === undefined) return;
    state.booked.add(booked.orderId);
    const { slices = [] } = booked;
    keepOrder(state, {
      orderId: booked.orderId,
      kind: "flight",
      status: "confirmed",
      pnr: booked.pnr,
      what: (slices ?? []).map(({ origin, destination }) => `${origin} to ${destination}`).join(", "),
      startsOn: slices?.[0]?.departingAt?.slice(0, 10),
      totalAmount: booked.totalAmount,
      totalCurrency: booked.totalCurrency,
    });
    state.flights = undefined;
    state.earlierFlights = [];
    state.picked = undefined;
    state.lastShown = undefined;
    if (state.isStayNext && state.stay.city === undefined && state.flight.destination !== undefined) {
      state.stay.city = state.flight.destination;
    }
    if (state.isStayNext && state.stay.checkIn === undefined && state.flight.departure !== undefined) {
      state.stay.checkIn = state.flight.departure;
      if (state.flight.return !== undefined) state.stay.checkOut = state.flight.return;
    }
  },
  book_stay(state, result) {
    const booked = BookedStay.safeParse(result).data;
    if (booked === undefined) return;
    state.booked.add(booked.orderId);
    keepOrder(state, {
      orderId: booked.orderId,
      kind: "stay",
      status: "confirmed",
      pnr: booked.reference,
      what: booked.accommodationName,
      startsOn: booked.checkInDate,
      endsOn: booked.checkOutDate,
      totalAmount: booked.totalAmount,
      totalCurrency: booked.totalCurrency,
      totalUsdc: booked.chargedUsdc,
    });
    state.stays = undefined;
    state.lastShown = undefined;
  },
  confirm_cancel_order(state, result) {
    const cancelled = Cancelled.safeParse(result).data;
    const known = state.orders.find(({ orderId }) => orderId === cancelled?.orderId);
    if (known !== undefined) keepOrder(state, { ...known, status: "cancelled" });
    state.task = "none";
    state.order = { isReturn: false };
  },
  confirm_order_change(state) {
    state.changes = undefined;
    state.lastShown = undefined;
    state.task = "none";
    state.order = { isReturn: false };
  },
};
