import type { z } from "zod";
import { parseDecimal } from "../../domain/money.ts";
import type { Maps } from "../../ports/maps.ts";
import type { AirlineChange } from "./airline-change.ts";
import { type AirlineDuty, owesInstead } from "./duties/airline-duty.ts";
import { isRefundable, type OwnOrder } from "./find-own-order.ts";
import { sayOtherFlights } from "./other-flights.ts";
import { saidOfCity, saidOfOrder } from "./replan.ts";
import type { ReplanInput } from "./replan-input.ts";
import { type Outlook, SMALL_DELAY_MINUTES } from "./replan-outlook.ts";
import type { AlternativesAnswer, ChangeAnswer, MessageAnswer } from "./replan-parts.ts";
import type { Setting } from "./replan-setting.ts";
import { effectOn, findArrival, saidOfStay } from "./stay-role.ts";

type Alternatives = z.input<typeof AlternativesAnswer>;
type Change = z.input<typeof ChangeAnswer>;
type Kind = ReplanInput["disruption"]["kind"];

/** The rule by which they were chosen, and differences of order, stay and search from what the caller may expect. */
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
      ? ["Your order is refundable. Flights here whose conditions.refundBeforeDeparture is not allowed are not."]
      : []),
    ...(stay === undefined ? [] : saidOfStay(role, stayed, replan)),
    ...(role === "destination" && stayCheckInDate ? [effectOn(stayed, findArrival(offers[0]))] : []),
    ...saidOfCity(replan, maps),
  ];
  return said.join(" ") || null;
}

const OF_FARE = "penaltyAmount is the fare's penalty for a voluntary change, and is included in changeTotalAmount.";
const AIRLINE_CANCELLED =
  "An airline that cancelled often waives it, and may owe another flight or a refund: ask the airline before you pay.";

/** By the first of the duties, which are in the order of their certainty. */
function sayWaived(duties: readonly AirlineDuty[]): string {
  const instead = duties.find(owesInstead);
  if (instead === undefined || instead.onlyIf !== null) return AIRLINE_CANCELLED;
  const owes = instead.owes === "refund" ? "a refund" : "another flight or a refund";
  return `An airline that cancelled often waives it. Under ${instead.rule} it owes ${owes}: ask the airline before you pay.`;
}

const AIRLINE_CHANGED =
  "The airline itself changed this flight: airlineChange says what it owes free of charge. These are the prices of a voluntary change.";
const KEEPS_REFUND_UNKNOWN = "Your order is refundable; the supplier says only after a change whether it still is.";

/** Notes on the source of the changes' penalties. */
export function saidOfChange(
  kind: Kind,
  { reason, offers }: Change,
  { airlineChange, duties }: { airlineChange: AirlineChange | null; duties: readonly AirlineDuty[] },
  own: OwnOrder | undefined,
): string | null {
  const isPenalized = offers.some(({ penaltyAmount }) => (parseDecimal(penaltyAmount ?? "") ?? 0n) > 0n);
  const said = [
    ...(reason === null ? [] : [reason]),
    ...(offers.length > 0 && (isPenalized || (kind === "cancellation" && airlineChange === null)) ? [OF_FARE] : []),
    ...(offers.length > 0 && kind === "cancellation" && airlineChange === null ? [sayWaived(duties)] : []),
    ...(offers.length > 0 && airlineChange !== null ? [AIRLINE_CHANGED] : []),
    ...(offers.length > 0 && isRefundable(own) ? [KEEPS_REFUND_UNKNOWN] : []),
  ];
  return said.join(" ") || null;
}

/** The next actions, cheapest to try first. */
export function sayNext(
  outlook: Outlook,
  {
    alternatives,
    change,
    otherFlights,
  }: { alternatives: Alternatives; change: Change; otherFlights: readonly string[] },
  messages: readonly z.input<typeof MessageAnswer>[],
  otherDay: readonly string[],
): string {
  const keepsOrder =
    "to keep the order, call select_order_change_offer, then confirm_order_change with the due that it returns";
  const buys = "buy a new ticket with book_flight";
  const ways = [...(change.available ? [keepsOrder] : []), ...(alternatives.available ? [buys] : [])].join("; or ");
  const steps = [
    ...otherDay,
    sayFirst(outlook),
    ...sayDuties(outlook),
    ways === "" ? NOTHING_FOUND : `${BEFORE_PAYING[outlook.first]}: ${ways}.`,
    ...sayOtherFlights(otherFlights, { isChangeable: change.available, isBought: alternatives.available }),
    ...(change.order === null ? sayUnknownOrder(outlook) : [sayOldOrder(outlook, change.order)]),
  ];
  return [...steps, ...saidOfMessages(messages)].join(" ");
}

const NOTHING_FOUND =
  "Nothing else was found: call again with a later departureDate, or with the city's code as origin.";

const BEFORE_PAYING: Readonly<Record<Outlook["first"], string>> = {
  answer_airline: "Only if that is not enough",
  ask_airline: "Only if that is not enough",
  ask_for_connection: "Only if the airline gives no flight that helps",
  keep: "Only if the traveler cannot wait",
  keep_if_connects: "Only if that is not enough",
  keep_if_flown: "Only if that is not enough",
};

