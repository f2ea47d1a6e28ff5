import { promisify } from "node:util";
import { deflate, inflate } from "node:zlib";
import { sql } from "kysely";
import { z } from "zod";
import { CabinClass, Provenance } from "../../../domain/schemas.ts";
import type { Queryable } from "../../../platform/database/database.ts";
import { pruneRows } from "../../../platform/database/prune.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Environment } from "../../../ports/identity.ts";
import type { FlightOffer, FlightSearchResult } from "../../../ports/supplier/flights.ts";

declare module "../../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "flights.foundSearches": FoundSearches;
  }
}

/** Per tenant. A search takes about ten kilobytes. */
const MOST_SEARCHES = 200;
/** Nobody looks through more; the cheapest are kept. */
const MOST_OFFERS = 500;
/** For speed: the next level takes twice the time for a tenth of the size. */
const LEVEL = 1;

const pack = promisify(deflate);
const unpack = promisify(inflate);

const text = z.string().nullable();
const Condition = z.object({ allowed: z.boolean(), penaltyAmount: text, penaltyCurrency: text }).nullable();
const Baggage = z.array(z.object({ type: z.string(), quantity: z.number() }));
const Segment = z.object({
  id: z.string(),
  carrier: z.string(),
  carrierName: z.string(),
  flightNumber: z.string(),
  operatingCarrier: z.string(),
  origin: z.string(),
  destination: z.string(),
  originTerminal: text,
  destinationTerminal: text,
  departingAt: z.string(),
  arrivingAt: z.string(),
  durationMinutes: z.number(),
  aircraft: text,
  cabinClass: z.string(),
  baggage: Baggage,
  stops: z.array(
    z.object({
      airport: z.string(),
      arrivingAt: z.string(),
      departingAt: z.string(),
      durationMinutes: z.number().nullable(),
    }),
  ),
  passengers: z.array(z.object({ passengerId: z.string(), cabinClass: z.string(), baggage: Baggage, seat: text })),
});
const Slice = z.object({
  id: z.string(),
  origin: z.string(),
  destination: z.string(),
  durationMinutes: z.number(),
  fareBrandName: text,
  changeBeforeDeparture: Condition,
  segments: z.array(Segment),
});
const Offer = z.object({
  id: z.string(),
  totalAmount: z.string(),
  totalCurrency: z.string(),
  taxAmount: text,
  owner: z.object({ iataCode: z.string(), name: z.string() }),
  slices: z.array(Slice),
  conditions: z.object({ refundBeforeDeparture: Condition, changeBeforeDeparture: Condition }),
  paymentRequirements: z.object({
    requiresInstantPayment: z.boolean(),
    priceGuaranteeExpiresAt: text,
    paymentRequiredBy: text,
  }),
  passengers: z.array(z.object({ id: z.string(), type: text, age: z.number().exactOptional(), fareType: text })),
  identityDocumentsRequired: z.boolean(),
  identityDocumentTypes: z.array(z.string()),
  privateFares: z.array(
    z.object({
      type: z.string(),
      corporateCode: z.string().exactOptional(),
      tourCode: z.string().exactOptional(),
      trackingReference: z.string().exactOptional(),
    }),
  ),
  availableAirlineCreditIds: z.array(z.string()),
  totalEmissionsKg: text,
  expiresAt: z.string(),
});
const Found = z.object({
  cabinClass: CabinClass,
  considered: z.number(),
  offers: z.array(Offer),
  notApplied: z.array(z.object({ input: z.string(), value: z.string(), reason: z.string() })),
  provenance: Provenance,
  sandbox: z.boolean(),
});

export function createFoundSearches(db: Queryable, clock: Clock) {
  return {
    /** Kept until `until`, unless the tenant's later searches displace it. */
    async keep(
      { tenantId, environment }: Owner,
      searchId: string,
      found: FoundSearch,
      until: Temporal.Instant,
    ): Promise<void> {
      const kept: FoundSearch = { ...found, offers: cheapest(found.offers).map(withoutAlike) };
      const packed = await pack(JSON.stringify(kept), { level: LEVEL });
      await sql`
        insert into found_search (tenant_id, network, search_id, found, created_at, expires_at)
        values (${tenantId}, ${environment}, ${searchId}, ${packed}, ${clock.now().toString()}::timestamptz,
          ${until.toString()}::timestamptz)`.execute(db);
    },

    /** Undefined if it has expired, or the tenant has no such search. */
    async find({ tenantId, environment }: Owner, searchId: string): Promise<FoundSearch | undefined> {
      const row = await db
        .selectFrom("foundSearch")
        .select("found")
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("searchId", "=", searchId)
        .where("expiresAt", ">", sql<Temporal.Instant>`${clock.now().toString()}::timestamptz`)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      // Rows of another release are ignored; they expire soon anyway.
      return Found.safeParse(JSON.parse((await unpack(row.found)).toString())).data;
    },

    /** Deletes expired searches, and each tenant's beyond the maximum. */
    async prune(): Promise<void> {
      await pruneRows(db, "found_search", sql`expires_at <= ${clock.now().toString()}::timestamptz`);
      await pruneRows(
        db,
        "found_search",
        sql`(tenant_id, network, search_id) in (
          select tenant_id, network, search_id from (
            select tenant_id, network, search_id,
              row_number() over (partition by tenant_id, network order by created_at desc, search_id) as place
            from found_search) as placed
          where place > ${MOST_SEARCHES})`,
      );
    },
  };
}

/** Results of tenants' searches, which can be read completely without asking the supplier again. */
type FoundSearches = ReturnType<typeof createFoundSearches>;

/** Passengers with equal cabin and bags add nothing to the flight's own. */
function withoutAlike(offer: FlightOffer): FlightOffer {
  const slices = offer.slices.map((slice) => ({
    ...slice,
    segments: slice.segments.map((segment) => {
      const isAlike = segment.passengers.every(({ cabinClass }) => cabinClass === segment.cabinClass);
      return isAlike ? { ...segment, passengers: [] } : segment;
    }),
  }));
  return { ...offer, slices };
}

function cheapest(offers: FoundSearch["offers"]): FoundSearch["offers"] {
  if (offers.length <= MOST_OFFERS) return offers;
  return offers.toSorted((left, right) => Number(left.totalAmount) - Number(right.totalAmount)).slice(0, MOST_OFFERS);
}

export interface FoundSearch extends FlightSearchResult {
  cabinClass: z.infer<typeof CabinClass>;
  /** The supplier's number of offers, some of which may not be stored. */
  considered: number;
}

interface Owner {
  tenantId: string;
  environment: Environment;
}
