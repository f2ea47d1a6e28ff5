import { z } from "zod";
import { CabinClass, IataCode, IsoDate, isCalendarDate, Provenance } from "../../../domain/schemas.ts";
import { LanguageAnswer, wordsIn } from "../../../domain/texts.ts";
import { toVisibleText } from "../../../domain/visible-text.ts";
import { defineTool } from "../../../kernel/tool.ts";
import { checkSlice, isEarlier } from "../../bookings/index.ts";
import { arrivalOf, findAlternatives, findChange, type Replan } from "../find-alternatives.ts";
import { findHotels, findStayPlace, findTransfer, type NightStay, placeOfNight } from "../find-stay-for-night.ts";
import { Instant } from "../instant-field.ts";
import { notifyTraveler, planNotice } from "../notify-traveler.ts";
import { composeMessages } from "../replan-messages.ts";
import {
  AlternativesAnswer,
  ChangeAnswer,
  HotelAnswer,
  MessageAnswer,
  partly,
  TransferAnswer,
  unavailable,
} from "../replan-parts.ts";
import { airportOfTransfer, effectOn, roleOfStay, saidOfStay } from "../stay-role.ts";

const LONGEST_TEXT = 100;
const LONGEST_REASON = 300;

const CalendarDate = z.string().refine(isCalendarDate, { message: "must be a real calendar date, YYYY-MM-DD" });

const Input = z
  .strictObject({
    originalLeg: z.strictObject({
      origin: IataCode,
      destination: IataCode,
      scheduledDepartureIso: Instant,
      pnr: z.string().optional().describe("Of your own order: its change is priced"),
      flightNumber: z.string().optional(),
      carrier: z.string().optional(),
    }),
    disruption: z.strictObject({
      kind: z.enum(["delay", "cancellation", "missed_connection", "weather", "other"]),
      earliestUsableDepartureIso: Instant.optional().describe("Default: the scheduled departure, but not before now"),
      reason: z.string().optional(),
    }),
    rebookSearch: z.strictObject({
      departureDate: IsoDate.describe("The day after, too, if it has nothing late enough, and until the night ends"),
      passengers: z.int().min(1).max(9).default(1),
      cabinClass: CabinClass.default("economy"),
    }),
    needsHotelFallback: z
      .boolean()
      .default(false)
      .describe("true needs stayLocation; stay dates default to the night of the disruption"),
    stayLocation: z.string().optional().describe("Near the origin, or the stay at the destination"),
    stayCheckInDate: CalendarDate.optional().describe("YYYY-MM-DD"),
    stayCheckOutDate: CalendarDate.optional().describe("YYYY-MM-DD"),
    travelerLabel: z.string().optional(),
    notifyChannels: z.array(z.enum(["whatsapp", "slack", "email"])).default(["whatsapp", "slack"]),
    transferMode: z.enum(["driving", "transit"]).default("driving"),
  })
  .superRefine(({ needsHotelFallback, stayLocation = "", stayCheckInDate, stayCheckOutDate }, context) => {
    const issue = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
    if (needsHotelFallback && stayLocation.trim() === "") issue("stayLocation", "is needed with needsHotelFallback");
    if (stayCheckInDate === undefined || stayCheckOutDate === undefined) return;
    if (stayCheckOutDate === stayCheckInDate || isEarlier(stayCheckOutDate, stayCheckInDate)) {
      issue("stayCheckOutDate", "must be after the check-in date");
    }
  });

type ReplanInput = z.output<typeof Input>;

const Given = z.looseObject({
  originalLeg: z.looseObject({ origin: z.unknown(), destination: z.unknown() }),
  rebookSearch: z.looseObject({ departureDate: z.unknown() }),
});

