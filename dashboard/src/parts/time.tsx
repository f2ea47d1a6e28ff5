import { fromNow, time } from "../format.ts";

/** How long ago or ahead; the exact time, with its zone, on demand. */
export function When({ at, className = "" }: { at: string; className?: string }) {
  return (
    <time dateTime={at} title={time(at)} className={className}>
      {fromNow(at)}
    </time>
  );
}

const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const MINUTE = 60_000;

/** The clock of a place, and the viewer's beside it where they differ. `local` has no offset. */
export function PlaceTime({ local, zone }: { local: string; zone: string | undefined }) {
  const instant = zone === undefined ? undefined : findInstant(local, zone);
  const here = instant === undefined ? undefined : describeHere(instant, local);
  return (
    <span className="place-time">
      <strong>{local.slice(11, 16)}</strong> <span className="quiet">{sayDay(local.slice(0, 10))}</span>
      {here !== undefined && <span className="quiet here">{here}</span>}
    </span>
  );
}

/** "Wed, 6 Jan 2027", of a date without a time. */
export function sayDay(date: string): string {
  const day = new Date(`${date}T00:00:00Z`);
  if (Number.isNaN(day.getTime())) return date;
  return day.toLocaleDateString("en-GB", {
    timeZone: "UTC",
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
  });
}

/** "6 to 9 Jan 2027", or the one day. */
export function sayDays(from: string | null, to: string | null): string {
  if (from === null) return "";
  const format = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", day: "numeric", month: "short", year: "numeric" });
  const first = new Date(`${from}T00:00:00Z`);
  return to === null || to === from
    ? format.format(first)
    : format.formatRange(first, new Date(`${to}T00:00:00Z`)).replace(/\s*–\s*/, " to ");
}

/** The moment at which a zone's clocks show this; undefined for a zone that the browser does not know. */
function findInstant(local: string, zone: string): Date | undefined {
  const guess = Date.parse(`${local.slice(0, 16)}:00Z`);
  try {
    const first = guess - readOffset(guess, zone) * MINUTE;
    // Once more, for a change of the clocks between the two.
    return new Date(guess - readOffset(first, zone) * MINUTE);
  } catch {
    return undefined;
  }
}

/** In minutes. */
function readOffset(moment: number, zone: string): number {
  const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
  const name = format.formatToParts(moment).find(({ type }) => type === "timeZoneName")?.value ?? "GMT";
  const [, sign = "+", hours = "0", minutes = "0"] = /GMT([+-])(\d{2}):(\d{2})/.exec(name) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

/** Undefined: the viewer's clock shows the same. */
function describeHere(instant: Date, local: string): string | undefined {
  const parts = new Intl.DateTimeFormat("en-CA", {
    timeZone: ownZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).formatToParts(instant);
  const read = (wanted: string) => parts.find(({ type }) => type === wanted)?.value ?? "";
  const date = `${read("year")}-${read("month")}-${read("day")}`;
  const clock = `${read("hour")}:${read("minute")}`;
  if (clock === local.slice(11, 16) && date === local.slice(0, 10)) return undefined;
  const day = date === local.slice(0, 10) ? "" : `, ${sayDay(date).replace(/ \d{4}$/, "")}`;
  return `${clock}${day} for you`;
}