function sayFirst({ first, instead, isSmall, headline, connection }: Outlook): string {
  switch (first) {
    case "answer_airline":
      return `Respond to the airline first: airlineChange.options says how, and what each option costs.${isSmall ? ` ${SMALL}` : ""}`;
    case "keep":
      return `Keep the flight: it is still operating, and keeping it costs nothing.${isSmall ? ` ${SMALL}` : ""}`;
    case "keep_if_connects":
      return sayIfConnects(connection);
    case "ask_for_connection":
      return sayConnection(connection);
    case "keep_if_flown":
      return "If the flight is still operating, keep it: that costs nothing. If the airline cancelled it, ask the airline first.";
    case "ask_airline":
      if (headline === "missed_connection")
        return "Ask the airline first: after a missed connection within one booking, it often rebooks the traveler free of charge.";
      if (instead === undefined) return "Ask the airline first: it may owe another flight or a refund.";
      return `Ask the airline first: under ${instead.rule} it owes ${instead.owes === "refund" ? "a refund" : "another flight or a refund"}.`;
  }
}

function sayIfConnects(connection: Outlook["connection"]): string {
  if (connection === undefined) return "";
  const { airport, onward } = connection;
  return `Keep the flight only if it still reaches ${airport} in time: ${sayOnward(onward)}. Call again with the new departure as earliestUsableDepartureIso to learn that. If it does not, ask the airline for another way to ${onward.destination}.`;
}

function sayConnection(connection: Outlook["connection"]): string {
  if (connection === undefined) return "";
  const { airport, late, onward, state } = connection;
  const result = state === "lost" ? "the connection is lost" : "that is too little time to change planes";
  return `Do not simply keep the flight: ${late.flightNumber} would reach ${airport} at about ${sayClock(late.arrivesLocal)}, and ${sayOnward(onward)}: ${result}. Ask the airline now for another way to ${onward.destination}: within one booking it usually rebooks free of charge.`;
}

const sayOnward = ({ flightNumber, destination, departingAt }: NonNullable<Outlook["connection"]>["onward"]): string =>
  `${flightNumber} to ${destination} leaves there at ${sayClock(departingAt)}`;

const sayClock = (local = ""): string => local.slice(0, 16).replace("T", " ");

/** Names the duties that surely apply, and the compensation that may. */
function sayDuties({ first, duties, rules, instead, isSmall }: Outlook): string[] {
  if (duties.length === 0) return isSmall ? [] : [rules.length === 0 ? NO_LAW_KNOWN : sayTooShort(rules)];
  const isSure = (owes: string) => duties.find((duty) => duty.owes === owes && duty.onlyIf === null);
  const [care, hotel] = [isSure("care"), isSure("hotel")];
  const keeps = first !== "ask_airline" && first !== "answer_airline";
  return [
    ...(keeps && instead !== undefined
      ? [`If the traveler does not fly, the airline owes a refund under ${instead.rule} (${instead.article}).`]
      : []),
    ...(care === undefined
      ? []
      : [
          `While the traveler waits, it owes meals and refreshments${hotel ? ", a hotel and the transfer" : ""} (${care.rule}).`,
        ]),
    // Owed for lateness and for denied boarding alike: said once.
    ...new Set(
      duties.flatMap(({ owes, rule, amount, currency }) =>
        owes === "compensation" && amount !== null && care?.rule === rule
          ? [`Under ${rule} it may also owe ${amount} ${currency} to each passenger.`]
          : [],
      ),
    ),
    "duties has the condition and the source of each.",
  ];
}

const sayTooShort = (rules: readonly string[]): string =>
  `${rules.join(" and ")} may apply to this flight, but ${rules.length === 1 ? "owes" : "owe"} nothing for a delay as short as this one: call again if it grows.`;

const NO_LAW_KNOWN =
  "No law on the airline's duties is known here for this route; its conditions of carriage and national law may still give rights.";

/** An order that is not known here can still be cancelled elsewhere. */
const sayUnknownOrder = ({ duties }: Outlook): string[] =>
  duties.some(owesInstead) ? [`Do not cancel the booking ${BEFORE_ANSWER}`] : [];

const BEFORE_ANSWER = "before the airline has answered: you could lose what it owes.";

const SMALL = `The flight moves by less than ${SMALL_DELAY_MINUTES / 60} hours, so the message leaves out everything that costs more: do not propose that first.`;

/** A cancellation by the traveler can forfeit the airline's duties, so it never comes before the airline's answer. */
function sayOldOrder({ first, duties }: Outlook, { returnedAmount, totalCurrency }: OldOrder): string {
  const returns = returnedAmount === null ? "an amount that is not known" : `${returnedAmount} ${totalCurrency}`;
  if (first === "keep" && !duties.some(owesInstead)) {
    return `If a new ticket is bought, cancelling the old order with all its flights refunds ${returns}: cancel_order_quote, then confirm_cancel_order.`;
  }
  return `Do not cancel the order ${BEFORE_ANSWER} Afterwards, cancelling refunds ${returns}; cancel_order_quote gives the amount at that time.`;
}

type OldOrder = NonNullable<Change["order"]>;

/** The channels that really sent, as the texts exist either way. */
function saidOfMessages(messages: readonly z.input<typeof MessageAnswer>[]): string[] {
  const channels = (wanted: boolean) =>
    [...new Set(messages.flatMap(({ channel, sent }) => (sent === wanted ? [channel] : [])))].join(", ");
  const [sent, notSent] = [channels(true), channels(false)];
  return [
    ...(sent === "" ? [] : [`Sent to the traveler: ${sent}.`]),
    ...(notSent === "" ? [] : [`Not sent: ${notSent}; each reason in messages says what to do with the text.`]),
  ];
}
