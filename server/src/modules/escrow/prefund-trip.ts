import { canonicalJson } from "../../domain/canonical-json.ts";
import { formatDecimal, type Micro } from "../../domain/money.ts";
import type { Hex } from "../../domain/tokens.ts";
import { SHOWN_ONCE_TEXT } from "../../kernel/contracts/shown-once.ts";
import type { ChainTransaction } from "../../ports/chain/chain-transactions.ts";
import type { TripTerms } from "../../ports/chain/escrow-contract.ts";
import { allowedOrigin, buildTripGuestLink, sendGuestMail } from "../invitations/index.ts";
import { chainProvenance, type SendOutAnswer, type SendOutPorts, sendOut } from "../treasury/index.ts";
import type { NewTrip, Trip, TripDetails } from "../trips/index.ts";
import type { Aggregates, Ports } from "./context.ts";
import { requireNewEscrow } from "./escrows/trip-escrow.ts";
import { randomHash } from "./input.ts";
import { TRIP_PREFUND_PURPOSE } from "./purposes.ts";
import { FURTHER } from "./step-machine/step-operation.ts";
import { tripPrefund } from "./trips/prefund-operation.ts";

interface FundingRequest {
  callId: string;
  trip: NewTrip;
  terms: TripTerms;
  /** The answer without `txHash`, `chainId` and `status`. It is stored, so it must contain no secret. */
  result: Readonly<Record<string, unknown>>;
  /** Whether the transaction stored by an earlier call with the same Idempotency-Key is the requested one. */
  isSame(earlier: ChainTransaction): boolean;
  waitMilliseconds?: number | undefined;
}

export type PrefundPorts = Pick<
  Ports,
  "chain" | "submission" | "stores" | "clock" | "random" | "claimKeys" | "claimLinks" | "delivery"
>;

export interface PrefundRequest {
  tenantId: string;
  userId: string;
  callId: string;
  budget: Micro;
  expiresInDays: number;
  requiresCode: boolean;
  details: Omit<TripDetails, "linkOrigin">;
  guestEmail: string | undefined;
  linkOrigin: string | undefined;
  escrowAddress: string | undefined;
  waitMilliseconds?: number | undefined;
}

const SECONDS_PER_DAY = 86_400;
const NO_METADATA: Hex = `0x${"0".repeat(64)}`;
/** An earlier call's term started at another second. */
const SAME_TERM_SECONDS = 3_600;

/**
 * Brings a budget into the escrow and lets anyone with the link, and the code if one is required, claim the trip.
 * Everything that a guest needs derives from the code nonce and the master key; nothing of it is stored.
 */
export async function prefundTrip(ports: PrefundPorts, request: PrefundRequest): Promise<SendOutAnswer> {
  const { chain, stores, clock, claimKeys } = ports;
  const { callId, guestEmail, waitMilliseconds } = request;
  const { terms, trip } = await planTrip(ports, request);
  // If the first call was not answered in time, its Idempotency-Key is free again, and the first trip counts.
  const earlier = await stores.chainTransactions.findOfRequest(chain.key, callId);
  const funding = tripPrefund.read(earlier?.operation);
  const first = funding && (await stores.trips.find(trip.tenantId, chain.environment, funding.tripId));
  const answer = await fundTrip(ports, {
    callId,
    trip,
    terms,
    result: {
      tripId: trip.tripId,
      escrowAddress: trip.escrow,
      budgetUsdc: formatDecimal(trip.budget),
      expiresAt: trip.expiresAt.toString(),
      codeNonce: trip.codeNonce,
      guestLink: SHOWN_ONCE_TEXT,
      ...(trip.requiresCode ? { claimCode: SHOWN_ONCE_TEXT } : {}),
      ...mailAnswer(guestEmail, trip.mail === "none" ? "no_server" : "later"),
      ...chainProvenance(chain, clock),
    },
    isSame: ({ id }) => id === earlier?.id && first !== undefined && isSameTrip(first, trip, clock.now()),
    waitMilliseconds,
  });
  const funded = first ?? trip;
  const isSent = funded.mail !== "none" && (await sendGuestMail(ports, funded));
  const result = {
    ...answer.result,
    guestLink: buildTripGuestLink(claimKeys, funded),
    ...(funded.requiresCode ? { claimCode: claimKeys.claimCode(funded.codeNonce) } : {}),
    ...(isSent ? { emailSent: true, emailNote: undefined } : await keptAnswer(ports, funded)),
  };
  return { ...answer, result };
}

