import type { Hex } from "../../domain/tokens.ts";
import type { RaterKind } from "./reputation.ts";

export interface Rating {
  tenantId: string;
  raterKind: RaterKind;
  /** Of the rater, when it is a user. */
  userId: string;
  agentId: bigint;
  tag: string;
  tripId: Hex | undefined;
  bookingId: Hex | undefined;
}

/**
 * What a rater rates once: a booking; without one a trip; without either an agent under a tag. A tenant as a whole and each of its
 * users are raters of their own.
 */
export function ratingScopeOf({ tenantId, raterKind, userId, agentId, tag, tripId, bookingId }: Rating): string {
  const rater = raterKind === "org" ? [tenantId] : [tenantId, userId];
  if (bookingId !== undefined) return JSON.stringify([raterKind, ...rater, "booking", bookingId]);
  if (tripId !== undefined) return JSON.stringify([raterKind, ...rater, "trip", tripId]);
  return JSON.stringify([raterKind, ...rater, "agent", agentId.toString(), tag]);
}
