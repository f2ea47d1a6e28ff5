import type { Caller, CallInfo } from "../../kernel/contracts/tool.ts";
import type { Airport } from "../../ports/maps.ts";
import { type Connection, findConnection } from "./connection.ts";
import type { Ports } from "./context.ts";
import type { OwnOrder, OwnOrderSearch } from "./find-own-order.ts";
import { findStayPlace, type NightStay, type StayPlace } from "./find-stay-for-night.ts";
import { chooseScheduled, countPassengers, type Replan } from "./replan.ts";
import { formatFlightNumber, type ReplanInput } from "./replan-input.ts";
import { partly } from "./replan-parts.ts";
import { MOST_WAITING_DAYS, roleOfStay, type StayRole } from "./stay-role.ts";

/** The known facts about the leg and the stays, before any search. */
export interface Setting {
  replan: Replan;
  own: OwnOrder | undefined;
  origin: Airport | undefined;
  destination: Airport | undefined;
  /** By the order, if it flies on the caller's day. */
  scheduled: Temporal.Instant;
  earliest: Temporal.Instant;
  scheduledDay: string;
  /** Undefined if the order has none after the delayed flight. */
  connection: Connection | undefined;
  /** Undefined if the caller names none. */
  stay: StayPlace | undefined;
  role: StayRole;
  /** The nights of the stay that the caller names. */
  stayed: NightStay;
  /** The night in which the traveler waits for another flight; equal to `stayed` if the caller names that one. */
  night: NightStay;
}

/** By the origin's clock, as in the supplier's times. */
export function legOnClock({ originalLeg, disruption }: ReplanInput, maps: Ports["maps"]) {
  const { origin, destination, scheduledDepartureIso } = originalLeg;
  const departsLocal = Temporal.Instant.from(scheduledDepartureIso)
    .toZonedDateTimeISO(airportTimeZone(origin, maps))
    .toPlainDateTime();
  const isConnectionMissed = disruption.kind === "missed_connection";
  return { origin: origin.toUpperCase(), destination: destination.toUpperCase(), departsLocal, isConnectionMissed };
}

const airportTimeZone = (airport: string, maps: Ports["maps"]): string => maps.airport(airport)?.timeZone ?? "Etc/UTC";

export async function readSetting(
  input: ReplanInput,
  { own }: OwnOrderSearch,
  { maps, clock }: Pick<Ports, "maps" | "clock">,
  asker: { caller: Caller; call: CallInfo },
): Promise<Setting> {
  const { originalLeg, stayLocation = "" } = input;
  const leg = legOnClock(input, maps);
  const starts = own?.isMissedOnTheWay ? own.segment.origin : leg.origin;
  const timeZone = airportTimeZone(starts, maps);
  const ends = own?.goesOnTo ?? leg.destination;
  const [origin, destination] = [maps.airport(starts), maps.airport(ends)];
  const scheduled = chooseScheduled(own, Temporal.Instant.from(originalLeg.scheduledDepartureIso), maps);
  const earliest = chooseEarliest(input, scheduled, clock.now());
  const scheduledDay = scheduled.toZonedDateTimeISO(timeZone).toPlainDate().toString();
  const waiting = chooseNight(input, scheduled, clock.now(), timeZone);
  const stayed = asAsked(input, waiting);
  const stay =
    stayLocation.trim() === ""
      ? undefined
      : await partly(
          () => findStayPlace(stayLocation, [origin, destination], { maps }, asker),
          () => ({ place: undefined, others: [] }),
        );
  const role = roleOfStay(stay?.place, { origin, destination }, stayed, input.rebookSearch.departureDate);
  const night = role === "destination" ? waiting : stayed;
  const { passengers, ...search } = input.rebookSearch;
  const isWaiting = input.needsHotelFallback && role !== "apart";
  const replan = {
    origin: starts,
    destination: ends,
    ...search,
    passengers: countPassengers(passengers, own),
    earliestLocal: earliest.toZonedDateTimeISO(timeZone).toPlainDateTime(),
    morningAfter: isWaiting && search.departureDate < night.checkOutDate ? night.checkOutDate : undefined,
    lost: findLostFlight(input, own, scheduled, timeZone),
  };
  const guests = { guests: replan.passengers };
  return {
    replan,
    own,
    origin,
    destination,
    scheduled,
    earliest,
    scheduledDay,
    connection: findConnection(input, own, scheduled, maps),
    stay,
    role,
    stayed: { ...stayed, ...guests },
    night: { ...night, ...guests },
  };
}

/** A flight that has left cannot be taken, nor one that the traveler missed. */
function chooseEarliest({ disruption }: ReplanInput, scheduled: Temporal.Instant, now: Temporal.Instant) {
  const { kind, earliestUsableDepartureIso: said } = disruption;
  const afterwards = kind === "missed_connection" ? scheduled.add({ minutes: 1 }) : scheduled;
  const wanted = said === undefined ? afterwards : Temporal.Instant.from(said);
  return Temporal.Instant.compare(wanted, now) < 0 ? now : wanted;
}

function findLostFlight(
  { originalLeg, disruption: { kind } }: ReplanInput,
  own: OwnOrder | undefined,
  scheduled: Temporal.Instant,
  timeZone: string,
): Replan["lost"] {
  if (kind !== "cancellation" && kind !== "missed_connection") return undefined;
  const departsLocal = scheduled.toZonedDateTimeISO(timeZone).toPlainDateTime();
  const isOwn = own?.segment.departingAt !== "" && own !== undefined && departsLocal.equals(own.segment.departingAt);
  const named = own?.isMissedOnTheWay ? "" : formatFlightNumber(originalLeg);
  return { departsLocal, flightNumber: named || (isOwn ? own.segment.flightNumber : "") };
}

/**
 * Defaults to the night after the disrupted flight was due to leave, or the next bookable one; the next one, too, if
 * the traveler flies only then.
 */
function chooseNight(
  { rebookSearch }: ReplanInput,
  scheduled: Temporal.Instant,
  now: Temporal.Instant,
  timeZone: string,
) {
  const first = Temporal.Instant.compare(scheduled, now) < 0 ? now : scheduled;
  const checkIn = first.toZonedDateTimeISO(timeZone).toPlainDate();
  const nights = checkIn.until(rebookSearch.departureDate).days === MOST_WAITING_DAYS ? MOST_WAITING_DAYS : 1;
  const dates = { checkInDate: checkIn.toString(), checkOutDate: checkIn.add({ days: nights }).toString() };
  return { ...dates, guests: rebookSearch.passengers };
}

function asAsked({ stayCheckInDate, stayCheckOutDate }: ReplanInput, waiting: NightStay): NightStay {
  if (stayCheckInDate === undefined && stayCheckOutDate === undefined) return waiting;
  const checkInDate = stayCheckInDate ?? waiting.checkInDate;
  const nextDay = Temporal.PlainDate.from(checkInDate).add({ days: 1 }).toString();
  const checkOutDate = stayCheckOutDate !== undefined && checkInDate < stayCheckOutDate ? stayCheckOutDate : nextDay;
  return { ...waiting, checkInDate, checkOutDate };
}
