import { z } from "zod";
import { distanceMeters } from "../../../domain/distance.ts";
import { IataCode, Instant, Latitude, Longitude, ProviderProvenance, wordsOfOthers } from "../../../domain/schemas.ts";
import { LanguageAnswer, wordsIn } from "../../../domain/texts.ts";
import { hashUid, sequenceAt } from "../../../domain/travel/calendar-event.ts";
import { toVisibleText } from "../../../domain/visible-text.ts";
import type { Airport, Position } from "../../../ports/maps.ts";
import { CANDIDATES, findWay, saidOfWays, takeNearAirport, type WayToAirport } from "../../maps/index.ts";
import { resolveStop } from "../../places/index.ts";
import { ASSUMED_TRANSIT, BY_CAR_INSTEAD, isWithoutTransit } from "../arrival-times.ts";
import { checkDeparture } from "../check-departure.ts";
import { writeCalendar } from "../checkin-calendar.ts";
import { defineTool, type Ports } from "../context.ts";
import { findIslandToReach } from "../islands.ts";
import { leavesAt, MINUTES_AT_AIRPORT, remindersAhead } from "../plan-reminders.ts";

const LONGEST_TEXT = 100;
const LONGEST_ADDRESS = 300;
/** How long the file is kept: until after the trip, within these bounds. */
const LEAST_HOURS = 30 * 24;
const MOST_HOURS = 400 * 24;
const HOURS_AFTER_DEPARTURE = 48;

const together = (one: "airport" | "stay") => [`${one}Latitude`, `${one}Longitude`] as const;

const Input = z
  .strictObject({
    origin: IataCode.describe("IATA code"),
    departureDateTimeIso: Instant,
    pnr: z.string().optional(),
    flightNumber: z.string().optional().describe("With or without the carrier code"),
    carrier: z.string().optional(),
    destination: IataCode.optional(),
    airportLatitude: Latitude.optional(),
    airportLongitude: Longitude.optional(),
    stayLabel: z.string().optional(),
    stayAddress: z.string().optional().describe("Where the traveler starts from"),
    stayLatitude: Latitude.optional(),
    stayLongitude: Longitude.optional(),
    transferMode: z.enum(["driving", "transit"]).default("driving"),
    travelerName: z.string().optional(),
    checkInWindowHours: z.int().min(1).max(72).default(24).describe("How long before departure check-in opens"),
    language: z.string().default("en"),
  })
  .superRefine((input, context) => {
    for (const [latitude, longitude] of [together("airport"), together("stay")]) {
      if ((input[latitude] === undefined) === (input[longitude] === undefined)) continue;
      const path = [input[latitude] === undefined ? latitude : longitude];
      context.addIssue({ code: "custom", path, message: "give both latitude and longitude" });
    }
  });

type TripInput = z.output<typeof Input>;

const ReminderAnswer = z.object({
  kind: z.enum(["check_in", "leave", "departure"]),
  uid: z.string(),
  title: z.string(),
  startsAt: z.string().describe("UTC"),
  startsAtLocal: z.string().describe("Airport local time"),
  alarmsMinutesBefore: z.array(z.int()).readonly(),
});

