import { ICalCalendar, ICalCalendarMethod } from "ical-generator";
import type { Words } from "../../domain/texts.ts";
import { hashUid, sequenceAt } from "../../domain/travel/calendar-event.ts";
import { type Itinerary, nameItinerary, type Stop, sayLocal } from "./itinerary.ts";
import { itineraryTexts } from "./texts.ts";

/**
 * A calendar file (RFC 5545): an event for each flight, in UTC, and one of whole days for a stay. A flight whose airport's zone
 * is unknown has none. A later file of the order replaces the events.
 */
export function writeItineraryCalendar(itinerary: Itinerary, words: Words, madeAt: Temporal.Instant): string {
  const { orderId, flights, stay, reference, travelers } = itinerary;
  const say = itineraryTexts(words);
  const calendar = new ICalCalendar({
    name: nameItinerary(itinerary),
    method: ICalCalendarMethod.PUBLISH,
    prodId: { company: "Wayfare", product: "Itinerary", language: "EN" },
  });
  const facts = [
    ...(reference === undefined ? [] : [`${say("reference")}: ${reference}`]),
    `${say("travelers")}: ${travelers.join(", ")}`,
  ];
  const add = (
    part: string,
    event: { start: number; end: number; allDay?: boolean; summary: string; location: string; facts: string[] },
  ) =>
    calendar.createEvent({
      id: hashUid(orderId, part),
      sequence: sequenceAt(madeAt),
      stamp: new Date(madeAt.epochMilliseconds),
      start: new Date(event.start),
      end: new Date(event.end),
      allDay: event.allDay ?? false,
      summary: event.summary,
      location: event.location,
      description: event.facts.join("\n"),
    });
  for (const [index, { flightNumber, departure, arrival }] of flights.entries()) {
    if (departure.at === undefined || arrival.at === undefined) continue;
    add(`flight ${index}`, {
      start: departure.at.epochMilliseconds,
      end: arrival.at.epochMilliseconds,
      summary: `${flightNumber} ${departure.iataCode} – ${arrival.iataCode}`,
      location: departure.name,
      facts: [sayStop(say("departure"), departure, words), sayStop(say("arrival"), arrival, words), ...facts],
    });
  }
  if (stay !== undefined) {
    add("stay", {
      start: atMidnight(stay.checkIn),
      end: atMidnight(stay.checkOut),
      allDay: true,
      summary: stay.name,
      location: stay.address === undefined ? stay.name : `${stay.name}, ${stay.address}`,
      facts,
    });
  }
  return calendar.toString();
}

/** Calendars show their own zone, so the local time is said, too. */
const sayStop = (label: string, { local, name }: Stop, words: Words): string =>
  `${label}: ${sayLocal(local, words)}, ${name}`;

const atMidnight = (date: Temporal.PlainDate): number => date.toZonedDateTime("UTC").epochMilliseconds;
