import type { Caller } from "../../kernel/contracts/tool.ts";
import type { AirlineCredit, Flights } from "../../ports/supplier/flights.ts";
import type { Travelers } from "./traveler-profile.ts";

/** Who travels first in what the call books. */
export const leadOf = ({ travelerId, leadTravelerId }: Pick<Caller, "travelerId" | "leadTravelerId">): string =>
  leadTravelerId ?? travelerId;

/** The tenant's user behind a supplier customer; undefined also for another tenant's customer, which does not exist here. */
export function findOwnCustomer(
  travelers: Travelers,
  caller: Pick<Caller, "tenantId" | "environment">,
  customerUserId: string,
): Promise<string | undefined> {
  return travelers.findUserByCustomerId(caller.tenantId, customerUserId, caller.environment);
}

/** The tenant's airline credit; undefined also for one that belongs to somebody else or to nobody we know. */
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
