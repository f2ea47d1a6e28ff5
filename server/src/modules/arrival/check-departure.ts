import { hasScope } from "../../domain/scopes.ts";
import type { Caller } from "../../kernel/contracts/tool.ts";
import type { Ports } from "./context.ts";

interface Asked {
  departureDateTimeIso: string;
  origin: string;
  pnr?: string | undefined;
  flightNumber?: string | undefined;
}

interface Departure {
  departsAt: Temporal.Instant;
  /** In whole sentences. */
  notes: readonly string[];
}

const LASTS = "The calendar entry for the departure lasts 15 minutes, because the arrival time is not known.";
const AS_GIVEN = `The flight and its time are as you gave them; they were not checked against an order or a timetable. ${LASTS}`;

/**
 * Compares the given departure with the caller's order of that booking reference. A local time with a wrong offset, such as an
 * airport's time with a Z, is corrected; any other difference may be a delay, so the given time stays and the difference is told.
 */
export async function checkDeparture(
  asked: Asked,
  timeZone: string,
  stores: Pick<Ports["stores"], "orders">,
  caller: Caller,
): Promise<Departure> {
  const given = Temporal.Instant.from(asked.departureDateTimeIso);
  const found = await findBooked(asked, stores, caller);
  if (found === undefined) return { departsAt: given, notes: [AS_GIVEN, ...sayOtherOffset(asked, given, timeZone)] };
  const { orderId, local } = found;
  const booked = local.toZonedDateTime(timeZone).toInstant();
  const by = `By the order ${orderId}, the flight leaves on ${sayLocal(local)} by the airport's clock`;
  if (Temporal.Instant.compare(given, booked) === 0)
    return { departsAt: given, notes: [`${by}, as you gave it. ${LASTS}`] };
  if (readWallClock(asked.departureDateTimeIso)?.equals(local) === true) {
    const notes = [
      `${by}, which is ${booked.toString()}. You gave that time with another offset, so the reminders are for the order's time. ${LASTS}`,
    ];
    return { departsAt: booked, notes };
  }
  const said = sayLocal(given.toZonedDateTimeISO(timeZone).toPlainDateTime());
  const notes = [
    `${by}. You gave ${said} there, and the reminders are for that: correct it unless the airline has moved the flight. ${LASTS}`,
  ];
  return { departsAt: given, notes };
}

async function findBooked(
  { pnr = "", origin, flightNumber = "" }: Asked,
  { orders }: Pick<Ports["stores"], "orders">,
  { tenantId, environment, scopes }: Caller,
): Promise<{ orderId: string; local: Temporal.PlainDateTime } | undefined> {
  if (pnr.trim() === "" || !hasScope(scopes, "flights:read")) return undefined;
  const order = await orders.findByPnr(tenantId, environment, pnr.trim().toUpperCase());
  const digits = (text: string) => /(\d+)\s*[A-Z]?$/i.exec(text)?.[1]?.replace(/^0+/, "");
  const segments = (order?.slices ?? []).flatMap((slice) => slice.segments);
  const fitting = segments.filter(
    (segment) =>
      segment.origin === origin.toUpperCase() &&
      (flightNumber === "" || digits(segment.flightNumber) === digits(flightNumber)),
  );
  const [segment] = fitting;
  if (order === undefined || segment === undefined || fitting.length > 1) return undefined;
  return { orderId: order.orderId, local: Temporal.PlainDateTime.from(segment.departingAt) };
}

const sayLocal = (local: Temporal.PlainDateTime): string =>
  `${local.toPlainDate().toString()} at ${local.toPlainTime().toString({ smallestUnit: "minute" })}`;

/** The time as it was written, without its offset. */
function readWallClock(text: string): Temporal.PlainDateTime | undefined {
  const [written] = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?/i.exec(text) ?? [];
  return written === undefined ? undefined : Temporal.PlainDateTime.from(written);
}

/** An offset that is not the airport's is right as an instant, and often meant as local time. */
function sayOtherOffset({ departureDateTimeIso }: Asked, given: Temporal.Instant, timeZone: string): readonly string[] {
  const [, written = "", hours = "00", minutes = "00"] =
    /T.*?(Z|([+-]\d{2}):?(\d{2})?)$/i.exec(departureDateTimeIso) ?? [];
  const local = given.toZonedDateTimeISO(timeZone);
  const offset = written.toUpperCase() === "Z" ? "+00:00" : `${hours}:${minutes}`;
  if (written === "" || local.offset === offset) return [];
  const how = written.toUpperCase() === "Z" ? "in UTC" : `with the offset ${offset}`;
  return [
    `The departure was given ${how}. The airport's clock is at ${local.offset} then, so it leaves at ${local.toPlainTime().toString({ smallestUnit: "minute" })} there. That is on ${local.toPlainDate().toString()}: if the ticket says otherwise, give its time with the airport's offset.`,
  ];
}
