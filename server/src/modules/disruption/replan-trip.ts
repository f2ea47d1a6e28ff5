import type { z } from "zod";
import { distanceMeters } from "../../domain/distance.ts";
import type { Caller, CallInfo } from "../../kernel/contracts/tool.ts";
import type { Airport, Maps, Position } from "../../ports/maps.ts";
import { MINUTES_TO_EXIT } from "../maps/index.ts";
import { type BookedStay, findOwnStays } from "../orders/index.ts";
import { refundAt } from "../servicing/index.ts";
import { describeAirlineChange } from "./airline-change.ts";
import type { Ports } from "./context.ts";
import { airlineDuties, rulesOfRoute } from "./duties/airline-duties.ts";
import { readDisruptedFlight } from "./duties/disrupted-flight.ts";
import { findAlternatives } from "./find-alternatives.ts";
import { findChange } from "./find-own-change.ts";
import { findOwnOrder } from "./find-own-order.ts";
import { findHotels, NO_HOTELS, placeOfAirport } from "./find-stay-for-night.ts";
import { findTransfers } from "./find-transfers.ts";
import type { ReplanInput } from "./replan-input.ts";
import { type HotelAnswer, type OwnStayAnswer, partly, type TransferAnswer, unavailable } from "./replan-parts.ts";
import { legOnClock, readSetting, type Setting } from "./replan-setting.ts";
import { type Flown, findArrival, nightsLost, saidOfStay } from "./stay-role.ts";

/** A stay farther from the airport belongs to another journey, or to a later part of this one. */
const FARTHEST_METERS = 120_000;

interface StayThere {
  answer: z.input<typeof OwnStayAnswer>;
  /** Undefined if the supplier did not give it. */
  position: Position | undefined;
}

interface Arrival {
  airport: Airport | undefined;
  /** The day on which the disrupted flight was due to leave. */
  scheduledDay: string;
  /** Arrival times of the offered flights, by the destination's clock. */
  arrivingAt: readonly string[];
}

type ReplanPorts = Pick<
  Ports,
  "flights" | "flightServicing" | "stays" | "maps" | "ways" | "travelers" | "stores" | "clock" | "random" | "fx"
>;

interface Asker {
  caller: Caller;
  call: CallInfo;
}

/** Runs every part independently: if one fails, the others hold. */
export async function replanTrip(input: ReplanInput, ports: ReplanPorts, asker: Asker) {
  const { caller, call } = asker;
  const { originalLeg, needsHotelFallback, transferMode } = input;
  const search = await partly(
    () => findOwnOrder(originalLeg.pnr, legOnClock(input, ports.maps), ports, asker),
    (reason) => ({ own: undefined, orderId: null, reason }),
  );
  const setting = await readSetting(input, search, ports, asker);
  const { replan, own, scheduledDay } = setting;
  call.progress("Searching other flights");
  const alternatives = await partly(
    () => findAlternatives(replan, own, ports, asker),
    (reason) => ({ ...unavailable(reason), offers: [], searchedDates: [replan.departureDate], considered: 0 }),
  );
  call.progress("Asking what a change costs");
  const change = await partly(
    () => findChange(search, replan, alternatives.searchedDates, ports, caller),
    (reason) => ({ ...unavailable(reason), orderId: search.orderId, order: null, offers: [] }),
  );
  const flight = readDisruptedFlight(input, setting, {
    maps: ports.maps,
    now: ports.clock.now(),
    firstDay: alternatives.offers
      .map(({ slices }) => slices[0]?.segments[0]?.departingAt.slice(0, 10) ?? "")
      .toSorted()[0],
  });
  const { airlineChange, duties } = describeAirlineChange(own, change, flight, ports.maps) ?? {
    airlineChange: null,
    duties: airlineDuties(flight),
  };
  const hotel = needsHotelFallback ? await findNight(setting, ports, asker) : null;
  const flights = [...alternatives.offers, ...change.offers];
  const arrival = {
    airport: setting.destination,
    scheduledDay,
    arrivingAt: flights.flatMap((offer) => findArrival(offer) ?? []),
  };
  const ownStays = await findStaysThere(arrival, own?.userId ?? caller.userId, ports, caller);
  const places = { hotel, ownStay: ownStays.find(({ position }) => position !== undefined)?.position };
  const ways = await findTransfers(setting, flights, places, transferMode, ports, call.signal);
  const transfer = ways && { ...ways, pickUps: planPickUps(flights, ways, ports.maps) };
  const stays = ownStays.map(({ answer }) => answer);
  return { setting, alternatives, change, airlineChange, duties, rules: rulesOfRoute(flight), hotel, stays, transfer };
}

