import { hasScope } from "../../../domain/scopes.ts";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import type { Condition } from "../../../ports/supplier/flights.ts";
import type { Booking } from "../../bookings/index.ts";
import type { Stores } from "../context.ts";

/** The consequences of a change for later ones, and for the beds of its travelers. */

interface Flown {
  segments: readonly { departingAt: string; arrivingAt: string }[];
}

/** The flights that a change replaces, by their places in the journey. */
export interface Replaced {
  removed: readonly Flown[];
  added: readonly Flown[];
}

const show = ({ penaltyAmount, penaltyCurrency }: Condition) => `${penaltyAmount} ${penaltyCurrency}`;

/** Undefined: it costs no more than before, or the airline does not say. */
export function sayDearer(what: string, before: Condition | null, after: Condition | null): string | undefined {
  if (before?.allowed !== true || after === null) return undefined;
  if (!after.allowed) return `${what} is not possible any more (before: ${show(before)}).`;
  const isDearer = Number(after.penaltyAmount) > Number(before.penaltyAmount);
  return isDearer && before.penaltyCurrency === after.penaltyCurrency
    ? `${what} costs ${show(after)} (before: ${show(before)}).`
    : undefined;
}

type Terms = readonly { changeBeforeDeparture: Condition | null }[];

/** Empty: it makes no later change dearer. Before the change, the airline says what changing again costs, not cancelling. */
export function sayLaterTerms(removed: Terms, added: Terms): { laterTerms?: string } {
  const [before, after] = [removed[0]?.changeBeforeDeparture ?? null, added[0]?.changeBeforeDeparture ?? null];
  const dearer = sayDearer("Afterwards, changing it again", before, after);
  if (dearer === undefined) return {};
  return { laterTerms: `${dearer} Cancelling may cost more too: the airline says how much once it is changed.` };
}

type NearStays = Awaited<ReturnType<Stores["orders"]["findStays"]>>;

/** The stays of a booking's travelers around its flights. None if the caller may not read stays. */
export async function listStaysNear(
  { orders }: Pick<Stores, "orders">,
  { tenantId, environment, scopes }: Pick<Caller, "tenantId" | "environment" | "scopes">,
  booking: Pick<Booking, "travelers" | "userId"> | undefined,
  flights: readonly Replaced[],
): Promise<NearStays> {
  const days = flights.flatMap(({ removed, added }) => [...removed, ...added].flatMap(listDays)).toSorted();
  const [first, last] = [days[0], days.at(-1)];
  if (booking === undefined || first === undefined || last === undefined) return [];
  if (!hasScope(scopes, "stays:read")) return [];
  return await orders.findStays(tenantId, environment, {
    guests: booking.travelers,
    userId: booking.userId,
    days: { from: addDays(first, -1), to: last },
    exceptQuoteId: "",
  });
}

/** A stay that began on the arrival of a replaced flight, or ended on its departure, belongs to it. */
export function sayUnfitStays(stays: NearStays, { removed, added }: Replaced): { staysAffected?: string } {
  const said = stays.flatMap((stay) => {
    const { checkInDate, checkOutDate } = stay;
    return removed.flatMap((flown, index) => {
      const [before, after] = [daysOfTravel(flown), daysOfTravel(added[index])];
      if (before === undefined || after === undefined) return [];
      const begins = checkInDate === before.bed && after.bed !== before.bed;
      const ends = checkOutDate === before.leaves && after.leaves !== before.leaves;
      return [
        ...(begins ? sayEdge(stay, { uncovered: [after.bed, checkInDate], unused: [checkInDate, after.bed] }) : []),
        ...(ends
          ? sayEdge(stay, { uncovered: [checkOutDate, after.leaves], unused: [after.leaves, checkOutDate] })
          : []),
      ];
    });
  });
  return said.length === 0 ? {} : { staysAffected: said.join(" ") };
}

const LAST_NIGHT_ENDS_AT = "05:00";

function daysOfTravel(flown: Flown | undefined): { leaves: string; bed: string } | undefined {
  const [first, last] = [flown?.segments[0], flown?.segments.at(-1)];
  if (first === undefined || last === undefined || first.departingAt === "" || last.arrivingAt === "") return undefined;
  const [arrives = "", clock = ""] = last.arrivingAt.split("T");
  // Whoever arrives in the small hours needs a bed for the night that has begun.
  const bed = clock < LAST_NIGHT_ENDS_AT ? addDays(arrives, -1) : arrives;
  return { leaves: first.departingAt.slice(0, 10), bed };
}

function listDays(flown: Flown): string[] {
  const days = daysOfTravel(flown);
  return days === undefined ? [] : [days.leaves, days.bed];
}

const addDays = (date: string, days: number): string => Temporal.PlainDate.from(date).add({ days }).toString();

type Nights = readonly [from: string, to: string];

function sayEdge(
  { orderId, accommodationName, checkInDate, checkOutDate }: NearStays[number],
  { uncovered, unused }: { uncovered: Nights; unused: Nights },
): string[] {
  const stay = `${orderId}, ${accommodationName}, ${checkInDate} to ${checkOutDate}`;
  const [isShort, nights] = uncovered[0] < uncovered[1] ? [true, uncovered] : [false, unused];
  const said = sayNights(nights);
  return isShort
    ? [`No bed ${said}: the stay (${stay}) does not cover it. search_hotels and book_stay add nights.`]
    : [
        `The stay (${stay}) is paid ${said} and not used. cancel_order_quote says what cancelling it refunds; its dates cannot be changed.`,
      ];
}

function sayNights([from, to]: Nights): string {
  const last = addDays(to, -1);
  return from === last ? `for the night of ${from}` : `for the nights of ${from} to ${last}`;
}
