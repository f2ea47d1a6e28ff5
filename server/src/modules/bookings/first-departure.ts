import type { Maps } from "../../ports/maps.ts";

interface Flown {
  segments: readonly { origin: string; departingAt: string }[];
}

/**
 * When the first flight leaves, on the clock of its airport and with the offset, as nobody else can know which clock is meant. Null:
 * the supplier does not say.
 */
export function departureOf(slices: readonly Flown[], maps: Pick<Maps, "airport">): string | null {
  const { origin = "", departingAt = "" } = slices[0]?.segments[0] ?? {};
  if (departingAt === "") return null;
  const timeZone = maps.airport(origin)?.timeZone;
  if (timeZone === undefined) return departingAt;
  return Temporal.PlainDateTime.from(departingAt).toZonedDateTime(timeZone).toString({ timeZoneName: "never" });
}

/** For the next step of who has booked: what the time in the answer is for. */
export const sayVoidWindow = (voidWindowEndsAt: string | null): string[] =>
  voidWindowEndsAt === null
    ? []
    : [`Until ${voidWindowEndsAt} (voidWindowEndsAt) the airline may take all of it back free of charge.`];
