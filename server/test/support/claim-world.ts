import { z } from "zod";
import { createClaimKeys } from "../../src/adapters/evm/index.ts";
import { chainEndings } from "../../src/contributions.ts";
import { systemRandom } from "../../src/domain/ids.ts";
import { type PrefundRequest, prefundTrip } from "../../src/modules/escrow/prefund-trip.ts";
import { type ClaimRequest, claimTrip } from "../../src/modules/guests/claim-trip.ts";
import { readGuestLink } from "../../src/modules/invitations/guest-link.ts";
import { openChainWorld, UNIT } from "./chain-world.ts";
import { delivery } from "./delivery.ts";

const Hash = z.templateLiteral(["0x", z.string()]);
export const APP_ORIGIN = "https://app.example";

/** Trips and their guests over a chain that goes on only when a test says so. */
export async function openClaimWorld() {
  const world = await openChainWorld();
  const openedChain = await world.open({ endings: chainEndings });
  const { stores, clock, vault } = world;
  const drain = () => world.drain(openedChain);
  const { tenant, balance, balanceOnChain } = await world.newTenant(1_000n * UNIT);
  const ports = {
    chain: openedChain.chain,
    // Nobody takes anything up by himself, and who waits looks once.
    submission: { ...openedChain.submitter, wake: () => undefined },
    stores,
    clock,
    random: systemRandom,
    claimKeys: createClaimKeys(vault),
    claimLinks: { defaultOrigin: APP_ORIGIN, otherOrigins: async () => [] },
    delivery,
  };

  async function prefund(change: Partial<PrefundRequest> = {}) {
    return await prefundTrip(ports, {
      tenantId: tenant.id,
      userId: "svc:key",
      callId: change.callId ?? (await world.newCall(tenant.id)),
      budget: 10n * UNIT,
      expiresInDays: 30,
      requiresCode: true,
      details: {},
      guestEmail: undefined,
      linkOrigin: undefined,
      escrowAddress: undefined,
      waitMilliseconds: 0,
      ...change,
    });
  }

  let trips = 0;
  /** Funded, with what its guest was given. */
  async function newTrip(change: Partial<PrefundRequest> = {}) {
    trips += 1;
    const key = `trip ${trips}`;
    await prefund({ ...change, callId: await world.newCall(tenant.id, key) }).catch(() => undefined);
    await drain();
    const { result } = await prefund({ ...change, callId: await world.newCall(tenant.id, key) });
    const link = readGuestLink(String(result.guestLink));
    if (link === undefined) throw new Error(`${String(result.guestLink)} is no guest link`);
    return { ...link, claimCode: String(result.claimCode), codeNonce: Hash.parse(result.codeNonce) };
  }

  const claim = (request: Omit<ClaimRequest, "chainId"> & { chainId?: number }) =>
    claimTrip(ports, { chainId: openedChain.chain.chainId, waitMilliseconds: 0, ...request });

  return {
    ...world,
    openedChain,
    drain,
    ports,
    tenant,
    balance,
    balanceOnChain,
    prefund,
    newTrip,
    claim,
  };
}
