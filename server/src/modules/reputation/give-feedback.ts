import { Failure } from "../../domain/errors.ts";
import { newId, type RandomBytes } from "../../domain/ids.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Chain } from "../../ports/chain/chain.ts";
import type { ChainTransaction } from "../../ports/chain/chain-transactions.ts";
import type { Clock } from "../../ports/clock.ts";
import { bookingErrors, tripStateErrors } from "../escrow/index.ts";
import type { SendOutAnswer } from "../treasury/index.ts";
import type { EscrowBooking } from "../trips/index.ts";
import type { Stores } from "./context.ts";
import { registryWriteErrors } from "./errors.ts";
import { isOperators } from "./name-agent.ts";
import { type RecordPorts, recordOnce, requireRegistries } from "./record-once.ts";
import { findRegistration } from "./register-agent.ts";
import { FEEDBACK_PURPOSE, hashContent } from "./registry-intents.ts";
import type { Feedback, NewFeedback, RaterKind } from "./reputation.ts";

export interface FeedbackPorts extends RecordPorts {
  chain: Chain;
  clock: Clock;
  random: RandomBytes;
}

export interface FeedbackRequest {
  tenantId: string;
  callId: string;
  raterKind: RaterKind;
  /** The user who rates. */
  userId: string;
  /** Undefined: the id is impossible. */
  agentId: bigint | undefined;
  stars: number;
  tag: string;
  tripId: Hex | undefined;
  bookingId: Hex | undefined;
  evidenceUri: string | undefined;
  /** Added to the answer along with the rating. */
  about: Readonly<Record<string, unknown>>;
  waitMilliseconds?: number;
}

/** For the tool to declare. */
export const feedbackErrors = {
  ...registryWriteErrors,
  own_agent: "This is your own agent; only others can rate it.",
  already_rated:
    "You have already rated this, and ratings cannot be changed. `txHash` is its transaction. Rate another booking, trip or tag.",
  trip_not_found: tripStateErrors.trip_not_found,
  booking_not_found: bookingErrors.booking_not_found,
  agent_not_involved:
    "This agent did not take part in this booking: it is neither the agent named in prefund_trip, nor the vendor's, nor the operator's. Leave bookingId out.",
} as const;

const failed = (code: keyof typeof feedbackErrors, extra?: Readonly<Record<string, unknown>>): Failure =>
  new Failure(code, { detail: feedbackErrors[code], ...(extra === undefined ? {} : { extra }) });

export type FeedbackRating = Omit<FeedbackRequest, "callId" | "about" | "waitMilliseconds">;

/** Checks the registries and our records before anything is stored, without changing anything. */
export async function checkFeedback(
  { stores, chain }: Pick<FeedbackPorts, "stores" | "chain">,
  { agentId, ...rating }: FeedbackRating,
) {
  const { environment } = chain;
  const registries = requireRegistries(chain);
  if (agentId === undefined) throw failed("agent_not_found");
  const place = await findPlace(stores, environment, rating);
  const { address: from } = await stores.wallets.ensure(chain.key, "treasury", rating.tenantId);
  const [owner, raterAgentId] = await Promise.all([
    registries.findOwner(agentId),
    registries.findAgent(from, () => findRegistration(stores, chain.key, rating.tenantId)),
  ]);
  if (owner === undefined) throw failed("agent_not_found");
  if (owner === from) throw failed("own_agent");
  const scope = ratingScope({ ...rating, agentId, tripId: place.tripId, bookingId: place.bookingId });
  const earlier = await stores.feedbacks.findInScope(chain.key, scope);
  if (earlier?.transactionHash !== undefined && !isSameRating(earlier, { ...rating, agentId })) {
    throw alreadyRated(earlier, { hash: earlier.transactionHash });
  }
  if (place.booking !== undefined && !(await takesPart(stores, chain, { agentId, owner }, place.booking))) {
    throw failed("agent_not_involved");
  }
  const { booking: _, ...named } = place;
  return { agentId, place: named, from, raterAgentId, scope };
}

/** The agent that the trip was prefunded for, the vendor's, or the operator's, which carries every booking out. */
async function takesPart(
  { trips, wallets }: Pick<Stores, "trips" | "wallets">,
  { key }: Pick<Chain, "key">,
  { agentId, owner }: { agentId: bigint; owner: Hex },
  { tenantId, environment, tripId, vendor }: EscrowBooking,
): Promise<boolean> {
  if (owner === vendor || (await isOperators(wallets, key, owner))) return true;
  const { agentTokenId } = (await trips.find(tenantId, environment, tripId))?.details ?? {};
  return agentTokenId !== undefined && BigInt(agentTokenId) === agentId;
}

