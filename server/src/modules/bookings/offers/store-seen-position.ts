import { sql } from "kysely";
import type { Booking } from "../booking/bookings.ts";

/** Where a stay is, as the search that found it was told; null if that is not known. */
export const seenPosition = ({
  tenantId,
  environment,
  offerId,
}: Pick<Booking, "tenantId" | "environment" | "offerId">) =>
  sql<string | null>`(
    select jsonb_build_object('latitude', place->'latitude', 'longitude', place->'longitude')
    from seen_offer, lateral (select offer->'place' as place) as seen
    where seen_offer.tenant_id = ${tenantId} and seen_offer.network = ${environment} and seen_offer.offer_id = ${offerId}
      and jsonb_typeof(place->'latitude') = 'number' and jsonb_typeof(place->'longitude') = 'number')`;
