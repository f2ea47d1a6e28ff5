import type { z } from "zod";
import { parseDecimal } from "../../domain/money.ts";
import type { Maps } from "../../ports/maps.ts";
import type { AirlineChange } from "./airline-change.ts";
import { isRefundable, type OwnOrder } from "./find-own-order.ts";
import { saidOfCity, saidOfOrder } from "./replan.ts";
import type { ReplanInput } from "./replan-input.ts";
import type { AlternativesAnswer, ChangeAnswer, MessageAnswer } from "./replan-parts.ts";
import type { Setting } from "./replan-setting.ts";
import { arrivalOf, effectOn, saidOfStay } from "./stay-role.ts";

type Alternatives = z.input<typeof AlternativesAnswer>;
type Change = z.input<typeof ChangeAnswer>;
type Kind = ReplanInput["disruption"]["kind"];

/** By what rule they were chosen, and where order, stay and search are not what the caller may think. */
export function saidOfAlternatives(
  { originalLeg, rebookSearch, stayCheckInDate }: ReplanInput,
  { replan, own, stay, role, stayed }: Setting,
  { reason, offers }: Alternatives,
  maps: Maps,
): string | null {
  const scheduled = Temporal.Instant.from(originalLeg.scheduledDepartureIso);
  const said = [
    ...(reason === null ? [] : [reason]),
    ...saidOfOrder(own, { ...rebookSearch, origin: replan.origin, scheduled }, maps),
    ...(isRefundable(own) && offers.some(({ conditions }) => conditions.refundBeforeDeparture?.allowed !== true)
      ? ["Your order can be given back. Of these, those whose conditions.refundBeforeDeparture is not allowed cannot."]
      : []),
    ...(stay === undefined ? [] : saidOfStay(role, stayed, replan)),
    ...(role === "destination" && stayCheckInDate ? [effectOn(stayed, arrivalOf(offers[0]))] : []),
    ...saidOfCity(replan, maps),
  ];
  return said.join(" ") || null;
}

const OF_FARE = "penaltyAmount is the fare's own, for a change that the traveler wants, and is in changeTotalAmount.";
const AIRLINE_CANCELLED =
  "An airline that cancelled often waives it, and may owe another flight or the money. What it owes here is not known: ask the airline before you pay.";

const AIRLINE_CHANGED =
  "The airline itself changed this flight: airlineChange says what it owes for nothing. These are the prices of a change that you want.";
const KEEPS_REFUND_UNKNOWN =
  "Your order can be given back; whether it still can after a change, the supplier says only once it is made.";

/** Whose penalty the changes carry. */
export function saidOfChange(
  kind: Kind,
  { reason, offers }: Change,
  airlineChange: AirlineChange | null,
  own: OwnOrder | undefined,
): string | null {
  const isPenalized = offers.some(({ penaltyAmount }) => (parseDecimal(penaltyAmount ?? "") ?? 0n) > 0n);
  const said = [
    ...(reason === null ? [] : [reason]),
    ...(offers.length > 0 && (isPenalized || kind === "cancellation") ? [OF_FARE] : []),
    ...(offers.length > 0 && kind === "cancellation" && airlineChange === null ? [AIRLINE_CANCELLED] : []),
    ...(offers.length > 0 && airlineChange !== null ? [AIRLINE_CHANGED] : []),
    ...(offers.length > 0 && isRefundable(own) ? [KEEPS_REFUND_UNKNOWN] : []),
  ];
  return said.join(" ") || null;
}

/** What to do with the proposals, in the order of what it costs to try it. */
export function nextOf(
  kind: Kind,
  {
    alternatives,
    change,
    airlineChange,
  }: { alternatives: Alternatives; change: Change; airlineChange: AirlineChange | null },
  messages: readonly z.input<typeof MessageAnswer>[],
): string {
  const steps = [
    ...(airlineChange === null
      ? []
      : ["Answer the airline first: airlineChange.options says how, and what each costs."]),
    ...(airlineChange === null && (kind === "cancellation" || kind === "missed_connection")
      ? ["Ask the airline first, which may take the traveler on for nothing."]
      : []),
    ...(change.available
      ? ["To keep the order: select_order_change_offer, then confirm_order_change with the due that it answers."]
      : []),
    ...(alternatives.available
      ? [
          `${change.available ? "Or buy" : "Buy"} a new ticket with book_flight${change.order === null ? "" : ", and give the old order with all its flights back by cancel_order_quote and confirm_cancel_order"}.`,
        ]
      : []),
  ];
  const ways = steps.join(" ") || "Call again with a later departureDate, or with the city's code as origin.";
  return [ways, ...saidOfMessages(messages)].join(" ");
}

/** Who was really written to, as the texts are there whether or not they went anywhere. */
function saidOfMessages(messages: readonly z.input<typeof MessageAnswer>[]): string[] {
  const channels = (wanted: boolean) =>
    messages.flatMap(({ channel, sent }) => (sent === wanted ? [channel] : [])).join(", ");
  const [sent, notSent] = [channels(true), channels(false)];
  return [
    ...(sent === "" ? [] : [`Sent to the traveler: ${sent}.`]),
    ...(notSent === "" ? [] : [`Not sent: ${notSent}; the reason of each in messages says what to do with its text.`]),
  ];
}
