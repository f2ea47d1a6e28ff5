import { z } from "zod";
import { parseDecimal } from "../../domain/money.ts";
import type { Maps } from "../../ports/maps.ts";
import { airlineDuties } from "./duties/airline-duties.ts";
import type { AirlineDuty, DisruptedFlight } from "./duties/airline-duty.ts";
import { findDeparture, type OwnOrder } from "./find-own-order.ts";
import { type ChangeAnswer, NextCall } from "./replan-parts.ts";

const Flight = z.object({
  flightNumber: z.string(),
  origin: z.string(),
  destination: z.string(),
  departingAt: z.string(),
  arrivingAt: z.string(),
});

const Source = z.object({ title: z.string(), url: z.string(), asOf: z.string().nullable() });
const OwedInstead = z.object({
  rule: z.string(),
  owes: z.enum(["flight_or_refund", "refund"]),
  text: z.string(),
  onlyIf: z.string().nullable(),
  source: Source,
});

export const AirlineChangeAnswer = z.object({
  id: z.string(),
  detectedAt: z.string().nullable(),
  was: z.array(Flight).readonly(),
  becomes: z.array(Flight).readonly().describe("Empty: the airline cancelled them"),
  departsLaterMinutes: z.int().nullable().describe("Below zero: earlier"),
  arrivesLaterMinutes: z.int().nullable(),
  options: z
    .array(
      z.object({
        kind: z.enum(["accept", "airline_duty", "ask_airline", "voluntary_change"]),
        beyondPaidAmount: z.string().nullable().describe("In order.totalCurrency; negative: refunded"),
        text: z.string(),
        next: NextCall.nullable(),
      }),
    )
    .describe("Listed in the order in which to try them"),
  duties: z.array(OwedInstead).describe("The duties to offer another flight or a refund"),
});

export type AirlineChange = z.output<typeof AirlineChangeAnswer>;

type Change = z.input<typeof ChangeAnswer>;
type Found = OwnOrder["details"]["airlineChanges"][number];

/** The airline's own unanswered change of these flights, and all its duties; undefined if the supplier reports none. */
export function describeAirlineChange(
  own: OwnOrder | undefined,
  change: Change,
  flight: DisruptedFlight,
  maps: Pick<Maps, "airport">,
): { airlineChange: AirlineChange; duties: AirlineDuty[] } | undefined {
  const found = own?.details.airlineChanges.findLast((one) => concernsSlice(one, own));
  if (own === undefined || found === undefined) return undefined;
  const { id, detectedAt, removed, added } = found;
  const times = [findMoments(removed, maps), findMoments(added, maps)] as const;
  const later = (at: "departs" | "arrives") => {
    const [was, becomes] = [times[0][at], times[1][at]];
    return was && becomes ? Math.round(was.until(becomes).total("minutes")) : undefined;
  };
  const [departsLaterMinutes, arrivesLaterMinutes] = [later("departs"), later("arrives")];
  const ends = [listEnds(removed), listEnds(added)] as const;
  const isCancelled = added.length === 0;
  const [wasOn, isOn] = [removed, added].map(([first]) => first?.departingAt.slice(0, 10));
  const duties = airlineDuties({
    ...flight,
    event: isCancelled ? "cancellation" : "delay",
    departsLaterMinutes,
    arrivesLaterMinutes,
    leavesNextDay: isOn === undefined || wasOn === undefined ? undefined : wasOn < isOn,
    isElsewhere: !isCancelled && ends[0].join() !== ends[1].join(),
  });
  const instead = duties.flatMap(({ rule, owes, text, onlyIf, source }) =>
    owes === "flight_or_refund" || owes === "refund" ? [{ rule, owes, text, onlyIf, source }] : [],
  );
  const airlineChange = {
    id,
    detectedAt,
    was: removed,
    becomes: added,
    duties: instead,
    departsLaterMinutes: departsLaterMinutes ?? null,
    arrivesLaterMinutes: arrivesLaterMinutes ?? null,
    options: [...(isCancelled ? [] : [ACCEPT]), owed(instead, change), ...voluntary(change)],
  };
  return { airlineChange, duties };
}

/** Whether it changes the leg's slice, as it was or as it already is. */
function concernsSlice({ removed, added }: Found, { slice }: OwnOrder): boolean {
  return slice.segments.some((segment) =>
    [...removed, ...added].some(
      ({ flightNumber, origin }) => flightNumber === segment.flightNumber && origin === segment.origin,
    ),
  );
}

const listEnds = (flights: Found["removed"]): string[] => [flights[0]?.origin ?? "", flights.at(-1)?.destination ?? ""];

function findMoments(flights: Found["removed"], maps: Pick<Maps, "airport">) {
  const [first, last] = [flights[0], flights.at(-1)];
  return {
    departs: first && findDeparture(first, maps),
    arrives: last && findDeparture({ origin: last.destination, departingAt: last.arrivingAt }, maps),
  };
}

type Option = AirlineChange["options"][number];

const ACCEPT: Option = {
  kind: "accept",
  beyondPaidAmount: "0.00",
  text: "Accept the flights as the airline moved them. This service cannot answer the airline: the traveler accepts there, with the pnr.",
  next: null,
};

function owed(duties: AirlineChange["duties"], change: Change): Option {
  const sure = duties.filter(({ onlyIf }) => onlyIf === null);
  const [first] = sure.length > 0 ? sure : duties;
  if (first === undefined) {
    return {
      kind: "ask_airline",
      beyondPaidAmount: null,
      text: `No law known here obliges the airline for this route and change. Ask the airline, with the pnr: its conditions of carriage say what it offers. ${sayReturned(change)}`,
      next: null,
    };
  }
  const named = sure.length > 0 ? sure : duties;
  const what = named.some(({ owes }) => owes === "flight_or_refund") ? "another flight or the money" : "the money back";
  const condition = first.onlyIf === null ? "" : ` This applies only under this condition: ${first.onlyIf}`;
  return {
    kind: "airline_duty",
    beyondPaidAmount: "0.00",
    text: `Ask the airline for ${what}, under ${named.map(({ rule }) => rule).join(" and ")}.${condition} ${sayReturned(change)}`,
    next: null,
  };
}

/** The airline's current quote for a cancellation, which may differ from the fare's terms after it changed the flights. */
function sayReturned({ order }: Change): string {
  if (order === null || order.returnedAmount === null)
    return "Ask it before you cancel anything here: the refund for a cancellation is not known now.";
  const { returnedAmount, totalAmount, totalCurrency } = order;
  if (parseDecimal(returnedAmount) === parseDecimal(totalAmount))
    return `Cancelling here now refunds the whole price, ${returnedAmount} ${totalCurrency}, and gives up the right to another flight: cancel_order_quote.`;
  return `Ask it before you cancel anything here: cancelling now refunds only ${returnedAmount} of ${totalAmount} ${totalCurrency}.`;
}

/** The supplier's price for a change at the traveler's own wish. */
function voluntary({ offers }: Change): Option[] {
  const [cheapest] = offers;
  if (cheapest === undefined) return [];
  return [
    {
      kind: "voluntary_change",
      beyondPaidAmount: cheapest.changeTotalAmount,
      text: "A voluntary change, at the supplier's current price. What the airline owes costs nothing: ask for that first.",
      next: cheapest.next,
    },
  ];
}
