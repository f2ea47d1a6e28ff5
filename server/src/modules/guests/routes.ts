import { z } from "zod";
import { Failure, type ServiceCode } from "../../domain/errors.ts";
import type { Hex } from "../../domain/tokens.ts";
import { definePublicRoute } from "../../kernel/contracts/route.ts";
import type { Environment } from "../../ports/identity.ts";
import { escrowFailure, Hash, requireHash } from "../escrow/index.ts";
import { requireAddress } from "../treasury/index.ts";
import {
  ClaimBody,
  Claimed,
  ClaimView,
  describeForGuest,
  TravelerBody,
  TravelerGiven,
  ViewBody,
} from "./claim-answers.ts";
import { type ClaimPorts, claimTrip, openClaim } from "./claim-trip.ts";
import { giveTraveler } from "./guest-traveler.ts";
import { unlockTrip } from "./unlock-trip.ts";

/** The ports of guests' routes. Guests have no key: the link's secret admits them, and nothing is metered. */
interface GuestRoutePorts {
  /** Undefined if this environment is switched off. */
  portsFor(environment: Environment): ClaimPorts | undefined;
}

const MAXIMUM_BODY_BYTES = 4_096;
/** The page repeats the request by itself: shorter than proxies keep a request open. */
const WAIT_MILLISECONDS = 10_000;
const ENVIRONMENTS = ["sandbox", "production"] as const;

const NOT_FOUND =
  "There is no trip with this id and this link. Use the complete guest link exactly as you received it.";

const tripId = "0x7a3f0a55b5b2d9a1e6a4cf0c8d1e2f3a4b5c6d7e8f90112233445566778899aa";
const linkSecret = "mJ0H1c9Vq5d1rVqv0b2c4VwYk3T6oXx1n8sZ7uQeRtA";
const guestWallet = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const txHash = "0x5d2a0a4f2b1c9e8d7f6a5b4c3d2e1f00998877665544332211ffeeddccbbaa99";

const ClaimPath = z.object({ tripId: Hash.describe("From the guest link") });

const viewClaim = definePublicRoute({
  id: "view_claim",
  method: "POST",
  path: "/api/claims/:tripId/view",
  tag: "escrow",
  summary: "Look at a trip with its guest link",
  description:
    "The trip as the holder of the link sees it. A POST, so that the link's secret is not part of a URL. The secret of another trip also returns 404; this does not count as an attempt.",
  limitByAddress: "requests",
  params: ClaimPath,
  body: ViewBody,
  maximumBodyBytes: MAXIMUM_BODY_BYTES,
  answers: { 200: { description: "The trip.", schema: ClaimView } },
  errors: {
    not_found: NOT_FOUND,
    rate_limited: "Too many requests.",
    unavailable: "The trip cannot be read now. Send the request again.",
  },
  example: {
    body: { linkSecret },
    answer: {
      tripId,
      state: "open",
      budgetUsdc: "500.00",
      expiresAt: "2027-01-20T12:00:00Z",
      buyerName: "Bob",
      guestName: "Ada",
      tripSummary: "Lisbon, two nights",
      requiresCode: true,
      codesLeft: 5,
      guestWallet: null,
      claimedAt: null,
      txHash: null,
      chainId: 5042002,
      sandbox: true,
      travelerMissing: ["givenName", "familyName", "bornOn", "title", "gender", "phoneNumber"],
    },
  },
  run: ({ params, body }, { portsFor }: GuestRoutePorts) =>
    onTrip(portsFor, requireHash(params.tripId), async (ports, tripId) =>
      describeForGuest(await openClaim(ports, { tripId, linkSecret: body.linkSecret }), ports),
    ),
});

const claim = definePublicRoute({
  id: "claim_trip",
  method: "POST",
  path: "/api/claims/:tripId",
  tag: "escrow",
  summary: "Claim a trip with its guest link",
  description:
    "Binds the guest's wallet to the trip, once, and waits until the chain confirms it. A repeat with the same wallet returns the first answer. `reason` of a 409 says why the claim was refused; wrong codes are counted, and `attemptsLeft` says how many attempts are left. Free of charge.",
  limitByAddress: "requests",
  params: ClaimPath,
  body: ClaimBody,
  maximumBodyBytes: MAXIMUM_BODY_BYTES,
  answers: { 200: { description: "The guest has claimed the trip.", schema: Claimed } },
  errors: {
    not_found: NOT_FOUND,
    conflict: "The trip cannot be claimed in its current state; `reason` says why.",
    in_progress: "Another step of the trip is in progress. Send the request again shortly.",
    rate_limited: "Too many requests.",
    unavailable: "The trip cannot be claimed now. Send the request again.",
  },
  example: {
    body: { linkSecret, guestWallet, claimCode: "482913" },
    answer: { tripId, guestWallet, claimedAt: "2026-12-21T09:30:00Z", txHash, chainId: 5042002, status: "confirmed" },
  },
  run: ({ params, body }, { portsFor }: GuestRoutePorts) =>
    onTrip(portsFor, requireHash(params.tripId), async (ports, tripId) => {
      const { result } = await claimTrip(ports, {
        ...body,
        tripId,
        guestWallet: requireAddress(body.guestWallet),
        chainId: ports.chain.chainId,
        waitMilliseconds: WAIT_MILLISECONDS,
      });
      return Claimed.parse(result);
    }),
});