export const tripDelayReplanner = defineTool({
  name: "trip_delay_replanner",
  title: "Replan a disrupted trip",
  summary:
    "Find ways on after a disrupted flight: other flights, the price of changing your order, a hotel, the transfer, and messages to the traveler.",
  advice:
    "It books nothing. About one disruption the traveler of the profile is mailed once; messages say what was sent, or why it was not. Next: book_flight, select_order_change_offer or quote_stay.",
  area: "trip",
  effect: "write",
  price: 3_000n,
  payableWithoutKey: false,
  uses: [
    "flights",
    "flightServicing",
    "stays",
    "maps",
    "ways",
    "travelers",
    "stores",
    "mailer",
    "mailing",
    "clock",
    "random",
    "fx",
  ],
  input: Input,
  output: z.object({
    earliestDeparture: z.string().describe("UTC; no flight that leaves before it is offered"),
    alternatives: AlternativesAnswer,
    change: ChangeAnswer,
    hotel: HotelAnswer.nullable().describe("Null: not asked for"),
    transfer: TransferAnswer.nullable().describe(
      "From the hotel to the airport, or at the destination to the hotel; null without a stay",
    ),
    messages: z.array(MessageAnswer),
    language: LanguageAnswer.describe("Of the messages, by the traveler's profile"),
    sandbox: z.boolean(),
    ...Provenance.shape,
  }),
  errors: {},
  example: (today) => ({
    originalLeg: {
      ...{ origin: "LHR", destination: "JFK", flightNumber: "BA117", carrier: "BA" },
      scheduledDepartureIso: `${today.add({ days: 60 })}T09:30:00Z`,
    },
    disruption: {
      kind: "cancellation" as const,
      earliestUsableDepartureIso: `${today.add({ days: 60 })}T14:00:00Z`,
    },
    rebookSearch: { departureDate: today.add({ days: 60 }).toString() },
    ...{ needsHotelFallback: true, stayLocation: "LHR" },
    notifyChannels: ["email" as const, "whatsapp" as const],
  }),

  check(args, { maps, clock }) {
    const { originalLeg, rebookSearch } = Given.safeParse(args).data ?? {};
    const paths = {
      ...{ origin: "originalLeg.origin", destination: "originalLeg.destination" },
      date: "rebookSearch.departureDate",
    };
    const slice = { origin: originalLeg?.origin, destination: originalLeg?.destination };
    return checkSlice({ ...slice, date: rebookSearch?.departureDate }, paths, { maps, clock });
  },

  plan: (input, { caller, ...ports }) => planNotice(input.notifyChannels, disruptionOf(input), caller, ports),

  async run(input, { caller, call, ...ports }) {
    const { originalLeg, disruption, needsHotelFallback, stayLocation = "" } = input;
    const { flights, maps, clock, travelers } = ports;
    const asker = { caller, call };
    const earliest = earliestOf(input, clock.now());
    const origin = maps.airport(originalLeg.origin);
    const timeZone = origin?.timeZone ?? "Etc/UTC";
    const night = nightOf(input, clock.now(), timeZone);
    const leg = { origin, destination: maps.airport(originalLeg.destination) };
    const airports = [leg.origin, leg.destination];
    const stay = await partly(
      async () => (stayLocation.trim() === "" ? NOWHERE : await findStayPlace(stayLocation, airports, ports, asker)),
      () => NOWHERE,
    );
    const role = roleOfStay(stay, leg, night, input.rebookSearch.departureDate);
    const replan = replanOf(input, earliest, timeZone, role === "waiting" ? night : undefined);
    call.progress("Searching other flights");
    const alternatives = await partly(
      () => findAlternatives(replan, ports, asker),
      (reason) => ({ ...unavailable(reason), offers: [], searchedDates: [replan.departureDate], considered: 0 }),
    );
    call.progress("Asking what a change costs");
    const change = await partly(
      () => findChange(originalLeg.pnr, replan, alternatives.searchedDates, ports, asker),
      (reason) => ({ ...unavailable(reason), orderId: null, offers: [] }),
    );
    const hotel = needsHotelFallback
      ? await partly(
          () => findHotels(stay, night, ports, asker),
          (reason) => ({
            ...unavailable(reason),
            takenAs: null,
            otherCandidates: [],
            ...datesOf(night),
            ...{ accommodations: [], picks: null },
          }),
        )
      : null;
    const isArrival = role === "destination";
    const meant = airportOfTransfer(alternatives.offers, role, night);
    const nearest = isArrival ? airports.toReversed() : airports;
    const way = { airports: [...(meant === undefined ? [] : [maps.airport(meant)]), ...nearest], isArrival };
    const transfer =
      stayLocation.trim() === ""
        ? null
        : await findTransfer(placeOfNight(stay, hotel), way, input.transferMode, ports, asker);
    const profile = await travelers.get(caller.tenantId, caller.travelerId, caller.environment);
    const words = wordsIn(profile?.preferredLanguage ?? "en");
    const replanned = {
      ...{
        flight: flightOf(input),
        leg: legOf(input),
        kind: disruption.kind,
        pnr: originalLeg.pnr?.toUpperCase() ?? "",
      },
      ...{ reason: toVisibleText(disruption.reason ?? "", LONGEST_REASON), alternatives, change, hotel, transfer },
      isArrival,
    };
    const ofStay = [
      ...(stayLocation.trim() === "" ? [] : saidOfStay(role, night, replan)),
      ...(isArrival && input.stayCheckInDate ? [effectOn(night, arrivalOf(alternatives.offers[0]))] : []),
    ];
    const drafts = composeMessages(input.notifyChannels, replanned, { profile, words, isTrial: flights.sandbox });
    return {
      earliestDeparture: earliest.toString(),
      alternatives: { ...alternatives, reason: [alternatives.reason ?? [], ...ofStay].flat().join(" ") || null },
      change:
        disruption.kind === "cancellation" && change.offers.length > 0
          ? { ...change, reason: [change.reason ?? [], FARE_PENALTY].flat().join(" ") }
          : change,
      ...{ hotel, transfer },
      messages: await notifyTraveler(drafts, disruptionOf(input), caller, ports),
      language: words.answer,
      sandbox: flights.sandbox,
      ...flights.provenance(),
    };
  },
});

