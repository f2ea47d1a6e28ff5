import type { z } from "zod";
import type { Maps } from "../../ports/maps.ts";
import { MINUTES_TO_EXIT } from "./arrival-times.ts";
import type { TransferAnswer } from "./replan-parts.ts";
import type { Flown } from "./stay-role.ts";

type Transfer = z.input<typeof TransferAnswer>;

/** For each proposal when somebody is to wait for it at the airport; none where no way from an airport is known. */
export function pickUpsOf(
  proposals: readonly (Flown & { id: string })[],
  { direction, available, others }: Transfer,
  maps: Pick<Maps, "airport">,
): Transfer["pickUps"] {
  const isMet = (available && direction === "from_airport") || others.some((way) => way.direction === "from_airport");
  if (!isMet) return {};
  const moments = proposals.flatMap(({ id: offerId, slices }) => {
    const { destination: airport = "", arrivingAt = "" } = slices.flatMap(({ segments }) => segments).at(-1) ?? {};
    const timeZone = maps.airport(airport)?.timeZone;
    if (timeZone === undefined || arrivingAt === "") return [];
    const landsAt = Temporal.PlainDateTime.from(arrivingAt).toZonedDateTime(timeZone);
    const at = landsAt.add({ minutes: MINUTES_TO_EXIT.usual }).toString({ timeZoneName: "never" });
    return [[offerId, at] as const];
  });
  return Object.fromEntries(moments);
}
