import { Failure } from "../../../domain/errors.ts";
import { formatDecimal, type Micro } from "../../../domain/money.ts";
import type { Hex } from "../../../domain/tokens.ts";
import type { Cover } from "../../../kernel/contracts/call-plan.ts";
import type { Environment } from "../../../ports/identity.ts";
import type { Aggregates } from "../context.ts";

declare module "../../../kernel/contracts/call-plan.ts" {
  /** The budget of a trip in escrow. */
  interface Cover {
    tripId: string;
    /** The reservation in that budget. Undefined while the call is only judged. */
    bookingId?: string;
  }
}

/** For tools whose booking a trip can pay for in a run. */
export const coverErrors = {
  reservation_not_available:
    "The run's reservation in escrow cannot pay for this: it is no longer reserved, holds less than the price, or pays for another booking. Nothing is owed.",
} as const;

interface Covered {
  tenantId: string;
  environment: Environment;
  amount: Micro;
}

/**
 * Finds the reservation in escrow that pays for a booking. Locks its trip, as every change of a reservation does, so
 * that nothing else can change it before the booking has ended.
 */
export async function requireCover(
  { trips, bookings }: Pick<Aggregates, "trips" | "bookings">,
  { tenantId, environment, amount }: Covered,
  cover: Cover,
): Promise<Hex> {
  const [tripId, bookingId] = [requireHex(cover.tripId), requireHex(cover.bookingId)];
  const reserved = (await trips.lockWithBooking(environment, tripId, bookingId))?.booking;
  const isReserved = reserved?.state === "reserved" && reserved.pending === undefined && reserved.tenantId === tenantId;
  const isFree = (await bookings.findCovered(tenantId, environment, bookingId)) === undefined;
  if (isReserved && isFree && reserved.reserved >= amount) return bookingId;
  throw new Failure("reservation_not_available", {
    detail: coverErrors.reservation_not_available,
    extra: {
      bookingId,
      needsUsdc: formatDecimal(amount),
      reservedUsdc: formatDecimal(isReserved && isFree ? reserved.reserved : 0n),
    },
  });
}

export function requireHex(id: string | undefined): Hex {
  if (id?.startsWith("0x") !== true) throw new Error(`${id} is no id of the escrow`);
  return `0x${id.slice(2).toLowerCase()}`;
}
