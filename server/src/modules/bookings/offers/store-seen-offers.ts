import { type Selectable, sql } from "kysely";
import { z } from "zod";
import type { Queryable } from "../../../platform/database/database.ts";
import type { BookingTable } from "../../../platform/database/generated-tables.ts";
import { pruneRows } from "../../../platform/database/prune.ts";
import type { Clock } from "../../../ports/clock.ts";
import { toBooking } from "../booking/store.ts";
import { SeenComparable, SeenOffer, type SeenOffers } from "./seen-offers.ts";

const Comparables = z.array(SeenComparable);

interface Searched {
  seen: unknown;
  comparables: unknown;
}

export function createSeenOffers(db: Queryable, clock: Clock): SeenOffers {
  return {
    async remember({ tenantId, environment }, offers, search, alongside) {
      const seenAt = clock.now().toString();
      const searched =
        search === undefined
          ? sql`select 1`
          : sql`
              insert into seen_search (tenant_id, network, search_id, comparables, seen_at)
              values (${tenantId}, ${environment}, ${search.id}, ${JSON.stringify(search.comparables)}::jsonb, ${seenAt}::timestamptz)
              on conflict do nothing`;
      // One statement with a constant number of parameters, in a fixed order for concurrent writers.
      const sorted = offers.toSorted((one, other) => (one.id < other.id ? -1 : 1));
      await sql`
        with searched as (${searched}), alongside as (${alongside ?? sql`select 1`})
        insert into seen_offer (tenant_id, network, offer_id, offer, seen_at)
        select ${tenantId}, ${environment}, offer_id, offer::jsonb, ${seenAt}::timestamptz
        from unnest(${sorted.map(({ id }) => id)}::text[], ${sorted.map(({ offer }) => JSON.stringify(offer))}::text[])
          as seen (offer_id, offer)
        on conflict (tenant_id, network, offer_id) do update set offer = excluded.offer, seen_at = excluded.seen_at`.execute(
        db,
      );
    },

    async find({ tenantId, environment }, id) {
      const row = await db
        .selectFrom("seenOffer")
        .select("offer")
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("offerId", "=", id)
        .executeTakeFirst();
      return row === undefined ? undefined : SeenOffer.parse(row.offer);
    },

    async findForPlan({ tenantId, environment }, id) {
      const { rows } = await sql<Selectable<BookingTable> & Searched>`
        select booking.*, seen_offer.offer as seen, seen_search.comparables from (select) as one
          left join booking on booking.tenant_id = ${tenantId} and booking.network = ${environment}
            and booking.offer_id = ${id} and booking.state <> 'failed'
          left join seen_offer on seen_offer.tenant_id = ${tenantId} and seen_offer.network = ${environment}
            and seen_offer.offer_id = ${id}
          left join seen_search on seen_search.tenant_id = seen_offer.tenant_id
            and seen_search.network = seen_offer.network
            and seen_search.search_id = seen_offer.offer ->> 'searchId'`.execute(db);
      const [row] = rows;
      return {
        offer: SeenOffer.nullish().parse(row?.seen) ?? undefined,
        comparables: Comparables.nullish().parse(row?.comparables) ?? undefined,
        live: row === undefined || row.id === null ? undefined : toBooking(row),
      };
    },

    async findAll({ tenantId, environment }, ids) {
      if (ids.length === 0) return new Map();
      const rows = await db
        .selectFrom("seenOffer")
        .select(["offerId", "offer"])
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("offerId", "in", ids)
        .execute();
      return new Map(rows.map(({ offerId, offer }) => [offerId, SeenOffer.parse(offer)]));
    },

    async prune(before) {
      const isOld = sql`seen_at <= ${before.toString()}::timestamptz`;
      await pruneRows(db, "seen_offer", isOld);
      await pruneRows(db, "seen_search", isOld);
    },
  };
}
