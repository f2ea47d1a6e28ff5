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
 * The rate belongs to the tenant once it is stored here. If the supplier's answer is lost, the rate stays there without an
 * owner and in no search: it costs nothing, and another can be made.
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

/** Checks our records before the supplier is asked to change a rate. Throws `negotiated_rate_not_found`. */
export async function requireOwnRate(
  { negotiatedRates }: Pick<RatePorts, "negotiatedRates">,
  { tenantId, environment }: Owner,
  action: "update" | "delete",
  negotiatedRateId: string,
): Promise<void> {
  const state = await negotiatedRates.find(tenantId, environment, negotiatedRateId);
  // A repeated deletion gives the same answer, in case the first was lost.
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
  // Searches must not name a rate that the supplier no longer has.
  await negotiatedRates.markDeleted(tenantId, environment, negotiatedRateId);
  await stayBookings.deleteNegotiatedRate(negotiatedRateId);
}

/** More than any tenant has; it bounds the search. */
const MOST_RATES_SEARCHED = 100;

/** Searches public rates and the tenant's negotiated ones. */
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
    // A negotiated rate is gone at the supplier: public rates are better than none.
    return await stays.searchAccommodations(query, limit, options);
  }
}

function rateNotFound(cause?: unknown): Failure {
  return new Failure("negotiated_rate_not_found", {
    detail: "You have no such negotiated rate. The answer to create gives the id.",
    ...(cause === undefined ? {} : { cause }),
  });
}