/** Rates an agent once per scope. Throws Failure with a code of `feedbackErrors`. */
export async function giveFeedback(ports: FeedbackPorts, request: FeedbackRequest): Promise<SendOutAnswer> {
  const { stores, chain, clock, random } = ports;
  const { tenantId, callId, raterKind, userId, stars, tag, evidenceUri } = request;
  const { key, chainId } = chain;
  const { agentId, place, from, raterAgentId, scope } = await checkFeedback(ports, request);
  const content = {
    chainId,
    agentId: agentId.toString(),
    stars,
    tag,
    fromKind: raterKind,
    raterAddress: from,
    tripId: place.tripId ?? null,
    bookingId: place.bookingId ?? null,
    evidenceUri: evidenceUri ?? null,
  };
  const feedbackHash = hashContent(content);
  const feedback: NewFeedback = {
    id: newId("fbk_", clock.now().epochMilliseconds, random),
    ...key,
    agentId,
    tenantId,
    raterKind,
    userId,
    scope,
    stars,
    tag,
    ...place,
    evidenceUri,
    feedbackHash,
  };
  return await recordOnce(ports, {
    tenantId,
    callId,
    purpose: FEEDBACK_PURPOSE,
    from,
    action: { name: "give_feedback", agentId, stars, tag, feedbackUri: evidenceUri ?? "", feedbackHash },
    result: { ...content, raterAgentId: raterAgentId?.toString() ?? null, feedbackHash, ...request.about },
    insert: ({ feedbacks }) => feedbacks.insert(feedback),
    findEarlier: () => stores.feedbacks.findInScope(key, feedback.scope),
    requireSame(earlier, transaction) {
      if (!isSameRating(earlier, feedback)) throw alreadyRated(earlier, transaction);
    },
    waitMilliseconds: request.waitMilliseconds,
  });
}

/** The rated trip and booking, which must be the tenant's own. */
async function findPlace(
  { trips, escrowBookings }: Pick<Stores, "trips" | "escrowBookings">,
  environment: Chain["environment"],
  { tenantId, tripId, bookingId }: Pick<FeedbackRequest, "tenantId" | "tripId" | "bookingId">,
): Promise<{ tripId: Hex | undefined; bookingId: Hex | undefined; booking: EscrowBooking | undefined }> {
  if (tripId !== undefined) {
    const trip = await trips.find(tenantId, environment, tripId);
    if (trip === undefined || trip.state === "failed") throw failed("trip_not_found");
  }
  if (bookingId === undefined) return { tripId, bookingId, booking: undefined };
  const booking = await escrowBookings.find(tenantId, environment, bookingId);
  if (booking === undefined || booking.state === "failed") throw failed("booking_not_found");
  if (tripId !== undefined && booking.tripId !== tripId) throw failed("booking_not_found");
  return { tripId: booking.tripId, bookingId, booking };
}

type Content = Pick<NewFeedback, "agentId" | "stars" | "tag" | "evidenceUri">;

function isSameRating(one: Content, other: Content): boolean {
  return (
    one.agentId === other.agentId &&
    one.stars === other.stars &&
    one.tag === other.tag &&
    one.evidenceUri === other.evidenceUri
  );
}

function alreadyRated({ stars, tag, agentId }: Feedback, { hash }: Pick<ChainTransaction, "hash">): Failure {
  return failed("already_rated", { txHash: hash, subjectAgentId: agentId.toString(), stars, tag });
}

export interface Rating {
  tenantId: string;
  raterKind: RaterKind;
  /** The rating user, if the rater is a user. */
  userId: string;
  agentId: bigint;
  tag: string;
  tripId: Hex | undefined;
  bookingId: Hex | undefined;
}

/**
 * The scope that a rater rates once: a booking; else a trip; else an agent under a tag. A tenant and each of its users are
 * separate raters.
 */
export function ratingScope({ tenantId, raterKind, userId, agentId, tag, tripId, bookingId }: Rating): string {
  const rater = raterKind === "org" ? [tenantId] : [tenantId, userId];
  if (bookingId !== undefined) return JSON.stringify([raterKind, ...rater, "booking", bookingId]);
  if (tripId !== undefined) return JSON.stringify([raterKind, ...rater, "trip", tripId]);
  return JSON.stringify([raterKind, ...rater, "agent", agentId.toString(), tag]);
}