export const tripCheckinReminder = defineTool({
  name: "trip_checkin_reminder",
  title: "Make check-in reminders",
  summary: "Make a calendar file with reminders for check-in, leaving for the airport and departure.",
  area: "trip",
  effect: "read",
  price: 3_000n,
  payableWithoutKey: true,
  uses: ["maps", "ways", "fileShelf", "stores", "clock"],
  input: Input,
  output: z.object({
    reminders: z.array(ReminderAnswer),
    ics: z.string().describe("The calendar file; if made again for the same trip, it replaces the earlier one"),
    icsUrl: z.string(),
    expiresAt: z.string().describe("Until then, anyone with the URL can read the file; the same call gives a new URL"),
    sequence: z.int(),
    wallet: z
      .object({
        kind: z.literal("flight"),
        flight: z.string(),
        pnr: z.string().nullable(),
        travelerName: wordsOfOthers().nullable(),
        origin: z.string(),
        originName: wordsOfOthers().nullable(),
        destination: z.string().nullable(),
        departsAt: z.string(),
        departsAtLocal: z.string(),
        timeZone: z.string(),
        checkInOpensAt: z.string(),
      })
      .describe("Generic content for a wallet pass; not a boarding pass"),
    notes: z.array(z.string()),
    language: LanguageAnswer,
    ...ProviderProvenance.shape,
  }),
  errors: {
    airport_not_found: "The origin is unknown. Give its IATA code, or add airportLatitude and airportLongitude.",
  },
  example: (today) => ({
    origin: "LHR",
    destination: "JFK",
    flightNumber: "117",
    carrier: "BA",
    pnr: "RZPNX8",
    departureDateTimeIso: `${today.add({ days: 60 })}T09:30:00Z`,
    stayLabel: "Hotel",
    stayLatitude: 51.5136,
    stayLongitude: -0.1365,
    travelerName: "Ada Lovelace",
  }),

  async run(input, { maps, ways, fileShelf, stores, clock, caller, call, fail, invalid }) {
    const madeAt = clock.now();
    const known = maps.airport(input.origin);
    const airport = chooseAirport(input, known, maps);
    if (airport === undefined) throw fail("airport_not_found");
    const { departsAt, notes: onDeparture } = await checkDeparture(input, airport.timeZone, stores, caller);
    if (Temporal.Instant.compare(departsAt, madeAt) <= 0) {
      throw invalid({ path: "departureDateTimeIso", message: "must be in the future" });
    }
    const words = wordsIn(input.language);
    const flight = describeFlight(input);
    const {
      way,
      isRouted = false,
      isCarInstead = false,
      notes,
      provenance = maps.ownProvenance,
    } = await findTransferWay(input, { airport, departsAt }, { maps, ways }, call.signal);
    const trip = {
      flight,
      departsAt,
      way,
      isRouted,
      isCarInstead,
      airport: airport.name,
      timeZone: airport.timeZone,
      pnr: shown(input.pnr),
      travelerName: shown(input.travelerName),
      checkInWindowHours: input.checkInWindowHours,
    };
    const { reminders, past } = remindersAhead(trip, words, madeAt);
    const local = (at: Temporal.Instant) => at.toZonedDateTimeISO(airport.timeZone).toPlainDateTime().toString();
    const tripKey = buildTripKey(caller.tenantId, input, local(departsAt).slice(0, 10));
    const ics = writeCalendar({ name: flight, reminders, tripKey, madeAt });
    const expiresAt = computeExpiry(madeAt, departsAt);
    const file = { fileName: "reminder.ics", contentType: "text/calendar; charset=utf-8", content: Buffer.from(ics) };
    const [icsUrl = ""] = await fileShelf.share(caller.tenantId, [file], expiresAt);
    const checkInOpensAt = departsAt.subtract({ hours: input.checkInWindowHours });
    return {
      reminders: reminders.map(({ kind, title, startsAt, alarms }) => ({
        kind,
        title,
        uid: hashUid(tripKey, kind),
        alarmsMinutesBefore: alarms,
        startsAt: startsAt.toString(),
        startsAtLocal: local(startsAt),
      })),
      ics,
      icsUrl,
      expiresAt: expiresAt.toString(),
      sequence: sequenceAt(madeAt),
      wallet: {
        kind: "flight" as const,
        flight,
        pnr: trip.pnr || null,
        travelerName: trip.travelerName || null,
        origin: input.origin.toUpperCase(),
        originName: known?.name ?? null,
        destination: input.destination?.toUpperCase() ?? null,
        departsAt: departsAt.toString(),
        departsAtLocal: local(departsAt),
        timeZone: airport.timeZone,
        checkInOpensAt: checkInOpensAt.toString(),
      },
      notes: [
        ...onDeparture,
        `Check-in is taken to open ${input.checkInWindowHours} hours before departure (checkInWindowHours); airlines differ, some open it weeks before.`,
        ...aboutAirport(airport, known),
        ...notes,
        ...past.map((kind) => PAST[kind]),
      ],
      language: words.answer,
      ...provenance,
    };
  },
});

