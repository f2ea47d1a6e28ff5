import { z } from "zod";
import { CabinClass, CalendarDate, IataCode, Instant, IsoDate } from "../../domain/schemas.ts";
import { isEarlier } from "../../domain/travel/dates.ts";
import { toVisibleText } from "../../domain/visible-text.ts";

const LONGEST_TEXT = 100;

export const ReplanInput = z
  .strictObject({
    originalLeg: z.strictObject({
      origin: IataCode,
      destination: IataCode,
      scheduledDepartureIso: Instant,
      pnr: z.string().optional().describe("Of your own order; prices its change"),
      flightNumber: z.string().optional(),
      carrier: z.string().optional(),
    }),
    disruption: z.strictObject({
      kind: z.enum(["delay", "cancellation", "missed_connection", "weather", "other"]),
      earliestUsableDepartureIso: Instant.optional().describe("Default: the scheduled departure, but not before now"),
      reason: z.string().optional(),
    }),
    rebookSearch: z.strictObject({
      departureDate: IsoDate.describe("Also searches the next day if nothing is late enough"),
      passengers: z.int().min(1).max(9).default(1),
      cabinClass: CabinClass.default("economy"),
    }),
    needsHotelFallback: z
      .boolean()
      .default(false)
      .describe("true needs stayLocation; stay dates default to the night of the disruption"),
    stayLocation: z
      .string()
      .optional()
      .describe("Where to wait near the origin, or your stay: name, code or coordinates"),
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

export type ReplanInput = z.output<typeof ReplanInput>;

/** As suppliers write it: BA117 from "BA" and "117", "ba 117" or "BA117". */
export function formatFlightNumber({ carrier = "", flightNumber = "" }: ReplanInput["originalLeg"]): string {
  const [airline, number] = [carrier, flightNumber].map((text) => text.toUpperCase().replaceAll(/\s/g, ""));
  if (number === undefined || number === "" || airline === undefined) return "";
  return /^\d+$/.test(number) ? `${airline}${Number(number)}` : number;
}

export const formatLeg = (
  { originalLeg: { origin, destination } }: ReplanInput,
  { from = origin, changesAt = [] }: { from?: string; changesAt?: readonly string[] } = {},
): string => [from.toUpperCase(), ...changesAt, destination.toUpperCase()].join("–");

/** The values that distinguish disruptions: a change of one is news for the traveler. */
export function identifyDisruption(input: ReplanInput): readonly (string | undefined)[] {
  const { originalLeg, disruption } = input;
  const formatInstant = (text: string | undefined) =>
    text === undefined ? "" : Temporal.Instant.from(text).toString();
  const moments = [originalLeg.scheduledDepartureIso, disruption.earliestUsableDepartureIso].map(formatInstant);
  return [formatLeg(input), disruption.kind, ...moments];
}

/** With the leg as `formatLeg` wrote it. */
export function describeFlight(input: ReplanInput, leg: string): string {
  const { carrier, flightNumber } = input.originalLeg;
  const { travelerLabel } = input;
  const [airline, number, traveler] = [carrier, flightNumber, travelerLabel].map((text) =>
    toVisibleText(text ?? "", LONGEST_TEXT),
  );
  const name = number?.toUpperCase().startsWith(airline?.toUpperCase() ?? "") ? number : `${airline} ${number}`;
  const flight = `${name} ${leg}`.trim();
  return traveler ? `${flight} (${traveler})` : flight;
}
