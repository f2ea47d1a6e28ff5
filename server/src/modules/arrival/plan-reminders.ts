import type { Words } from "../../domain/texts.ts";
import type { WayToAirport } from "../maps/index.ts";
import type { Reminder } from "./checkin-calendar.ts";
import { tripTexts } from "./trip-texts.ts";

interface Trip {
  /** Such as `BA 117 LHR–JFK`. */
  flight: string;
  airport: string;
  timeZone: string;
  departsAt: Temporal.Instant;
  checkInWindowHours: number;
  pnr: string;
  travelerName: string;
  way: WayToAirport | undefined;
  /** By road if a source knows it; else estimated from the distance. */
  isRouted: boolean;
  /** By car although the caller asked for transit, which probably does not run then. */
  isCarInstead: boolean;
}

/** Common advice; the airline's own takes precedence. */
export const MINUTES_AT_AIRPORT = 150;
const CHECK_IN_MINUTES = 15;
/** Calendars need an end, and the landing time is unknown. */
const DEPARTURE_MINUTES = 15;

/** Future reminders with future alarms; past ones are named by kind. */
export function remindersAhead(
  trip: Trip,
  words: Words,
  now: Temporal.Instant,
): { reminders: Reminder[]; past: Reminder["kind"][] } {
  const all = planReminders(trip, words);
  const isAhead = (at: Temporal.Instant) => Temporal.Instant.compare(at, now) > 0;
  const reminders = all
    .filter(({ startsAt }) => isAhead(startsAt))
    .map((reminder) => {
      const alarms = reminder.alarms.filter((minutes) => isAhead(reminder.startsAt.subtract({ minutes })));
      return { ...reminder, alarms: alarms.length === 0 ? [0] : alarms };
    });
  return { reminders, past: all.filter(({ startsAt }) => !isAhead(startsAt)).map(({ kind }) => kind) };
}

/** All reminders, in order. */
function planReminders(trip: Trip, words: Words): Reminder[] {
  const say = tripTexts(words);
  const { flight, airport, departsAt, way } = trip;
  const facts = [
    say("departsAt", { moment: words.moment(departsAt, trip.timeZone) }),
    ...(trip.pnr === "" ? [] : [say("bookingReference", { pnr: trip.pnr })]),
    ...(trip.travelerName === "" ? [] : [say("traveler", { name: trip.travelerName })]),
  ];
  const reminders: Reminder[] = [
    {
      kind: "check_in",
      title: say("checkInOpens", { flight }),
      location: "",
      minutes: CHECK_IN_MINUTES,
      description: facts.join("\n"),
      alarms: [0],
      startsAt: departsAt.subtract({ hours: trip.checkInWindowHours }),
    },
    {
      kind: "departure",
      title: say("departure", { flight }),
      location: airport,
      minutes: DEPARTURE_MINUTES,
      description: facts.join("\n"),
      alarms: [180],
      startsAt: departsAt,
    },
  ];
  if (way !== undefined) reminders.splice(1, 0, leaving(trip, way, facts, words));
  return reminders;
}

export const leavesAt = (departsAt: Temporal.Instant, { minutes }: WayToAirport): Temporal.Instant =>
  departsAt.subtract({ minutes: MINUTES_AT_AIRPORT + minutes });

function leaving(trip: Trip, way: WayToAirport, facts: readonly string[], words: Words): Reminder {
  const say = tripTexts(words);
  const distance = words.number(trip.isRouted ? way.roadKilometers : way.distanceKilometers, {
    style: "unit",
    unit: "kilometer",
    maximumFractionDigits: 0,
  });
  const estimate = say(trip.isRouted ? "wayRouted" : "wayEstimated", {
    minutes: way.minutes,
    distance,
    before: MINUTES_AT_AIRPORT,
  });
  return {
    kind: "leave",
    title: say("leaveForAirport", { airport: trip.airport }),
    location: trip.airport,
    description: [...(trip.isCarInstead ? [say("carInstead")] : []), estimate, ...facts].join("\n"),
    minutes: way.minutes,
    alarms: [30],
    startsAt: leavesAt(trip.departsAt, way),
  };
}