/** Advice for reminders whose time has passed. */
const PAST = {
  check_in: "Check-in is already open, so there is no reminder for it: check in now.",
  leave:
    "The time to leave for the airport has passed, so there is no reminder for it: leave now, and tell the airline if you will be late.",
  departure: "The flight leaves now, so there is no reminder for it.",
} as const;

function computeExpiry(madeAt: Temporal.Instant, departsAt: Temporal.Instant): Temporal.Instant {
  const hours = Math.ceil(departsAt.since(madeAt).total("hours")) + HOURS_AFTER_DEPARTURE;
  return madeAt.add({ hours: Math.min(Math.max(hours, LEAST_HOURS), MOST_HOURS) });
}

const shown = (text = ""): string => toVisibleText(text, LONGEST_TEXT);

function describeFlight({ carrier, flightNumber, origin, destination }: TripInput): string {
  const [airline, number] = [shown(carrier), shown(flightNumber)];
  const name = number.toUpperCase().startsWith(airline.toUpperCase()) ? number : `${airline} ${number}`;
  const way = destination === undefined ? origin : `${origin}–${destination}`;
  return `${name} ${way.toUpperCase()}`.trim();
}

/** Values that a delay does not change: the booking and the flight, else also the day. */
function buildTripKey(tenantId: string, input: TripInput, localDate: string): string {
  const { pnr = "", carrier = "", flightNumber = "", origin, destination = "" } = input;
  const day = pnr === "" || flightNumber === "" ? localDate : "";
  return JSON.stringify(
    [tenantId, pnr, carrier, flightNumber, origin, destination, day].map((one) => one.toUpperCase()),
  );
}

type KnownAirport = Pick<Airport, "name" | "latitude" | "longitude" | "timeZone">;

/** The caller's coordinates take precedence over ours: the airport may have moved. */
function chooseAirport(
  { origin, airportLatitude, airportLongitude }: TripInput,
  known: Airport | undefined,
  maps: Ports["maps"],
): KnownAirport | undefined {
  if (airportLatitude === undefined || airportLongitude === undefined) return known;
  const position = { latitude: airportLatitude, longitude: airportLongitude };
  const [timeZone] = maps.timeZonesAt(position);
  if (timeZone === undefined) return known;
  return { ...position, timeZone, name: known?.name ?? origin.toUpperCase() };
}

/** Coordinates farther from the airport that the code names probably belong to another one. */
const SAME_AIRPORT_METERS = 20_000;

function aboutAirport(airport: KnownAirport, known: Airport | undefined): string[] {
  const apart = known === undefined ? 0 : distanceMeters(airport, known);
  return apart > SAME_AIRPORT_METERS
    ? [`The airport's coordinates are ${Math.round(apart / 1_000)} km from ${airport.name}: the coordinates were used.`]
    : [];
}

interface Way {
  way: Awaited<ReturnType<typeof findWay>>["way"];
  isRouted?: boolean;
  isCarInstead?: boolean;
  notes: string[];
  provenance: ProviderProvenance;
}

