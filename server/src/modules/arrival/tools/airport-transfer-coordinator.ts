import { z } from "zod";
import type { Position } from "../../../ports/maps.ts";
import {
  allNumbers,
  type EmergencyNumbers,
  findEmergencyNumbers,
  numbersBy,
  sayReliability,
  sayServices,
} from "../../places/index.ts";
import { ArrivalAnswer, arrivalErrors } from "../arrival-answer.ts";
import { arrivalFields, checkAirportPosition, WayMode } from "../arrival-input.ts";
import { arrivalTexts } from "../arrival-texts.ts";
import { defineTool } from "../context.ts";
import { arrivalCard, listAttribution, listNotes, sayDecision, sayExit, saySafety, sayWay } from "../plan-arrival.ts";
import { planAskedArrival } from "../plan-asked-arrival.ts";

/** With luggage; more fit without. */
const TRAVELERS_IN_A_TAXI = 3;
/** With skis, sports bags or two large bags each. */
const TRAVELERS_WITH_HEAVY_BAGS_IN_A_TAXI = 2;

export const airportTransferCoordinator = defineTool({
  name: "airport_transfer_coordinator",
  title: "Coordinate an airport transfer",
  summary:
    "Plan the transfer from an airport to an address: estimated time as a range, pick-up time, map and directions.",
  advice: "It books nothing.",
  area: "trip",
  effect: "read",
  price: 3_000n,
  payableWithoutKey: true,
  uses: ["maps", "ways", "mapTiles", "mapRenderer", "fileShelf", "stores", "clock"],
  input: z
    .strictObject({
      ...arrivalFields,
      travelerCount: z.int().min(1).max(12).default(1),
      mode: WayMode.default("driving"),
      includeSafety: z.boolean().default(true),
    })
    .superRefine(checkAirportPosition),
  output: ArrivalAnswer.extend({
    taxisNeeded: z.int().nullable().describe("Three people with luggage each; null unless driving"),
    taxisNeededWithHeavyBags: z
      .int()
      .nullable()
      .describe("Two people each, with skis, sports bags or two large bags per person; null unless driving"),
    pickUpAtLocal: z
      .string()
      .nullable()
      .describe("When a driver should wait at arrivals; null unless driving, and without arrivalTimeIso"),
    safety: z
      .object({
        advice: z.array(z.string()),
        isNight: z.boolean().nullable(),
        emergencyNumbers: z
          .array(z.string())
          .describe(
            "Numbers for the territory of arrival, and for the destination's if different; notes say which service each number reaches and how reliable it is. Empty: none is known",
          ),
      })
      .nullable()
      .describe("Null: not asked for"),
  }),
  errors: arrivalErrors,
  example: (today) => ({
    airport: "LHR",
    destinationLabel: "Hotel in Soho",
    destinationAddress: "Soho, London",
    arrivalTimeIso: `${today.add({ days: 60 })}T21:45:00Z`,
    travelerCount: 4,
  }),

  async run(input, { caller, call, fail, ...ports }) {
    const { travelerCount, includeSafety } = input;
    const { signal } = call;
    const { plan, airport, destination, words, provenance } = await planAskedArrival(input, ports, {
      caller,
      signal,
      fail,
    });
    const { answer, times, mode } = plan;
    const countTaxis = (travelersInEach: number) =>
      mode === "driving" && answer.way !== null ? Math.ceil(travelerCount / travelersInEach) : null;
    const taxisNeeded = countTaxis(TRAVELERS_IN_A_TAXI);
    const { territories, contradiction } = numbersOnTheWay(ports.maps, airport, destination, input.regionCode);
    const emergencyNumbers = [...new Set(territories.flatMap((one) => (one === undefined ? [] : allNumbers(one))))];
    const safety = includeSafety
      ? { advice: saySafety(plan, words), isNight: answer.schedule?.isNight ?? null, emergencyNumbers }
      : null;
    const lines = [
      ...sayDecision(plan, words),
      ...sayExit(plan, words),
      ...sayWay(plan, words),
      ...(taxisNeeded === null ? [] : [arrivalTexts(words)("taxis", { count: taxisNeeded })]),
      ...(safety?.advice ?? []),
    ];
    return {
      ...answer,
      taxisNeeded,
      taxisNeededWithHeavyBags: countTaxis(TRAVELERS_WITH_HEAVY_BAGS_IN_A_TAXI),
      pickUpAtLocal:
        times === undefined || mode !== "driving" ? null : (answer.schedule?.outsideAirportLocal.likely ?? null),
      safety,
      card: arrivalCard(plan, lines, words),
      notes: [
        ...listNotes(plan),
        ...(safety === null
          ? []
          : [...(contradiction === null ? [] : [contradiction]), ...territories.map(aboutNumbers)]),
      ],
      language: words.answer,
      ...provenance,
      attribution: listAttribution(plan, provenance.attribution),
    };
  },
});

/** The place of landing comes first, where help is needed first. */
function numbersOnTheWay(
  maps: Parameters<typeof numbersBy>[0],
  airport: Position,
  destination: Position,
  regionCode: string | undefined,
) {
  const [here, there] = [numbersBy(maps, airport, regionCode), numbersBy(maps, destination, regionCode)];
  const codes = new Set([here.countryCode, there.countryCode].filter((code) => code !== undefined));
  const territories = [...codes].map(findEmergencyNumbers);
  return { territories: codes.size === 0 ? [undefined] : territories, contradiction: there.contradiction };
}

function aboutNumbers(emergency: EmergencyNumbers | undefined): string {
  const known = emergency === undefined ? "" : sayServices(emergency);
  const numbers = known === "" ? "" : `Emergency numbers in ${emergency?.territory}: ${known}. `;
  return `${numbers}${sayReliability(emergency)} travel_safety_aid says more, such as where sources disagree.`;
}
