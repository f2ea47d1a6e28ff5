import { readDerivedId } from "../ids.ts";
import { applyPermille, toCents } from "../money.ts";
import type { Sandbox } from "../sandbox.ts";
import type { Journey } from "../seats/services.ts";
import type { Queryable } from "../storage/database.ts";
import { buildOffers, type Offer } from "./build.ts";
import { renderOffer } from "./render.ts";
import { OfferRequest } from "./request.ts";

const REMEMBERED_REQUESTS = 300;

export type FoundOffer = { readonly offer: Offer; readonly request: OfferRequest; readonly gone: boolean };

/** The services that can be bought with an offer. */
export function offerJourney({ offer, request }: FoundOffer): Journey {
  return { slices: renderOffer(offer, request).slices, passengers: request.passengers, pricePermille: 1000 };
}

export type OfferStore = {
  save(request: OfferRequest): Promise<void>;
  findRequest(core: string): Promise<OfferRequest | undefined>;
  /** All offers of a request at their present prices. */
  listOffers(request: OfferRequest): Promise<readonly Offer[]>;
  find(offerId: string): Promise<FoundOffer | undefined>;
  raisePrice(db: Queryable, offerId: string, permille: number): Promise<void>;
  withdraw(db: Queryable, offerId: string): Promise<void>;
};

type ChangeRow = { offer_id: string; price_permille: number; gone: boolean };

function withPrice(offer: Offer, permille: number): Offer {
  if (permille === 1000) return offer;
  return {
    ...offer,
    totalMicro: toCents(applyPermille(offer.totalMicro, permille)),
    taxMicro: toCents(applyPermille(offer.taxMicro, permille)),
  };
}

export function createOfferStore(sandbox: Pick<Sandbox, "db" | "seed" | "network">): OfferStore {
  const { db } = sandbox;
  // Stored offers never change and computed ones depend on them, so both may be cached.
  const remembered = new Map<string, { request: OfferRequest; offers: readonly Offer[] | undefined }>();

  function remember(request: OfferRequest): { request: OfferRequest; offers: readonly Offer[] | undefined } {
    const entry = { request, offers: undefined };
    remembered.set(request.core, entry);
    for (const oldest of remembered.keys()) {
      if (remembered.size <= REMEMBERED_REQUESTS) break;
      remembered.delete(oldest);
    }
    return entry;
  }

  function computed(request: OfferRequest): readonly Offer[] {
    const entry = remembered.get(request.core) ?? remember(request);
    entry.offers ??= buildOffers(sandbox.seed, sandbox.network, request);
    return entry.offers;
  }

  async function findRequest(core: string): Promise<OfferRequest | undefined> {
    const known = remembered.get(core);
    if (known !== undefined) return known.request;
    const { rows } = await db.query<{ params: unknown }>("SELECT params FROM offer_requests WHERE core = $1", [core]);
    const [row] = rows;
    return row === undefined ? undefined : remember(OfferRequest.parse(row.params)).request;
  }

  return {
    async save(request) {
      await db.query("INSERT INTO offer_requests (core, params, created_ms) VALUES ($1, $2, $3)", [
        request.core,
        JSON.stringify(request),
        request.createdAtMs,
      ]);
      remember(request);
    },
    findRequest,
    async listOffers(request) {
      const offers = computed(request);
      const { rows } = await db.query<ChangeRow>("SELECT * FROM offer_changes WHERE offer_id = ANY ($1)", [
        offers.map((offer) => offer.id),
      ]);
      const changes = new Map(rows.map((row) => [row.offer_id, row]));
      return offers
        .filter((offer) => changes.get(offer.id)?.gone !== true)
        .map((offer) => withPrice(offer, changes.get(offer.id)?.price_permille ?? 1000));
    },
    async find(offerId) {
      const parts = readDerivedId("off", offerId);
      if (parts === undefined) return undefined;
      const request = await findRequest(parts.core);
      const offer = request === undefined ? undefined : computed(request)[parts.place];
      if (request === undefined || offer === undefined || offer.id !== offerId) return undefined;
      const { rows } = await db.query<ChangeRow>("SELECT * FROM offer_changes WHERE offer_id = $1", [offerId]);
      return { offer: withPrice(offer, rows[0]?.price_permille ?? 1000), request, gone: rows[0]?.gone ?? false };
    },
    async raisePrice(tx, offerId, permille) {
      await tx.query(
        `INSERT INTO offer_changes (offer_id, price_permille) VALUES ($1, $2)
         ON CONFLICT (offer_id) DO UPDATE SET price_permille = offer_changes.price_permille * $2 / 1000`,
        [offerId, permille],
      );
    },
    async withdraw(tx, offerId) {
      await tx.query(
        "INSERT INTO offer_changes (offer_id, gone) VALUES ($1, true) ON CONFLICT (offer_id) DO UPDATE SET gone = true",
        [offerId],
      );
    },
  };
}