async function findTransferWay(
  input: TripInput,
  { airport, departsAt }: { airport: KnownAirport; departsAt: Temporal.Instant },
  ports: Pick<Ports, "maps" | "ways">,
  signal: AbortSignal,
): Promise<Way> {
  const { transferMode } = input;
  const { from, notes, provenance } = await findStay(input, airport, ports, signal);
  if (from === undefined) return { way: undefined, notes, provenance };
  const island = findIslandToReach(airport, from);
  if (island !== undefined) {
    const byBoat = `The place of stay is on an island (${island}) that no road or railway reaches: the traveler needs a boat or another flight to get to the airport. The times are not known here, so there is no reminder to leave. Look up the crossing.`;
    return { way: undefined, notes: [...notes, byBoat], provenance };
  }
  const asked = await findWay([from, airport], transferMode, ports, signal);
  const isCarInstead =
    transferMode === "transit" && asked.way !== undefined && isOutsideService(departsAt, asked.way, airport.timeZone);
  const known = isCarInstead ? await findWay([from, airport], "driving", ports, signal) : asked;
  const { way, routedBy } = known;
  if (way === undefined) {
    const tooFar = "The place of stay is over 300 km from the airport, so there is no reminder to leave.";
    return { way, notes: [...notes, tooFar], provenance };
  }
  const basis = routedBy === undefined ? "is estimated from the distance alone" : "is by road, without traffic";
  const said = saidOfWays([known]);
  return {
    way,
    isRouted: routedBy !== undefined,
    isCarInstead,
    notes: [
      ...notes,
      ...(isCarInstead ? [BY_CAR_INSTEAD] : transferMode === "transit" ? [ASSUMED_TRANSIT] : []),
      ...said.notes,
      `The travel time ${basis}, with ${MINUTES_AT_AIRPORT} minutes at the airport; follow the airline's advice if it differs.`,
    ],
    provenance: {
      ...provenance,
      attribution: [...new Set([...provenance.attribution, ...said.attribution])],
      fallbackFrom: [...provenance.fallbackFrom, ...known.fallbackFrom],
    },
  };
}

/** Neither on the way nor at its ends may the assumed timetable have stopped. */
function isOutsideService(departsAt: Temporal.Instant, way: WayToAirport, timeZone: string): boolean {
  const leaves = leavesAt(departsAt, way);
  return [leaves, leaves.add({ minutes: way.minutes })].some((at) => isWithoutTransit(at, timeZone));
}

interface FoundStay {
  /** Undefined if there is none, or it is unknown. */
  from: Position | undefined;
  notes: string[];
  provenance: ProviderProvenance;
}

/** By its coordinates, else by its address, taking the place of that name near the airport. */
async function findStay(
  { stayLabel, stayAddress = "", stayLatitude: latitude, stayLongitude: longitude }: TripInput,
  airport: KnownAirport,
  { maps }: Pick<Ports, "maps">,
  signal: AbortSignal,
): Promise<FoundStay> {
  const isGiven = latitude !== undefined && longitude !== undefined;
  const address = toVisibleText(isGiven ? stayAddress : stayAddress || (stayLabel ?? ""), LONGEST_ADDRESS);
  if (!isGiven && address === "") {
    const notes = ["No place of stay was given, so there is no reminder to leave for the airport."];
    return { from: undefined, notes, provenance: maps.ownProvenance };
  }
  const stop = { address, latitude, longitude };
  const { candidates, contradictionMeters, provenance } = await resolveStop(maps, stop, { limit: CANDIDATES, signal });
  if (isGiven) {
    const notes =
      contradictionMeters === null
        ? []
        : [
            `stayAddress names a place ${Math.round(contradictionMeters / 1_000)} km from the coordinates: the coordinates were used.`,
          ];
    return { from: { latitude, longitude }, notes, provenance };
  }
  const { taken, others } = takeNearAirport(candidates, [airport]);
  if (taken === undefined) {
    const notes = ["The place of stay is not known, so there is no reminder to leave for the airport."];
    return { from: undefined, notes, provenance };
  }
  const also = others.length === 0 ? [] : [`It could also be: ${others.join("; ")}.`];
  return { from: taken, notes: [`The place of stay was taken as ${taken.label}.`, ...also], provenance };
}
