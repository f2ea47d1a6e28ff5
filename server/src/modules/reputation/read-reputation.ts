import { Failure } from "../../domain/errors.ts";
import type { Chain } from "../../ports/chain/chain.ts";
import type { Reads, Stores } from "./context.ts";
import { ownAgentErrors, registryErrors } from "./errors.ts";
import { nameAgent } from "./name-agent.ts";
import { requireRegistries } from "./record-once.ts";
import { findRegistration } from "./register-agent.ts";
import type { Feedback, FeedbackQuery, Ratings } from "./reputation.ts";

/** The most tags listed, by frequency: raters choose tags freely. */
const MOST_TAGS = 50;

export interface ReputationQuery {
  /** Undefined: the caller has no key. */
  tenantId: string | undefined;
  /** The caller: a tenant or a payer. */
  reader: string;
  /** The agent; undefined id: an impossible one. */
  agent: { id: bigint | undefined } | "own" | "any";
  /** Limits the answer to ratings by this user of the tenant. */
  userId: string | undefined;
  recentLimit: number;
}

/** Reads the ratings made through this service. Throws Failure with a code of `registryErrors`. */
export async function readReputation(
  { stores, reads, chain }: { stores: Stores; reads: Reads; chain: Chain },
  query: ReputationQuery,
) {
  const { tenantId, userId } = query;
  const registries = requireRegistries(chain);
  const agentId = await findAgent();
  const rater = userId === undefined || tenantId === undefined ? undefined : { tenantId, userId };
  const ratings: FeedbackQuery = { ...chain.key, agentId, rater };
  const [summary, recent] = await reads(query.reader, ({ feedbacks }) =>
    Promise.all([feedbacks.summary(ratings, MOST_TAGS), feedbacks.recent(ratings, query.recentLimit)]),
  );
  const owner = agentId === undefined ? undefined : await registries.findOwner(agentId);
  if (agentId !== undefined && owner === undefined) throw agentNotFound();
  return {
    agentId: agentId?.toString() ?? null,
    ...(owner === undefined
      ? { agentName: null, owner: null, ownerAddress: null }
      : { ...(await nameAgent(stores.wallets, chain.key, owner, tenantId)), ownerAddress: owner }),
    average: averageStars(summary),
    count: summary.count,
    byTag: summary.byTag.map((one) => ({ tag: one.tag, average: averageStars(one), count: one.count })),
    tagCount: summary.tagCount,
    recent: recent.map((feedback) => toRecent(feedback, tenantId)),
  };

  async function findAgent(): Promise<bigint | undefined> {
    if (query.agent === "any") return undefined;
    if (query.agent !== "own") {
      if (query.agent.id === undefined) throw agentNotFound();
      return query.agent.id;
    }
    const own = tenantId === undefined ? undefined : await findOwnAgent(tenantId);
    if (own === undefined) {
      throw new Failure("agent_not_registered", { detail: ownAgentErrors.agent_not_registered, retryAfterSeconds: 5 });
    }
    return own;
  }

  async function findOwnAgent(own: string): Promise<bigint | undefined> {
    // On a live chain agents are registered for wallets, which are made when they are first asked for.
    const { address } = await stores.wallets.ensure(chain.key, "treasury", own);
    return await registries.findAgent(address, () => findRegistration(stores, chain.key, own));
  }
}

/** Trip details are shown only to the trip's tenant. */
function toRecent(feedback: Feedback, tenantId: string | undefined) {
  const { agentId, stars, tag, createdAt, transactionHash, tripId, bookingId } = feedback;
  const isOwn = feedback.tenantId === tenantId;
  return {
    agentId: agentId.toString(),
    stars,
    tag,
    at: createdAt.toString(),
    txHash: transactionHash ?? null,
    ...(isOwn && tripId !== undefined ? { tripId } : {}),
    ...(isOwn && bookingId !== undefined ? { bookingId } : {}),
  };
}

/** Two decimals, rounded half up. Null: there is nothing to average. */
export function averageStars({ count, starSum }: Ratings): string | null {
  if (count === 0) return null;
  const hundredths = Math.floor((starSum * 200 + count) / (count * 2));
  return `${Math.floor(hundredths / 100)}.${String(hundredths % 100).padStart(2, "0")}`;
}

const agentNotFound = (): Failure => new Failure("agent_not_found", { detail: registryErrors.agent_not_found });
