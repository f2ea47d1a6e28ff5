import { distanceMeters } from "../../domain/distance.ts";
import type { Words } from "../../domain/texts.ts";
import type { Airport } from "../../ports/maps.ts";
import type { WayToAirport } from "../maps/index.ts";
import {
  addressForLinks,
  buildDeepLinks,
  findWay,
  fitToChannel,
  type KnownWay,
  type MapPorts,
  MINUTES_TO_EXIT,
  makeRouteMap,
  mapAttribution,
  mapTexts,
  saidOfWays,
} from "../maps/index.ts";
import type { WayMode } from "./arrival-input.ts";
import { arrivalTexts } from "./arrival-texts.ts";
import { type ArrivalTimes, ASSUMED_TRANSIT, BY_CAR_INSTEAD, computeTimes } from "./arrival-times.ts";
import type { Ports } from "./context.ts";
import type { ArrivalAirport, ArrivalDestination } from "./find-arrival-places.ts";
import { findIslandToReach } from "./islands.ts";

export type ArrivalPorts = MapPorts & Pick<Ports, "ways">;

interface Arrival {
  tenantId: string;
  airport: ArrivalAirport;
  destination: ArrivalDestination;
  mode: WayMode;
  landsAt: Temporal.Instant | undefined;
  /** Where people may wait in another time zone. */
  left: Pick<Airport, "iataCode" | "timeZone"> | undefined;
  words: Words;
}

/** The way from the airport with its times, map and links: the common part of every arrival answer. */
export async function planArrival(arrival: Arrival, ports: ArrivalPorts, signal: AbortSignal) {
  const { tenantId, airport, destination, landsAt, left, words } = arrival;
  // The time when the traveler leaves the airport does not depend on the way.
  const outside = landsAt && computeTimes(landsAt, undefined, airport.timeZone);
  const kilometers = distanceMeters(airport, destination) / 1_000;
  const island = findIslandToReach(airport, destination);
  const whyByCar = island === undefined ? whyNotAsked(arrival.mode, outside, kilometers) : undefined;
  const mode = whyByCar === undefined ? arrival.mode : "driving";
  const known: KnownWay =
    island === undefined
      ? await findWay([airport, destination], mode, ports, signal)
      : { way: undefined, routedBy: undefined, fallbackFrom: [] };
  const { way } = known;
  const times = landsAt && computeTimes(landsAt, way, airport.timeZone);
  const title = arrivalTexts(words)("fromTo", { airport: airport.label, destination: nameReached(destination) });
  const stops = [
    { ...toPosition(airport), label: airport.label },
    {
      ...toPosition(destination),
      label: nameReached(destination),
      address: addressForLinks({ ...destination, label: destination.takenAs }),
    },
  ];
  const { map, mapNote } = await makeRouteMap(ports, { tenantId, title, stops, words }, signal);
  const links = buildDeepLinks(stops, mode);
  return {
    title,
    way,
    times,
    known,
    mode,
    whyByCar,
    island,
    kilometers,
    answer: {
      airport,
      destination,
      way: way === undefined ? null : describeWay(way, mode, known),
      wayNote: sayWayNote(way, island),
      modeNote: sayModeNote(whyByCar, kilometers, buildDeepLinks(stops, arrival.mode).google),
      schedule: times === undefined ? null : describeTimes(times, airport.timeZone, left),
      links,
      map,
      mapNote,
    },
  };
}

/** The place that the way and the times are to: a larger one if a part of the address is unknown. */
const nameReached = ({ label, takenAs, unknownPart }: ArrivalDestination): string =>
  unknownPart === null ? label : takenAs;

function sayWayNote(way: WayToAirport | undefined, island: string | undefined): string | null {
  if (island !== undefined) {
    return `The destination is on an island (${island}) that no road or railway reaches: the traveler needs a boat or another flight. Their times are not known here, so no arrival time is estimated. Look up the crossing before you plan the trip to the port.`;
  }
  return way === undefined ? "Over 300 km in a straight line: no road journey is estimated." : null;
}

const STOPPED = `${BY_CAR_INSTEAD} For night lines, if there are any, see`;

/** The maximum walk with luggage; at night it is shorter, in a place unknown to the traveler. */
const FARTHEST_WALK_KILOMETERS = 5;
const FARTHEST_WALK_AT_NIGHT_KILOMETERS = 2;

