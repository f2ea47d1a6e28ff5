import { z } from "zod";
import type { CommonParts } from "../../../kernel/contracts/parts.ts";
import type { Parts } from "../context.ts";
import type { Notice } from "./notices.ts";

/** As most airlines do it. */
const OPENS_BEFORE = { hours: 24 };

const Data = z.looseObject({ orderId: z.string(), leg: z.int().default(0) });

type CheckInParts = Pick<CommonParts, "clock" | "maps"> & { stores: Pick<Parts["stores"], "orders"> };

/** The next flight of the order whose check-in the person was not told of. */
export interface CheckIn {
  readonly leg: number;
  readonly opensAt: Temporal.Instant;
  readonly departsAt: Temporal.Instant;
  readonly timeZone: string;
  readonly flight: string;
  readonly airport: string;
}

/** By the order as it is now: the airline may have moved the flight. Undefined: there is none any more. */
export async function findCheckIn(
  { stores, maps, clock }: CheckInParts,
  { tenantId, environment, data }: Notice,
): Promise<CheckIn | undefined> {
  const { orderId, leg: first } = Data.parse(data);
  const order = await stores.orders.findBought(tenantId, environment, orderId);
  if (order?.status !== "confirmed") return undefined;
  for (const [leg, { segments }] of order.slices.entries()) {
    const [segment] = segments;
    const airport = segment && maps.airport(segment.origin);
    if (leg < first || segment === undefined || airport === undefined) continue;
    const { timeZone, cityName } = airport;
    const departsAt = Temporal.PlainDateTime.from(segment.departingAt).toZonedDateTime(timeZone).toInstant();
    if (Temporal.Instant.compare(departsAt, clock.now()) <= 0) continue;
    const opensAt = departsAt.subtract(OPENS_BEFORE);
    const name = `${cityName} (${segment.origin})`;
    return { leg, opensAt, departsAt, timeZone, flight: segment.flightNumber, airport: name };
  }
  return undefined;
}
