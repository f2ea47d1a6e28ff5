import { Failure } from "../../domain/errors.ts";
import type { Environment } from "../../ports/identity.ts";
import type { AirlineCreditDetails, FlightServicing } from "../../ports/supplier/flight-servicing.ts";
import type { CallOptions } from "../../ports/supplier/flights.ts";
import { findOwnCustomer, type Travelers } from "../travelers/index.ts";

export interface CreditsQuery {
  /** Users of the tenant; if both are undefined, all customers of the tenant. */
  userId: string | undefined;
  customerUserId: string | undefined;
  limit: number;
}

/** The maximum of parallel requests, one per customer. */
const AT_ONCE = 8;

interface Caller {
  tenantId: string;
  userId: string;
  travelerId: string;
  environment: Environment;
}

/** Credits of the tenant's customers, newest first. Throws `customer_not_found` also for another tenant's customer. */
export async function listCredits(
  { flightServicing, travelers }: { flightServicing: FlightServicing; travelers: Travelers },
  caller: Caller,
  query: CreditsQuery,
  options: CallOptions = {},
): Promise<AirlineCreditDetails[]> {
  const waiting = await listCustomers(travelers, caller, query);
  const found: AirlineCreditDetails[] = [];
  while (waiting.length > 0) {
    const some = waiting.splice(0, AT_ONCE).map((id) => flightServicing.listAirlineCredits(id, query.limit, options));
    found.push(...(await Promise.all(some)).flat());
  }
  return found
    .toSorted((left, right) => (right.issuedOn ?? "").localeCompare(left.issuedOn ?? ""))
    .slice(0, query.limit);
}

async function listCustomers(travelers: Travelers, caller: Caller, query: CreditsQuery): Promise<string[]> {
  const { tenantId, environment } = caller;
  const { userId, customerUserId } = query;
  if (customerUserId !== undefined) {
    const owner = await findOwnCustomer(travelers, caller, customerUserId);
    if (owner === undefined || (userId !== undefined && owner !== userId)) throw customerNotFound({ customerUserId });
    return [customerUserId];
  }
  if (userId === undefined) return [...(await travelers.listCustomerUserIds(tenantId, environment))];
  const isCaller = userId === caller.travelerId || userId === caller.userId;
  if (!isCaller && (await travelers.get(tenantId, userId, environment)) === undefined)
    throw customerNotFound({ clerkUserId: userId });
  const own = await travelers.findCustomerUserId(tenantId, userId, environment);
  return own === undefined ? [] : [own];
}

function customerNotFound(extra: Readonly<Record<string, string>>): Failure {
  return new Failure("customer_not_found", { extra });
}