type WhyByCar = "transit_stopped" | "walk_too_far" | "walk_at_night";

/** The reason why the plan is for a car instead of the requested mode. Undefined if it is as requested. */
function whyNotAsked(asked: WayMode, outside: ArrivalTimes | undefined, kilometers: number): WhyByCar | undefined {
  if (asked === "transit") return outside?.transit === "stopped" ? "transit_stopped" : undefined;
  if (asked !== "walking") return undefined;
  if (kilometers > FARTHEST_WALK_KILOMETERS) return "walk_too_far";
  return outside?.isNight === true && kilometers > FARTHEST_WALK_AT_NIGHT_KILOMETERS ? "walk_at_night" : undefined;
}

function sayModeNote(why: WhyByCar | undefined, kilometers: number, link: string): string | null {
  if (why === undefined) return null;
  if (why === "transit_stopped") return `${STOPPED} ${link}`;
  const limit =
    why === "walk_too_far"
      ? `over ${FARTHEST_WALK_KILOMETERS} km`
      : `at night over ${FARTHEST_WALK_AT_NIGHT_KILOMETERS} km`;
  return `You asked for walking, and the plan is for a car: it is ${kilometers.toFixed(1)} km in a straight line, and ${limit} no walk with luggage is planned. For the walking route, see ${link}`;
}

export type ArrivalPlan = Awaited<ReturnType<typeof planArrival>>;

const toPosition = ({ latitude, longitude }: { latitude: number; longitude: number }) => ({ latitude, longitude });

function describeWay(way: WayToAirport, mode: WayMode, { routedBy }: KnownWay) {
  const { distanceKilometers, roadKilometers, minutes, fewestMinutes, mostMinutes } = way;
  return {
    mode,
    isEstimate: routedBy === undefined,
    source: routedBy?.source ?? "distance",
    straightKilometers: distanceKilometers,
    roadKilometers,
    minutes: { fewest: fewestMinutes, likely: minutes, most: mostMinutes },
  };
}

function describeTimes({ landsAt, outside, arrives, isNight }: ArrivalTimes, timeZone: string, left: Arrival["left"]) {
  const local = (at: Temporal.Instant, zone = timeZone) => at.toZonedDateTimeISO(zone).toPlainDateTime().toString();
  const localBand = (band: typeof outside, zone = timeZone) => ({
    earliest: local(band.earliest, zone),
    likely: local(band.likely, zone),
    latest: local(band.latest, zone),
  });
  return {
    landsAt: landsAt.toString(),
    landsAtLocal: local(landsAt),
    timeZone,
    isNight,
    outsideAirportLocal: localBand(outside),
    atDestinationLocal: arrives === undefined ? null : localBand(arrives),
    atDestinationWhereTheyLeft:
      arrives === undefined || left === undefined || left.timeZone === timeZone
        ? null
        : { airport: left.iataCode, timeZone: left.timeZone, ...localBand(arrives, left.timeZone) },
    atDestination:
      arrives === undefined
        ? null
        : {
            earliest: arrives.earliest.toString(),
            likely: arrives.likely.toString(),
            latest: arrives.latest.toString(),
          },
  };
}

const KILOMETERS = { style: "unit", unit: "kilometer", maximumFractionDigits: 0 } as const;

/** The facts that decide how the traveler goes on, which lead the plan; empty if nothing is special. */
export function sayDecision(plan: ArrivalPlan, words: Words): string[] {
  const { label: asked, takenAs: place, unknownPart } = plan.answer.destination;
  const notFound = unknownPart === null ? [] : [arrivalTexts(words)("placeNotFound", { asked, place })];
  return [...notFound, ...sayHow(plan, words)];
}

