import { hasScope } from "../../domain/scopes.ts";
import type { Caller } from "../../kernel/contracts/tool.ts";
import type { Position } from "../../ports/maps.ts";
import type { BookedStay } from "./booked-stay.ts";
import type { Stores } from "./context.ts";

export interface OwnStay {
  stay: BookedStay;
  /** Undefined: the supplier did not say where it is. */
  position: Position | undefined;
}

/** The stays that a user has booked for one of the nights between these days; none if the caller may not read stays. */
export async function findOwnStays(
  { orders, seenOffers }: Pick<Stores, "orders" | "seenOffers">,
  { tenantId, environment, scopes }: Pick<Caller, "tenantId" | "environment" | "scopes">,
  userId: string,
  days: { from: string; to: string },
): Promise<OwnStay[]> {
  if (!hasScope(scopes, "stays:read")) return [];
  const stays = await orders.staysDuring(tenantId, environment, userId, days);
  const quotes = stays.map(({ quoteId }) => quoteId);
  const seen = await seenOffers.findAll({ tenantId, environment }, quotes);
  return stays.map((stay) => {
    const offer = seen.get(stay.quoteId);
    const { latitude = null, longitude = null } = (offer?.kind === "stay" ? offer.place : null) ?? {};
    return { stay, position: latitude === null || longitude === null ? undefined : { latitude, longitude } };
  });
}