const FARE_PENALTY =
  "penaltyAmount is the fare's own, for a change that the traveler wants. An airline that cancelled often waives it, and may owe another flight or the money. What it owes here is not known: ask the airline before you pay.";
const NOWHERE = { place: undefined, others: [] };

/** Nobody can take a flight that has left. */
function earliestOf({ originalLeg, disruption }: ReplanInput, now: Temporal.Instant): Temporal.Instant {
  const wanted = Temporal.Instant.from(disruption.earliestUsableDepartureIso ?? originalLeg.scheduledDepartureIso);
  return Temporal.Instant.compare(wanted, now) < 0 ? now : wanted;
}

function replanOf(
  input: ReplanInput,
  earliest: Temporal.Instant,
  timeZone: string,
  waiting: NightStay | undefined,
): Replan {
  const { originalLeg, disruption, rebookSearch } = input;
  const departsLocal = Temporal.Instant.from(originalLeg.scheduledDepartureIso)
    .toZonedDateTimeISO(timeZone)
    .toPlainDateTime();
  const cancelled = { departsLocal, flightNumber: flightNumberOf(originalLeg) };
  return {
    ...{ origin: originalLeg.origin.toUpperCase(), destination: originalLeg.destination.toUpperCase() },
    ...rebookSearch,
    morningAfter: input.needsHotelFallback ? waiting?.checkOutDate : undefined,
    earliestLocal: earliest.toZonedDateTimeISO(timeZone).toPlainDateTime(),
    cancelled: disruption.kind === "cancellation" ? cancelled : undefined,
  };
}

/** As suppliers write it: BA117 of "BA" and "117", of "ba 117", and of "BA117". */
function flightNumberOf({ carrier = "", flightNumber = "" }: ReplanInput["originalLeg"]): string {
  const [airline, number] = [carrier, flightNumber].map((text) => text.toUpperCase().replaceAll(/\s/g, ""));
  if (number === undefined || number === "" || airline === undefined) return "";
  return /^\d+$/.test(number) ? `${airline}${Number(number)}` : number;
}

/** The night after the disrupted flight should have left, or the next one that can be booked, when nothing else is said. */
function nightOf(input: ReplanInput, now: Temporal.Instant, timeZone: string): NightStay {
  const { originalLeg, stayLocation: location = "", stayCheckInDate, stayCheckOutDate, rebookSearch } = input;
  const scheduled = Temporal.Instant.from(originalLeg.scheduledDepartureIso);
  const first = Temporal.Instant.compare(scheduled, now) < 0 ? now : scheduled;
  const checkInDate = stayCheckInDate ?? first.toZonedDateTimeISO(timeZone).toPlainDate().toString();
  const nextDay = Temporal.PlainDate.from(checkInDate).add({ days: 1 }).toString();
  const checkOutDate = stayCheckOutDate !== undefined && checkInDate < stayCheckOutDate ? stayCheckOutDate : nextDay;
  return { location, checkInDate, checkOutDate, guests: rebookSearch.passengers };
}

const datesOf = ({ checkInDate, checkOutDate }: NightStay) => ({ checkInDate, checkOutDate });

const legOf = ({ originalLeg: { origin, destination } }: ReplanInput): string =>
  `${origin.toUpperCase()}–${destination.toUpperCase()}`;

/** What makes it another one that the traveler must hear of. */
function disruptionOf(input: ReplanInput): readonly (string | undefined)[] {
  const { originalLeg, disruption } = input;
  const instantOf = (text: string | undefined) => (text === undefined ? "" : Temporal.Instant.from(text).toString());
  const moments = [originalLeg.scheduledDepartureIso, disruption.earliestUsableDepartureIso].map(instantOf);
  return [legOf(input), disruption.kind, ...moments];
}

function flightOf(input: ReplanInput): string {
  const { carrier, flightNumber } = input.originalLeg;
  const { travelerLabel } = input;
  const [airline, number, traveler] = [carrier, flightNumber, travelerLabel].map((text) =>
    toVisibleText(text ?? "", LONGEST_TEXT),
  );
  const name = number?.toUpperCase().startsWith(airline?.toUpperCase() ?? "") ? number : `${airline} ${number}`;
  const leg = `${name} ${legOf(input)}`.trim();
  return traveler ? `${leg} (${traveler})` : leg;
}
