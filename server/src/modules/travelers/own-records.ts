import { Failure } from "../../domain/errors.ts";
import type { Caller } from "../../kernel/contracts/tool.ts";
import type { AirlineCredit, Flights } from "../../ports/supplier/flights.ts";
import type { Travelers } from "./traveler-profile.ts";

/** The lead traveler of the call's booking. */
export const chooseLead = ({ travelerId, leadTravelerId }: Pick<Caller, "travelerId" | "leadTravelerId">): string =>
  leadTravelerId ?? travelerId;

export const customerErrors = {
  customer_not_found: "You have no such customer user. ensure_flight_customer gives the id.",
} as const;

export const travelerErrors = {
  traveler_not_found: "You have no such traveler. list_travelers lists yours; save_traveler creates one.",
} as const;

export function customerNotFound(customerUserId: string): Failure {
  return new Failure("customer_not_found", { detail: customerErrors.customer_not_found, extra: { customerUserId } });
}

/** The tenant's user behind a supplier customer; undefined also for another tenant's customer. */
export function findOwnCustomer(
  travelers: Travelers,
  caller: Pick<Caller, "tenantId" | "environment">,
  customerUserId: string,
): Promise<string | undefined> {
  return travelers.findUserByCustomerId(caller.tenantId, customerUserId, caller.environment);
}

/** The tenant's user with this id, or behind the supplier's customer with it; undefined also for another tenant's. */
export async function findOwnTraveler(
  travelers: Travelers,
  caller: Pick<Caller, "tenantId" | "environment">,
  userOrCustomerId: string,
): Promise<string | undefined> {
  const userId = await findOwnCustomer(travelers, caller, userOrCustomerId);
  if (userId !== undefined) return userId;
  const profile = await travelers.get(caller.tenantId, userOrCustomerId, caller.environment);
  return profile === undefined ? undefined : userOrCustomerId;
}

/** The tenant's airline credit; undefined also for one of another tenant or with an unknown owner. */
export async function findOwnCredit(
  ports: { flights: Flights; travelers: Travelers },
  caller: Pick<Caller, "tenantId" | "environment">,
  creditId: string,
): Promise<AirlineCredit | undefined> {
  const credit = await ports.flights.getAirlineCredit(creditId);
  if (credit === undefined || credit.customerUserId === null) return undefined;
  const owner = await findOwnCustomer(ports.travelers, caller, credit.customerUserId);
  return owner === undefined ? undefined : credit;
}