const giveClaimTraveler = definePublicRoute({
  id: "give_claim_traveler",
  method: "POST",
  path: "/api/claims/:tripId/traveler",
  tag: "escrow",
  summary: "Name the traveler of a claimed trip",
  description:
    "After claiming a trip that was prefunded for a guest, the guest names the traveler, once; later, the buyer can change it with PUT /api/travelers/{userId}. Runs that wait for this continue. `reason` of a 409 says why it was refused; wrong codes are counted as for a claim. Free of charge.",
  limitByAddress: "requests",
  params: ClaimPath,
  body: TravelerBody,
  maximumBodyBytes: MAXIMUM_BODY_BYTES,
  answers: { 200: { description: "The traveler was stored.", schema: TravelerGiven } },
  errors: {
    not_found: NOT_FOUND,
    conflict: "The trip cannot take a traveler in its current state; `reason` says why.",
    rate_limited: "Too many requests.",
    unavailable: "The traveler cannot be stored now. Send the request again.",
  },
  example: {
    body: {
      linkSecret,
      claimCode: "482913",
      givenName: "Ada",
      familyName: "Lovelace",
      bornOn: "1985-12-10",
      title: "ms",
      gender: "f",
      phoneNumber: "+14155550123",
    },
    answer: { tripId, travelerMissing: [] },
  },
  run: ({ params, body: { linkSecret, claimCode, ...traveler } }, { portsFor }: GuestRoutePorts) =>
    onTrip(portsFor, requireHash(params.tripId), async (ports, tripId) => {
      await giveTraveler(ports, { tripId, linkSecret, claimCode, traveler });
      return { tripId, travelerMissing: [] };
    }),
});

/** Runs `work` on the trip's chain: the id is derived from the chain, so there is only one. */
async function onTrip<Answer>(
  portsFor: GuestRoutePorts["portsFor"],
  tripId: Hex,
  work: (ports: ClaimPorts, tripId: Hex) => Promise<Answer>,
): Promise<Answer> {
  try {
    for (const environment of ENVIRONMENTS) {
      const ports = portsFor(environment);
      if (ports === undefined || (await ports.stores.trips.get(environment, tripId)) === undefined) continue;
      return await work(ports, tripId);
    }
    throw escrowFailure("trip_not_found");
  } catch (error) {
    throw toRouteFailure(error);
  }
}

/** The codes of escrow on a route that is not a tool. */
const routeCodes: Readonly<Record<string, ServiceCode>> = {
  trip_not_found: "not_found",
  claim_link_invalid: "not_found",
  trip_not_funded: "conflict",
  trip_expired: "conflict",
  trip_closed: "conflict",
  already_claimed: "conflict",
  claim_locked: "conflict",
  claim_code_required: "conflict",
  claim_code_wrong: "conflict",
  step_reverted: "conflict",
  not_claimed: "conflict",
  no_guest_traveler: "conflict",
  traveler_given: "conflict",
  trip_in_progress: "in_progress",
  step_in_progress: "in_progress",
  settlement_stopped: "unavailable",
  chain_not_available: "unavailable",
};
const RETRY_AFTER_SECONDS = 5;

function toRouteFailure(error: unknown): unknown {
  if (!(error instanceof Failure)) return error;
  const code = routeCodes[error.code];
  if (code === undefined) return error;
  return new Failure(code, {
    detail: code === "not_found" ? NOT_FOUND : error.message,
    // A caller without the secret learns nothing about the trip.
    extra: code === "not_found" ? {} : { ...error.extra, reason: error.code },
    ...(code === "in_progress" || code === "unavailable" ? { retryAfterSeconds: RETRY_AFTER_SECONDS } : {}),
    cause: error.cause,
  });
}

export const guestRoutes = [viewClaim, claim, giveClaimTraveler, unlockTrip];
