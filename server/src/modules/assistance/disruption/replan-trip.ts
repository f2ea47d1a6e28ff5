import type { z } from "zod";
import type { Caller, CallInfo } from "../../../kernel/contracts/tool.ts";
import type { Maps } from "../../../ports/maps.ts";
import { MINUTES_TO_EXIT } from "../arrival/arrival-times.ts";
import type { Ports } from "../context.ts";
import { describeAirlineChange } from "./airline-change.ts";
import { findAlternatives } from "./find-alternatives.ts";
import { findChange } from "./find-own-change.ts";
import { findOwnOrder } from "./find-own-order.ts";
import { findOwnStays } from "./find-own-stays.ts";
import { findHotels, NO_HOTELS, placeOfAirport } from "./find-stay-for-night.ts";
import { findTransfers } from "./find-transfers.ts";
import type { ReplanInput } from "./replan-input.ts";
import { type HotelAnswer, partly, type TransferAnswer, unavailable } from "./replan-parts.ts";
import { legOnClock, type Setting, settingOf } from "./replan-setting.ts";
import { arrivalOf, type Flown, saidOfStay } from "./stay-role.ts";

type ReplanPorts = Pick<
  Ports,
  "flights" | "flightServicing" | "stays" | "maps" | "ways" | "travelers" | "stores" | "clock" | "random" | "fx"
>;

interface Asker {
  caller: Caller;
  call: CallInfo;
}

/** Every part on its own: where one of them fails, the others hold. */
export async function replanTrip(input: ReplanInput, ports: ReplanPorts, asker: Asker) {
  const { caller, call } = asker;
  const { originalLeg, needsHotelFallback, transferMode } = input;
  const search = await partly(
    () => findOwnOrder(originalLeg.pnr, legOnClock(input, ports.maps), ports, asker),
    (reason) => ({ own: undefined, orderId: null, reason }),
  );
  const setting = await settingOf(input, search, ports, asker);
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
  const airlineChange = describeAirlineChange(own, change, ports.maps);
  const hotel = needsHotelFallback ? await findNight(setting, ports, asker) : null;
  const flights = [...alternatives.offers, ...change.offers];
  const arrival = {
    airport: setting.destination,
    scheduledDay,
    arrivingAt: flights.flatMap((offer) => arrivalOf(offer) ?? []),
  };
  const ownStays = await findOwnStays(arrival, own?.userId ?? caller.userId, ports, caller);
  const places = { hotel, ownStay: ownStays.find(({ position }) => position !== undefined)?.position };
  const ways = await findTransfers(setting, flights, places, transferMode, ports, call.signal);
  const transfer = ways && { ...ways, pickUps: pickUpsOf(flights, ways, ports.maps) };
  return { setting, alternatives, change, airlineChange, hotel, stays: ownStays.map(({ answer }) => answer), transfer };
}

const UNTIL_THE_FLIGHT = "These nights end before departureDate: stayCheckInDate and stayCheckOutDate ask for others.";

/** Near the place that the caller names; where that is at the destination, near the airport that the traveler waits at. */
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

/** For each proposal when somebody is to wait for it at the airport; none where no way from an airport is known. */
function pickUpsOf(
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
