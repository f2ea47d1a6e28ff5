import type { z } from "zod";
import { Failure } from "../../../domain/errors.ts";
import type { Environment } from "../../../ports/identity.ts";
import type { CallOptions, FlightOffer, Flights } from "../../../ports/supplier/flights.ts";
import type { SearchFlightsInput } from "../searching/search-input.ts";
import type { AccountsByPassenger, PrivateOffers } from "./store-private-offers.ts";

interface Owner {
  tenantId: string;
  environment: Environment;
}

/** An expired offer is still refused to others for this long, in case the supplier's clock is behind. */
const KEPT_AFTER_EXPIRY_HOURS = 24;

/** Whether the search has private inputs of the tenant, so that its offers are private, too. */
export function hasPrivateInputs(query: z.output<typeof SearchFlightsInput>): boolean {
  return (
    query.linkSessionTraveler ||
    query.customerUserId !== undefined ||
    (query.airlineCreditIds ?? []).length > 0 ||
    (query.loyaltyProgrammeAccounts ?? []).some((accounts) => accounts.length > 0) ||
    Object.values(query.privateFares ?? {}).some((fares) => fares.length > 0)
  );
}

/** All offers of the supplier, not only those shown: ids of one search may be guessed from each other. */
export async function keepPrivate(
  privateOffers: PrivateOffers,
  { tenantId, environment }: Owner,
  { ids, expireAt }: { ids: readonly string[]; expireAt: Temporal.Instant },
  loyaltyAccounts: AccountsByPassenger,
): Promise<void> {
  const until = expireAt.add({ hours: KEPT_AFTER_EXPIRY_HOURS });
  await privateOffers.remember({ environment, tenantId }, ids, until, loyaltyAccounts);
}

/** The offer at its current price. Another tenant's private offer is not found, and the supplier is not asked for it. */
export async function getOwnOffer(
  ports: { flights: Flights; privateOffers: PrivateOffers },
  owner: Owner,
  offerId: string,
  options: CallOptions = {},
): Promise<FlightOffer> {
  const { offer } = await getSearchedOffer(ports, owner, offerId, options);
  return offer;
}

/** The same with the loyalty accounts of the tenant's own search. */
export async function getSearchedOffer(
  { flights, privateOffers }: { flights: Flights; privateOffers: PrivateOffers },
  { tenantId, environment }: Owner,
  offerId: string,
  options: CallOptions = {},
): Promise<{ offer: FlightOffer; searchedAccounts: AccountsByPassenger }> {
  const searchedAccounts = await privateOffers.loyaltyAccounts(environment, tenantId, offerId);
  if (searchedAccounts === undefined) throw offerNotFound();
  try {
    return { offer: await flights.getOffer(offerId, options), searchedAccounts };
  } catch (error) {
    // The same text for an unknown offer as for another tenant's.
    throw error instanceof Failure && error.code === "offer_not_found" ? offerNotFound(error.cause) : error;
  }
}

/** Failures of every tool that takes an offer. */
export const offerErrors = {
  offer_not_found: "The offer does not exist. Search again.",
  offer_expired: "The offer can no longer be booked. Search again.",
} as const;

function offerNotFound(cause?: unknown): Failure {
  return new Failure("offer_not_found", {
    detail: offerErrors.offer_not_found,
    ...(cause === undefined ? {} : { cause }),
  });
}