const UNTIL_THE_FLIGHT =
  "These nights end before departureDate: use stayCheckInDate and stayCheckOutDate to choose others.";

/** Near the place that the caller names; if that is at the destination, near the airport where the traveler waits. */
async function findNight({ stay, role, stayed, night, origin, replan }: Setting, ports: ReplanPorts, asker: Asker) {
  const there = role === "destination" ? placeOfAirport(origin) : stay;
  const { checkInDate, checkOutDate } = night;
  const hotel = await partly<z.input<typeof HotelAnswer>>(
    () => findHotels(there ?? { place: undefined, others: [] }, night, ports, asker),
    (reason) => ({
      ...unavailable(reason),
      takenAs: null,
      otherCandidates: [],
      checkInDate,
      checkOutDate,
      ...NO_HOTELS,
    }),
  );
  if (!hotel.available) return hotel;
  const said = [
    ...(role === "destination" ? saidOfStay(role, stayed, replan) : []),
    ...(checkOutDate < replan.departureDate ? [UNTIL_THE_FLIGHT] : []),
  ];
  return said.length === 0 ? hotel : { ...hotel, reason: said.join(" ") };
}

type Transfer = z.input<typeof TransferAnswer>;

/** The pick-up time for each proposal; empty if no way from an airport is known. */
function planPickUps(
  proposals: readonly (Flown & { id: string })[],
  { direction, available, others }: Transfer,
  maps: Pick<Maps, "airport">,
): Transfer["pickUps"] {
  const isMet = (available && direction === "from_airport") || others.some((way) => way.direction === "from_airport");
  if (!isMet) return {};
  const moments = proposals.flatMap(({ id: offerId, slices }) => {
    const { destination: airport = "", arrivingAt = "" } = slices.flatMap(({ segments }) => segments).at(-1) ?? {};
    const timeZone = maps.airport(airport)?.timeZone;
    if (timeZone === undefined || arrivingAt === "") return [];
    const landsAt = Temporal.PlainDateTime.from(arrivingAt).toZonedDateTime(timeZone);
    const at = landsAt.add({ minutes: MINUTES_TO_EXIT.usual }).toString({ timeZoneName: "never" });
    return [[offerId, at] as const];
  });
  return Object.fromEntries(moments);
}

/** The effects on the same user's stays at the destination that are booked here. */
async function findStaysThere(
  { airport, scheduledDay, arrivingAt }: Arrival,
  userId: string,
  { stores, clock }: Pick<Ports, "stores" | "clock">,
  caller: Caller,
): Promise<StayThere[]> {
  const days = [...new Set(arrivingAt.map((moment) => moment.slice(0, 10)))].toSorted();
  const to = days.at(-1) ?? Temporal.PlainDate.from(scheduledDay).add({ days: 1 }).toString();
  const stays = await findOwnStays(stores, caller, userId, { from: scheduledDay, to });
  return stays.flatMap(({ stay, position }) => {
    const isElsewhere =
      position !== undefined && airport !== undefined && distanceMeters(position, airport) > FARTHEST_METERS;
    return isElsewhere ? [] : [{ position, answer: describeStay(stay, days, clock.now()) }];
  });
}

function describeStay(stay: BookedStay, days: readonly string[], now: Temporal.Instant): StayThere["answer"] {
  const { orderId, accommodationName, checkInDate, checkOutDate, totalAmount, totalCurrency } = stay;
  const { amount, currency, until } = refundAt(stay.cancellationPolicy, now, totalCurrency);
  return {
    orderId,
    accommodationName,
    checkInDate,
    checkOutDate,
    totalAmount,
    totalCurrency,
    effect: sayEffect(stay, days),
    returnedAmount: currency === totalCurrency ? amount : null,
    returnedUntil: until?.toString() ?? null,
    next: { tool: "cancel_order_quote", args: { orderId } },
  };
}

function sayEffect(stay: Pick<BookedStay, "checkInDate" | "checkOutDate">, days: readonly string[]): string {
  if (days.length === 0) return "Without another flight, it is not known what happens to it.";
  const said = days.map((day) => {
    const isBefore = day < stay.checkInDate;
    return `arriving on ${day}: ${isBefore ? "in time for it" : sayLoss(nightsLost(stay, day), nightsLost(stay))}`;
  });
  return `${said.join("; ")}.`.replace(/^a/, "A");
}

function sayLoss(lost: number, nights: number): string {
  if (lost === 0) return "no night is lost, but tell the hotel that you will arrive late";
  if (lost >= nights) return "it is lost: tell the hotel, or cancel it before then";
  return `up to ${lost} of ${nights} nights are lost: tell the hotel, so that it keeps the room`;
}
