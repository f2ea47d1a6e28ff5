import type { Words } from "../../domain/texts.ts";
import type { ItineraryPage, ItineraryRenderer } from "./drawing/itinerary-renderer.ts";
import { type Itinerary, nameItinerary, type Stop, sayLocal } from "./itinerary.ts";
import { itineraryTexts, SANDBOX_MARK } from "./texts.ts";
import { writeItineraryCalendar } from "./write-itinerary-calendar.ts";

/** The PDF and the calendar file, in this order. Throws `ItineraryNotDrawn`. */
export async function makeFiles(
  renderer: Pick<ItineraryRenderer, "render">,
  itinerary: Itinerary,
  words: Words,
  madeAt: Temporal.Instant,
) {
  const pdf = await renderer.render(layOut(itinerary, words, madeAt));
  const calendar = writeItineraryCalendar(itinerary, words, madeAt);
  return [
    { fileName: "itinerary.pdf", contentType: "application/pdf", content: pdf },
    { fileName: "itinerary.ics", contentType: "text/calendar; charset=utf-8", content: Buffer.from(calendar) },
  ];
}

const asList = (text: string | undefined): string[] => (text === undefined ? [] : [text]);

/** The accommodation's zone is not known. */
const sayUtc = (at: Temporal.Instant, words: Words): string =>
  `${sayLocal(at.toZonedDateTimeISO("UTC").toPlainDateTime(), words)} UTC`;

function layOut(itinerary: Itinerary, words: Words, madeAt: Temporal.Instant): ItineraryPage {
  const { orderId, reference, travelers, tickets, flights, stay, sandbox } = itinerary;
  const say = itineraryTexts(words);
  const sayStop = ({ local, name }: Stop) => [sayLocal(local, words), name];
  const booking = [
    { label: say("reference"), values: [reference ?? orderId] },
    { label: say("travelers"), values: travelers },
    { label: say("tickets"), values: tickets },
  ];
  return {
    title: say("itinerary"),
    name: nameItinerary(itinerary),
    locale: words.locale,
    mark: sandbox ? SANDBOX_MARK : undefined,
    groups: [
      { heading: undefined, facts: booking },
      ...flights.map(({ flightNumber, departure, arrival }) => ({
        heading: flightNumber,
        facts: [
          { label: say("departure"), values: sayStop(departure) },
          { label: say("arrival"), values: sayStop(arrival) },
        ],
      })),
      ...(stay === undefined
        ? []
        : [
            {
              heading: stay.name,
              facts: [
                { label: say("address"), values: asList(stay.address) },
                { label: say("phone"), values: asList(stay.phone) },
                { label: say("checkIn"), values: [words.date(stay.checkIn)] },
                { label: say("checkOut"), values: [words.date(stay.checkOut)] },
                { label: say("keyCollection"), values: asList(stay.keyCollection) },
                { label: say("freeUntil"), values: asList(stay.freeUntil && sayUtc(stay.freeUntil, words)) },
              ].filter(({ values }) => values.length > 0),
            },
          ]),
    ],
    note: flights.length === 0 ? undefined : say("localTimes"),
    made: new Date(madeAt.epochMilliseconds),
  };
}
