import { z } from "zod";
import { Provenance } from "../../../domain/schemas.ts";
import { LanguageAnswer, wordsIn } from "../../../domain/texts.ts";
import { checkSlice } from "../../../domain/travel/check-slice.ts";
import { toVisibleText } from "../../../domain/visible-text.ts";
import { NextStep } from "../../bookings/index.ts";
import { AirlineChangeAnswer } from "../airline-change.ts";
import { defineTool } from "../context.ts";
import { AirlineDutyAnswer } from "../duties/airline-duty.ts";
import { isRefundable } from "../find-own-order.ts";
import { notifyTraveler, planNotice } from "../notify-traveler.ts";
import { saidOfOtherDay } from "../replan.ts";
import { describeFlight, formatLeg, identifyDisruption, ReplanInput } from "../replan-input.ts";
import { composeMessages } from "../replan-messages.ts";
import { judgeOutlook } from "../replan-outlook.ts";
import {
  AlternativesAnswer,
  ChangeAnswer,
  HotelAnswer,
  MessageAnswer,
  OwnStayAnswer,
  TransferAnswer,
} from "../replan-parts.ts";
import { replanTrip } from "../replan-trip.ts";
import { saidOfAlternatives, saidOfChange, sayNext } from "../say-replan.ts";

const LONGEST_REASON = 300;

const Given = z.looseObject({
  originalLeg: z.looseObject({ origin: z.unknown(), destination: z.unknown() }),
  rebookSearch: z.looseObject({ departureDate: z.unknown() }),
});

export const tripDelayReplanner = defineTool({
  name: "trip_delay_replanner",
  title: "Replan a disrupted trip",
  summary:
    "Find alternatives after a disrupted flight: other flights, changes of your order, a hotel, transfers, messages to the traveler.",
  advice:
    "It books nothing: each proposal has its price and, in next, the call that accepts it. With pnr, it is for your order's travelers and says what the order and stays return. notifyChannels with email mails the traveler once per disruption; whatsapp and slack are texts to pass on.",
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
    "delivery",
    "clock",
    "random",
    "fx",
  ],
  input: ReplanInput,
  output: z.object({
    earliestDeparture: z.string().describe("UTC; no flight that leaves before it is offered"),
    alternatives: AlternativesAnswer,
    airlineChange: AirlineChangeAnswer.nullable().describe(
      "What the airline itself did to your order's flights, and what it owes; null: nothing that the supplier tells",
    ),
    duties: z
      .array(AirlineDutyAnswer)
      .describe(
        "What the airline owes by EU 261/2004, UK 261 and the rules of the USA and Canada, the surest first; empty: these do not apply, and others are not known here. General statements of law, no decision about this case",
      ),
    change: ChangeAnswer,
    hotel: HotelAnswer.nullable().describe("Null: not asked for"),
    stays: z.array(OwnStayAnswer).describe("Yours at the destination, booked here"),
    transfer: TransferAnswer.nullable().describe("Between the hotel or the stay and the airport; null without both"),
    next: NextStep,
    messages: z.array(MessageAnswer),
    language: LanguageAnswer.describe("Of the messages, by the traveler's profile"),
    sandbox: z.boolean(),
    ...Provenance.shape,
  }),
  errors: {},
  example: (today) => ({
    originalLeg: {
      origin: "LHR",
      destination: "JFK",
      flightNumber: "BA117",
      carrier: "BA",
      scheduledDepartureIso: `${today.add({ days: 60 })}T09:30:00Z`,
    },
    disruption: {
      kind: "cancellation" as const,
      earliestUsableDepartureIso: `${today.add({ days: 60 })}T14:00:00Z`,
    },
    rebookSearch: { departureDate: today.add({ days: 60 }).toString() },
    needsHotelFallback: true,
    stayLocation: "LHR",
    notifyChannels: ["email" as const, "whatsapp" as const],
  }),

  check(args, { maps, clock }) {
    const { originalLeg, rebookSearch } = Given.safeParse(args).data ?? {};
    const paths = {
      origin: "originalLeg.origin",
      destination: "originalLeg.destination",
      date: "rebookSearch.departureDate",
    };
    const slice = { origin: originalLeg?.origin, destination: originalLeg?.destination };
    return checkSlice({ ...slice, date: rebookSearch?.departureDate }, paths, { maps, clock });
  },

  plan: (input, { caller, ...ports }) => planNotice(input.notifyChannels, identifyDisruption(input), caller, ports),

  async run(input, { caller, call, ...ports }) {
    const { originalLeg, disruption } = input;
    const { flights, travelers, maps } = ports;
    const { setting, ...found } = await replanTrip(input, ports, { caller, call });
    const { alternatives, change, airlineChange, duties, hotel, stays, transfer } = found;
    const profile = await travelers.get(caller.tenantId, caller.travelerId, caller.environment);
    const words = wordsIn(profile?.preferredLanguage ?? "en");
    const outlook = judgeOutlook(input, setting, found);
    const { own, replan } = setting;
    const leg = formatLeg(input, own?.isMissedOnTheWay ? { ...own, from: replan.origin } : own);
    const replanned = {
      outlook,
      flight: describeFlight(input, leg),
      leg,
      kind: disruption.kind,
      pnr: originalLeg.pnr?.toUpperCase() ?? "",
      reason: toVisibleText(disruption.reason ?? "", LONGEST_REASON),
      alternatives,
      change,
      airlineChange,
      hotel,
      transfer,
      passengers: replan.passengers,
      isRefundable: isRefundable(own),
    };
    const drafts = composeMessages(input.notifyChannels, replanned, { profile, words, isTrial: flights.sandbox });
    const messages = await notifyTraveler(drafts, identifyDisruption(input), caller, ports);
    const said = Temporal.Instant.from(originalLeg.scheduledDepartureIso);
    const otherDay = saidOfOtherDay(own, said, maps);
    return {
      earliestDeparture: setting.earliest.toString(),
      alternatives: { ...alternatives, reason: saidOfAlternatives(input, setting, alternatives, maps) },
      airlineChange,
      duties,
      change: { ...change, reason: saidOfChange(disruption.kind, change, found, own) },
      hotel,
      stays,
      transfer,
      next: sayNext(outlook, found, messages, otherDay),
      messages,
      language: words.answer,
      sandbox: flights.sandbox,
      ...flights.provenance(),
    };
  },
});
