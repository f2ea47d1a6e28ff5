import { invalidInput } from "../../../domain/errors.ts";
import type { Hex } from "../../../domain/tokens.ts";
import type { Chain } from "../../../ports/chain/chain.ts";
import type { EscrowContract } from "../../../ports/chain/escrow-contract.ts";
import { readAddress } from "../../treasury/index.ts";
import type { Trip } from "../../trips/index.ts";
import type { Stores } from "../context.ts";
import { escrowFailure } from "../errors.ts";
import { readHash } from "../input.ts";

/**
 * The escrow contracts of a tenant: the chain's own, which all tenants share, and those that an operator has allowed this tenant.
 * A trip stays in the one that it was prefunded in.
 */

interface Sources {
  chain: Chain;
  stores: Pick<Stores, "furtherEscrows">;
}

/** A tenant's trip in an escrow that the caller may have named. */
interface NamedEscrow {
  /** Undefined: any tenant's. */
  tenantId: string | undefined;
  escrowAddress?: string | undefined;
  /** As the caller named it; one that is not there is refused elsewhere. */
  tripId?: string | undefined;
  bookingId?: string | undefined;
}

/** The escrow for a new trip. Throws `chain_not_available`, or `invalid_input` for one that the tenant may not use. */
export async function requireNewEscrow(
  { chain, stores }: Sources,
  { tenantId, escrowAddress }: { tenantId: string; escrowAddress: string | undefined },
): Promise<EscrowContract> {
  const named = readNamed(chain, escrowAddress);
  if (named === undefined) {
    if (chain.escrow === undefined) throw escrowFailure("chain_not_available");
    return chain.escrow;
  }
  const allowed = await stores.furtherEscrows.find(chain.key, named);
  if (allowed?.tenantId !== tenantId) throw notAllowed(chain);
  if (allowed.revokedAt === undefined) return chain.escrowAt(allowed);
  throw refuse("no longer takes new trips of yours: omit it. Trips that are in it can still be settled and closed");
}

/** Throws like `requireNewEscrow`, for a trip that may be there, and `invalid_input` for another escrow than the trip's. */
export async function checkEscrow(
  { chain, stores }: { chain: Chain; stores: Pick<Stores, "furtherEscrows" | "trips"> },
  { tenantId, escrowAddress, tripId, bookingId }: NamedEscrow,
): Promise<void> {
  async function isOfTenant(address: Hex): Promise<boolean> {
    const further = await stores.furtherEscrows.find(chain.key, address);
    return further !== undefined && (tenantId ?? further.tenantId) === further.tenantId;
  }
  const named = readNamed(chain, escrowAddress);
  if (named !== undefined && !(await isOfTenant(named))) throw notAllowed(chain);
  if (escrowAddress === undefined) {
    if (chain.escrow !== undefined) return;
    const further = await stores.furtherEscrows.list(chain.key);
    if (further.some((one) => tenantId === undefined || one.tenantId === tenantId)) return;
    throw escrowFailure("chain_not_available");
  }
  const trip = tenantId === undefined ? undefined : await findTrip(stores, chain, { tenantId, tripId, bookingId });
  if (trip === undefined || trip.escrow === (named ?? chain.escrow?.address)) return;
  // A trip in an earlier escrow of the chain is refused as such.
  if (named === undefined && !(await isOfTenant(trip.escrow))) return;
  throw refuse(`is not the escrow of this trip, which is ${trip.escrow}; omit it`);
}

async function findTrip(
  { trips }: Pick<Stores, "trips">,
  { environment }: Chain,
  { tenantId, tripId, bookingId }: Pick<NamedEscrow, "tripId" | "bookingId"> & { tenantId: string },
): Promise<Pick<Trip, "escrow"> | undefined> {
  const booking = bookingId === undefined ? undefined : readHash(bookingId);
  if (booking !== undefined) return (await trips.findOfBooking(tenantId, environment, booking))?.trip;
  const trip = tripId === undefined ? undefined : readHash(tripId);
  return trip === undefined ? undefined : await trips.find(tenantId, environment, trip);
}

/** The contract that a trip is in; undefined: one that the service does not use any more. */
export async function findTripEscrow(
  { chain, stores }: Sources,
  trip: Pick<Trip, "escrow" | "tenantId">,
): Promise<EscrowContract | undefined> {
  if (trip.escrow === chain.escrow?.address) return chain.escrow;
  const further = await stores.furtherEscrows.find(chain.key, trip.escrow);
  return further?.tenantId === trip.tenantId ? chain.escrowAt(further) : undefined;
}

const ANOTHER_ESCROW = "The trip is in an escrow that this network no longer uses. Nothing was done.";

/** The same. Throws `chain_not_available` where it is undefined. */
export async function requireTripEscrow(
  sources: Sources,
  trip: Pick<Trip, "escrow" | "tenantId">,
): Promise<EscrowContract> {
  const contract = await findTripEscrow(sources, trip);
  if (contract !== undefined) return contract;
  throw escrowFailure("chain_not_available", sources.chain.escrow === undefined ? {} : { detail: ANOTHER_ESCROW });
}

/** Undefined: the chain's own. */
function readNamed(chain: Chain, escrowAddress: string | undefined): Hex | undefined {
  if (escrowAddress === undefined) return undefined;
  const address = readAddress(escrowAddress);
  if (address === undefined) throw notAllowed(chain);
  return address === chain.escrow?.address ? undefined : address;
}

function notAllowed({ escrow }: Chain) {
  const own = escrow === undefined ? "" : `this network's escrow, ${escrow.address}, or `;
  const instead = escrow === undefined ? "ask" : "leave it out, or ask";
  return refuse(`must be ${own}one that the operator has allowed you; ${instead} the operator to allow it`);
}

const refuse = (message: string) => invalidInput([{ path: "escrowAddress", message }]);