async function planTrip(
  { chain, stores, clock, random, claimKeys, claimLinks, delivery }: PrefundPorts,
  request: PrefundRequest,
): Promise<{ terms: TripTerms; trip: NewTrip }> {
  const { tenantId, userId, budget, details, requiresCode, guestEmail } = request;
  const escrow = await requireNewEscrow({ chain, stores }, request);
  const linkOrigin = await allowedOrigin(claimLinks, tenantId, request.linkOrigin);
  const { address: funder } = await stores.wallets.ensure(chain.key, "treasury", tenantId);
  const codeNonce = randomHash(random);
  // Whole seconds, as on the chain.
  const start = Math.floor(clock.now().epochMilliseconds / 1000);
  const expiresAt = start + request.expiresInDays * SECONDS_PER_DAY;
  const terms: TripTerms = {
    funder,
    budget,
    expiresAt: BigInt(expiresAt),
    claimSigner: claimKeys.signerAddress(codeNonce),
    metadataHash: details.metadataHash ?? NO_METADATA,
    // Not the code nonce, which must not be on the chain.
    salt: randomHash(random),
  };
  const trip: NewTrip = {
    tripId: escrow.tripId(terms),
    ...chain.key,
    tenantId,
    userId,
    escrow: escrow.address,
    funder,
    budget,
    expiresAt: Temporal.Instant.fromEpochMilliseconds(expiresAt * 1000),
    codeNonce,
    requiresCode,
    details: { ...details, linkOrigin },
    guestEmail,
    mail: guestEmail !== undefined && (await delivery.canMail({ tenantId, ...chain.key })) ? "pending" : "none",
  };
  return { terms, trip };
}

/** Whether a repetition asks for the same, apart from fresh values. */
function isSameTrip(first: Trip, again: NewTrip, now: Temporal.Instant): boolean {
  const asked = ({ budget, escrow, requiresCode, details, guestEmail }: NewTrip) =>
    canonicalJson({ budget: budget.toString(), escrow, requiresCode, details, guestEmail: guestEmail ?? null });
  const firstSeconds = first.createdAt.until(first.expiresAt).total("seconds");
  const againSeconds = now.until(again.expiresAt).total("seconds");
  return asked(first) === asked(again) && Math.abs(firstSeconds - againSeconds) < SAME_TERM_SECONDS;
}

async function keptAnswer({ stores }: PrefundPorts, { environment, tripId, mail }: NewTrip) {
  if (mail === "none" || (await stores.trips.get(environment, tripId))?.mail !== "kept") return {};
  const emailNote =
    environment === "sandbox"
      ? "Sandbox emails are stored, not delivered: read_trip shows this one."
      : "Today's email limit of this tenant, or for this address, is used up: send the link to the guest yourself. read_trip shows the email.";
  return { emailSent: false, emailNote };
}

function mailAnswer(guestEmail: string | undefined, why: "no_server" | "later") {
  if (guestEmail === undefined) return { emailSent: false };
  const emailNote =
    why === "no_server"
      ? "This deployment has no mail server: send the link to the guest yourself."
      : "The mail server has not accepted the email yet. It is retried for a day; it is better to send the link yourself.";
  return { emailSent: false, emailNote };
}

/**
 * Stores the trip as `funding` with the operation that moves its budget from the tenant's treasury into the escrow, and
 * waits. Throws a Failure with a code of `sendOutErrors`.
 */
export async function fundTrip(
  ports: SendOutPorts & Pick<PrefundPorts, "chain">,
  request: FundingRequest,
): Promise<SendOutAnswer> {
  const { callId, trip, terms, result, isSame, waitMilliseconds } = request;
  const { tenantId, tripId, escrow } = trip;
  const further = escrow === ports.chain.escrow?.address ? {} : FURTHER;
  return await sendOut(ports, {
    tenantId,
    callId,
    idempotencyKey: `${TRIP_PREFUND_PURPOSE}:${callId}`,
    purpose: TRIP_PREFUND_PURPOSE,
    operation: tripPrefund,
    input: { token: "USDC", escrow, ...further, tripId, terms },
    result,
    waitMilliseconds,
    isSame,
    async alongside({ trips }: Aggregates) {
      await trips.insert(trip);
    },
  });
}