function sayHow(plan: ArrivalPlan, words: Words): string[] {
  const { times, mode, whyByCar, island, kilometers, answer } = plan;
  const say = arrivalTexts(words);
  if (island !== undefined) return [say("wayByBoat", { island })];
  const isNight = times?.isNight === true;
  if (whyByCar === "walk_too_far" || whyByCar === "walk_at_night") {
    const distance = words.number(kilometers, KILOMETERS);
    const text = whyByCar === "walk_at_night" ? "walkAtNight" : "walkTooFar";
    return [say(text, { distance }), ...(isNight ? [say("carAtNight")] : [])];
  }
  if (times === undefined) return [];
  const moment = words.moment(times.outside.likely, answer.airport.timeZone);
  if (whyByCar === "transit_stopped") return [say("transitStopped", { moment })];
  if (mode === "transit") return times.transit === "may_end" ? [say("transitEnding")] : [];
  return mode === "driving" && isNight ? [say("carAtNight")] : [];
}

/** The duration of the way; undefined if it is unknown. */
export function sayDuration({ way }: ArrivalPlan, words: Words): string | undefined {
  if (way === undefined) return undefined;
  return arrivalTexts(words)("wayEstimated", {
    minutes: way.minutes,
    fewest: way.fewestMinutes,
    most: way.mostMinutes,
    distance: words.number(way.roadKilometers, KILOMETERS),
  });
}

/** Describes the way for the traveler; empty if the decision says it all. */
export function sayWay(plan: ArrivalPlan, words: Words): string[] {
  const { times, mode, island, answer } = plan;
  const say = arrivalTexts(words);
  const { airport, destination } = answer;
  const reached = nameReached(destination);
  if (island !== undefined) return [];
  const duration = sayDuration(plan, words);
  const moment = times?.arrives?.likely;
  return [
    ...(duration === undefined ? [say("wayUnknown")] : [say(mode, { destination: reached }), duration]),
    ...(moment === undefined
      ? []
      : [say("arrives", { destination: reached, moment: words.moment(moment, airport.timeZone) })]),
  ];
}

/** When the traveler lands and leaves the airport. */
export function sayExit({ times, answer: { airport } }: ArrivalPlan, words: Words): string[] {
  const say = arrivalTexts(words);
  const { fewest, most } = MINUTES_TO_EXIT;
  const lands = times === undefined ? [] : [say("lands", { moment: words.moment(times.landsAt, airport.timeZone) })];
  return [...lands, say("outside", { fewest, most })];
}

export function saySafety({ times }: ArrivalPlan, words: Words): string[] {
  const say = arrivalTexts(words);
  return [...(times?.isNight === true ? [say("safeNight")] : []), say("safeTaxi"), say("safeThings")];
}

/** The whole plan as a message for a chat or a page. */
export function arrivalCard({ title, answer: { map, links } }: ArrivalPlan, lines: readonly string[], words: Words) {
  const [summary = "", ...others] = lines;
  const say = mapTexts(words);
  return fitToChannel(
    {
      title,
      summary,
      lines: others,
      notes: "",
      isAdvice: true,
      picture: map === null ? undefined : { label: say("map"), url: map.lightPngUrl },
      links: [{ label: say("directions"), url: links.google }],
    },
    "web",
  );
}

/** Notes for the caller, in English. */
export function listNotes({ known, mode, island, answer: { airport, destination } }: ArrivalPlan): string[] {
  const { label, takenAs, unknownPart, otherCandidates } = destination;
  return [
    ...(airport.note === null ? [] : [airport.note]),
    ...(label === takenAs ? [] : [`The destination was taken as ${takenAs}.`]),
    ...(unknownPart === null
      ? []
      : [`This part of the address is not known and was ignored: ${unknownPart}. The time is to the larger place.`]),
    ...(otherCandidates.length === 0 ? [] : [`Near this airport it could also be: ${otherCandidates.join("; ")}.`]),
    ...(mode === "transit" && island === undefined ? [ASSUMED_TRANSIT] : []),
    ...saidOfWays([known]).notes,
    ...(island === undefined ? [sayBasis(known)] : []),
  ];
}

const sayBasis = ({ routedBy }: KnownWay): string =>
  routedBy === undefined
    ? "Distance and times are estimated from the straight line, without roads, traffic or timetables; follow the links for those. Only well-known islands are recognized: for any other island, the boat's time is not included."
    : "Distance and times are by road, without traffic; follow the links for that.";

export function listAttribution({ known, answer: { map } }: ArrivalPlan, attribution: readonly string[]): string[] {
  return [...new Set([...attribution, ...(known.routedBy?.attribution ?? []), ...mapAttribution(map)])];
}
