import type { Chain } from "../../ports/chain/chain.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import { findTripEscrow, isExpired, readHash } from "../escrow/index.ts";
import type { Stores } from "./context.ts";

export type ClaimState = "claimed" | "open" | "expired";

/** The state of a trip's claim by our records, or by the chain if they have none. Rejects with `chain_unavailable`. */
export async function findClaim(
  {
    stores,
    clock,
    chain,
  }: { stores: Pick<Stores, "furtherEscrows" | "trips">; clock: Clock; chain: Chain | undefined },
  { tenantId, environment }: { tenantId: string; environment: Environment },
  text: string,
): Promise<ClaimState> {
  const tripId = readHash(text);
  const trip = tripId === undefined ? undefined : await stores.trips.find(tenantId, environment, tripId);
  if (tripId === undefined || trip === undefined) return "open";
  if (trip.guestWallet !== undefined) return "claimed";
  const contract = chain && (await findTripEscrow({ chain, stores }, trip));
  const onChain = await contract?.trip(tripId);
  if (onChain?.guest !== undefined) return "claimed";
  return trip.state === "closed" || isExpired(trip, clock) ? "expired" : "open";
}
