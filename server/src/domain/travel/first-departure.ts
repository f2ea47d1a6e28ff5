import type { Airports } from "./airports.ts";

interface Flown {
  segments: readonly { origin: string; departingAt: string }[];
}

/** The first departure by its airport's clock, with the offset, so that the zone is clear. Null if the supplier does not say. */
export function findFirstDeparture(slices: readonly Flown[], maps: Airports): string | null {
  const { origin = "", departingAt = "" } = slices[0]?.segments[0] ?? {};
  if (departingAt === "") return null;
  const timeZone = maps.airport(origin)?.timeZone;
  if (timeZone === undefined) return departingAt;
  return Temporal.PlainDateTime.from(departingAt).toZonedDateTime(timeZone).toString({ timeZoneName: "never" });
}

/** Explains the void window in the next step of a booking. */
export const sayVoidWindow = (voidWindowEndsAt: string | null): string[] =>
  voidWindowEndsAt === null
    ? []
    : [`Until ${voidWindowEndsAt} (voidWindowEndsAt), the airline may cancel all of it free of charge.`];
