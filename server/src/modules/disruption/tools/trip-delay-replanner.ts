import { z } from "zod";
import { Provenance } from "../../../domain/schemas.ts";
import { LanguageAnswer } from "../../../domain/texts.ts";
import { checkSlice } from "../../../domain/travel/check-slice.ts";
import { toVisibleText } from "../../../domain/visible-text.ts";
import { NextStep } from "../../bookings/index.ts";
import { AirlineChangeAnswer } from "../airline-change.ts";
import { defineTool } from "../context.ts";
import { AirlineDutyAnswer } from "../duties/airline-duty.ts";
import { findAddressees } from "../find-addressees.ts";
import { isRefundable } from "../find-own-order.ts";
import { planNotice } from "../notify-traveler.ts";
import { listOtherFlights } from "../other-flights.ts";
import { saidOfOtherDay } from "../replan.ts";
import { describeFlight, formatLeg, identifyDisruption, ReplanInput } from "../replan-input.ts";
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
import { writeToTravelers } from "../write-to-travelers.ts";

const LONGEST_REASON = 300;

const Given = z.looseObject({
  originalLeg: z.looseObject({ origin: z.unknown(), destination: z.unknown() }),
  rebookSearch: z.looseObject({ departureDate: z.unknown() }),
});

export const tripDelayReplanner = defineTool({
  name: "trip_delay_replanner",
  title: "Replan a disrupted trip",
  summary:
    "Find alternatives to a disrupted flight and tell the traveler on WhatsApp and Slack, unless notifyChannels is []: other flights, order changes, a hotel, transfers.",
  advice:
    "Books nothing: each proposal has its price and, in next, the call that accepts it. With pnr, it covers your order's travelers, writes to them alone, and says what order and stays would refund.",
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
    "channelNotices",
    "clock",
    "random",
    "fx",
  ],
  input: ReplanInput,
  output: z.object({
    earliestDeparture: z.string().describe("UTC; flights that leave earlier are not offered"),
    alternatives: AlternativesAnswer,
    airlineChange: AirlineChangeAnswer.nullable().describe(
      "What the airline itself changed in your order's flights, and what it owes; null: nothing known to the supplier",
    ),
    duties: z
      .array(AirlineDutyAnswer)
      .describe(
        "What the airline owes under EU 261/2004, UK 261 and the rules of the USA and Canada, most certain first; empty: these do not apply, and others are not known here. General statements of law, not a ruling on this case",
      ),
    change: ChangeAnswer,
    hotel: HotelAnswer.nullable().describe("Null: not requested"),
    stays: z.array(OwnStayAnswer).describe("Your stay at the destination, booked here"),
    transfer: TransferAnswer.nullable().describe("Between the hotel or the stay and the airport; null without both"),
    next: NextStep,
    messages: z.array(MessageAnswer),
    language: LanguageAnswer.describe("Language of the first message, from the traveler's profile"),
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

  async plan(input, { caller, ...ports }) {
    const { readers } = await findAddressees(input.originalLeg.pnr, ports, caller);
    return await planNotice(input.notifyChannels, identifyDisruption(input), readers, caller, ports);
  },

  async run(input, { caller, call, ...ports }) {
    const { originalLeg, disruption } = input;
    const { flights, maps } = ports;
    const { setting, ...found } = await replanTrip(input, ports, { caller, call });
    const { alternatives, change, airlineChange, duties, hotel, stays, transfer } = found;
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
    const isOtherLeg = own === undefined && change.orderId !== null;
    const told = { isOtherLeg, isTrial: flights.sandbox };
    const { messages, language } = await writeToTravelers(input, replanned, told, ports, caller);
    const said = Temporal.Instant.from(originalLeg.scheduledDepartureIso);
    const otherDay = saidOfOtherDay(own, said, maps);
    const otherFlights = listOtherFlights(own, maps, ports.clock.now());
    return {
      earliestDeparture: setting.earliest.toString(),
      alternatives: { ...alternatives, reason: saidOfAlternatives(input, setting, alternatives, maps) },
      airlineChange,
      duties,
      change: { ...change, reason: saidOfChange(disruption.kind, change, found, own) },
      hotel,
      stays,
      transfer,
      next: sayNext(outlook, { alternatives, change, otherFlights }, messages, otherDay),
      messages,
      language,
      sandbox: flights.sandbox,
      ...flights.provenance(),
    };
  },
});
