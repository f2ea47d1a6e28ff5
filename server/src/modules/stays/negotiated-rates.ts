import { Failure } from "../../domain/errors.ts";
import type { Environment } from "../../ports/identity.ts";
import type { CallOptions } from "../../ports/supplier/flights.ts";
import type { NegotiatedRate, StayBookings } from "../../ports/supplier/stay-bookings.ts";
import type { StaySearch, Stays, StaysFound } from "../../ports/supplier/stays.ts";
import type { NegotiatedRates } from "./store-negotiated-rates.ts";

interface Owner {
  tenantId: string;
  environment: Environment;
}

interface RatePorts {
  stayBookings: Pick<StayBookings, "createNegotiatedRate" | "updateNegotiatedRate" | "deleteNegotiatedRate">;
  negotiatedRates: NegotiatedRates;
}

/**
 * The rate is the tenant's once it is stored here. One whose answer was lost stays at the supplier, in no search and nobody's: it
 * costs nothing, and a new one can be made.
 */
export async function createRate(
  { stayBookings, negotiatedRates }: RatePorts,
  { tenantId, environment }: Owner,
  rate: Parameters<StayBookings["createNegotiatedRate"]>[0],
): Promise<NegotiatedRate> {
  const created = await stayBookings.createNegotiatedRate(rate);
  await negotiatedRates.add(environment, created.id, tenantId);
  return created;
}

/** What the records say of a change before the supplier is asked. Throws `negotiated_rate_not_found`. */
export async function requireOwnRate(
  { negotiatedRates }: Pick<RatePorts, "negotiatedRates">,
  { tenantId, environment }: Owner,
  action: "update" | "delete",
  negotiatedRateId: string,
): Promise<void> {
  const state = await negotiatedRates.find(tenantId, environment, negotiatedRateId);
  // Deleting it again says the same again, so that a lost answer can be asked for.
  if (state === "active" || (state !== undefined && action === "delete")) return;
  throw rateNotFound();
}

export async function updateRate(
  { stayBookings, negotiatedRates }: RatePorts,
  owner: Owner,
  negotiatedRateId: string,
  change: Parameters<StayBookings["updateNegotiatedRate"]>[1],
): Promise<NegotiatedRate> {
  await requireOwnRate({ negotiatedRates }, owner, "update", negotiatedRateId);
  try {
    return await stayBookings.updateNegotiatedRate(negotiatedRateId, change);
  } catch (error) {
    throw error instanceof Failure && error.code === "negotiated_rate_not_found" ? rateNotFound(error.cause) : error;
  }
}

export async function deleteRate(
  { stayBookings, negotiatedRates }: RatePorts,
  owner: Owner,
  negotiatedRateId: string,
): Promise<void> {
  const { tenantId, environment } = owner;
  await requireOwnRate({ negotiatedRates }, owner, "delete", negotiatedRateId);
  // Searches must not name what the supplier does not have any more.
  await negotiatedRates.markDeleted(tenantId, environment, negotiatedRateId);
  await stayBookings.deleteNegotiatedRate(negotiatedRateId);
}

/** More than anybody has agreed; a search has to end. */
const MOST_RATES_SEARCHED = 100;

/** The search of everybody, with the rates beside that the tenant has negotiated. */
export async function searchWithOwnRates(
  { stays, negotiatedRates }: { stays: Stays; negotiatedRates: Pick<NegotiatedRates, "listActive"> },
  { tenantId, environment }: Owner,
  query: StaySearch,
  limit: number,
  options: CallOptions,
): Promise<StaysFound> {
  const negotiatedRateIds = await negotiatedRates.listActive(tenantId, environment, MOST_RATES_SEARCHED);
  if (negotiatedRateIds.length === 0) return await stays.searchAccommodations(query, limit, options);
  try {
    return await stays.searchAccommodations({ ...query, negotiatedRateIds }, limit, options);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "negotiated_rate_not_found") throw error;
    // One of them is gone at the supplier: public rates are better than none.
    return await stays.searchAccommodations(query, limit, options);
  }
}

function rateNotFound(cause?: unknown): Failure {
  return new Failure("negotiated_rate_not_found", {
    detail: "You have no such negotiated rate. The answer to create gives the id.",
    ...(cause === undefined ? {} : { cause }),
  });
}
