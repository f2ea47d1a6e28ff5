import { z } from "zod";
import { DecimalAmount, wordsOfOthers } from "../../domain/schemas.ts";
import { CURSOR_MESSAGE, NextCursor, pageQuery, readPage } from "../../kernel/contracts/page.ts";
import { defineRoute } from "../../kernel/contracts/route.ts";
import type { Chain } from "../../ports/chain/chain.ts";
import type { Environment, Principal } from "../../ports/identity.ts";
import type { Ports, Reads, Stores } from "./context.ts";
import { nameAgent } from "./name-agent.ts";
import { averageStars } from "./read-reputation.ts";
import { findRegistration } from "./register-agent.ts";
import type { Feedback, Validation } from "./reputation.ts";
import type { ReputationOwner } from "./store-own-reputation.ts";

interface ReputationRoutePorts {
  reads: Reads;
  portsFor(environment: Environment): Pick<Ports, "chain" | "stores"> | undefined;
}

const MOST_AGENTS = 20;
const MOST_TAGS = 10;
const TAG = "reputation";
const SCOPE = "reputation:read";
const errors = { sandbox_unavailable: "This deployment runs without the sandbox. Use a production key." };

const Average = DecimalAmount.nullable().describe("Stars, with two places; null: no ratings");
const Agent = z.object({
  agentId: z.string(),
  agentName: z.string(),
  owner: z.enum(["you", "operator", "tenant", "elsewhere"]).describe("tenant: another tenant of this service"),
  average: Average,
  count: z.number().describe("Ratings by everybody through this service"),
  given: z.number().describe("Those by you"),
  byTag: z
    .array(z.object({ tag: wordsOfOthers("Chosen by raters"), average: Average, count: z.number() }))
    .describe("The most frequent ones; your own agent's only"),
});

const FeedbackAnswer = z.object({
  feedbackId: z.string(),
  agentId: z.string(),
  stars: z.number(),
  tag: wordsOfOthers(),
  state: z.enum(["pending", "confirmed"]).describe("pending: on its way to the chain"),
  at: z.string().meta({ format: "date-time" }),
  txHash: z.string().nullable(),
  userId: z.string().nullable().describe("Who rated; null: a rating by somebody else, as with the fields below"),
  tripId: z.string().nullable(),
  bookingId: z.string().nullable(),
  evidenceUri: z.string().nullable(),
});

const ValidationAnswer = z.object({
  requestHash: z.string(),
  state: z.enum(["requesting", "requested", "answering", "answered"]).describe("…ing: on its way to the chain"),
  agentId: z.string(),
  validatorAddress: z.string(),
  isOwn: z.boolean().describe("Your agent is validated"),
  isAsked: z.boolean().describe("Your wallet is the validator"),
  tag: wordsOfOthers(),
  requestUri: z.string().nullable(),
  response: z.number().nullable().describe("0: failed, 100: passed, null: not answered"),
  responseUri: z.string().nullable(),
  at: z.string().meta({ format: "date-time" }),
  answeredAt: z.string().meta({ format: "date-time" }).nullable(),
  requestTxHash: z.string().nullable(),
  responseTxHash: z.string().nullable(),
});

const readAgents = defineRoute({
  id: "list_rated_agents",
  method: "GET",
  path: "/api/reputation/agents",
  tag: TAG,
  summary: "List agents and their ratings",
  description: `Your own agent first, once it is registered, then up to ${MOST_AGENTS} agents that you have rated.`,
  scope: SCOPE,
  answers: { 200: { description: "The agents.", schema: z.object({ agents: z.array(Agent) }) } },
  errors,
  async run({ principal, fail }, ports: ReputationRoutePorts) {
    const opened = ports.portsFor(principal.environment);
    if (opened === undefined) throw fail("sandbox_unavailable");
    const { chain, stores } = opened;
    const owner = await findOwner(opened, principal);
    const { agentId: own } = owner;
    const [rated, summary] = await ports.reads(principal.tenantId, ({ ownReputation, feedbacks }) =>
      Promise.all([
        ownReputation.ratedAgents(owner, MOST_AGENTS),
        own === undefined ? undefined : feedbacks.summary({ ...chain.key, agentId: own, rater: undefined }, MOST_TAGS),
      ]),
    );
    const others = await Promise.all(
      rated
        .filter(({ agentId }) => agentId !== own)
        .map(async ({ agentId, given, ...ratings }) => ({
          agentId: agentId.toString(),
          ...(await sayOwner(chain, stores, agentId, principal.tenantId)),
          average: averageStars(ratings),
          count: ratings.count,
          given,
          byTag: [],
        })),
    );
    if (own === undefined || summary === undefined) return { agents: others };
    const ownAgent = {
      agentId: own.toString(),
      agentName: "Your own agent",
      owner: "you" as const,
      average: averageStars(summary),
      count: summary.count,
      given: 0,
      byTag: summary.byTag.map((one) => ({ tag: one.tag, average: averageStars(one), count: one.count })),
    };
    return { agents: [ownAgent, ...others] };
  },
});

const listFeedback = defineRoute({
  id: "list_feedback",
  method: "GET",
  path: "/api/reputation/feedback",
  tag: TAG,
  summary: "List ratings",
  description: "The ratings that the tenant gave, or that its own agent received, newest first.",
  scope: SCOPE,
  query: z.object({
    ...pageQuery(z.string().regex(/^fbk_[0-9A-Z]{26}$/, CURSOR_MESSAGE)),
    direction: z.enum(["given", "received"]).describe("Default: given").exactOptional(),
  }),
  answers: {
    200: {
      description: "One page of ratings.",
      schema: z.object({ feedback: z.array(FeedbackAnswer), nextCursor: NextCursor }),
    },
  },
  errors,
  async run({ principal, query, fail }, { reads, portsFor }: ReputationRoutePorts) {
    const opened = portsFor(principal.environment);
    if (opened === undefined) throw fail("sandbox_unavailable");
    const { direction = "given", cursor: before } = query;
    const owner = await findOwner(opened, principal);
    const { shown, nextCursor } = await readPage(
      query,
      (limit) =>
        reads(principal.tenantId, ({ ownReputation }) => ownReputation.feedback(owner, direction, { before, limit })),
      ({ id }) => id,
    );
    return { feedback: shown.map((one) => describeFeedback(one, principal.tenantId)), nextCursor };
  },
});

const listValidations = defineRoute({
  id: "list_validations",
  method: "GET",
  path: "/api/reputation/validations",
  tag: TAG,
  summary: "List validations",
  description:
    "The validations that the tenant asked for, and those of its agent or for its wallet to answer, newest first.",
  scope: SCOPE,
  query: z.object(pageQuery(z.string().regex(/^val_[0-9A-Z]{26}$/, CURSOR_MESSAGE))),
  answers: {
    200: {
      description: "One page of validations.",
      schema: z.object({ validations: z.array(ValidationAnswer), nextCursor: NextCursor }),
    },
  },
  errors,
  async run({ principal, query, fail }, { reads, portsFor }: ReputationRoutePorts) {
    const opened = portsFor(principal.environment);
    if (opened === undefined) throw fail("sandbox_unavailable");
    const owner = await findOwner(opened, principal);
    const { shown, nextCursor } = await readPage(
      query,
      (limit) =>
        reads(principal.tenantId, ({ ownReputation }) =>
          ownReputation.validations(owner, { before: query.cursor, limit }),
        ),
      ({ id }) => id,
    );
    return { validations: shown.map((one) => describeValidation(one, owner)), nextCursor };
  },
});

export const reputationRoutes = [readAgents, listFeedback, listValidations];

/** Without registries on the chain, or before its registration, the tenant has no agent. */
async function findOwner(
  { chain, stores }: { chain: Chain; stores: Stores },
  { tenantId }: Principal,
): Promise<ReputationOwner> {
  const { address } = await stores.wallets.ensure(chain.key, "treasury", tenantId);
  const agentId = await chain.agentRegistries?.findAgent(address, () => findRegistration(stores, chain.key, tenantId));
  return { ...chain.key, tenantId, address, agentId };
}

async function sayOwner({ key, agentRegistries }: Chain, { wallets }: Stores, agentId: bigint, tenantId: string) {
  const owner = await agentRegistries?.findOwner(agentId);
  return owner === undefined
    ? { agentName: "An agent that is not registered any more", owner: "elsewhere" as const }
    : await nameAgent(wallets, key, owner, tenantId);
}

/** Others see of a rating only what the chain shows. */
function describeFeedback(feedback: Feedback, tenantId: string): z.input<typeof FeedbackAnswer> {
  const { id, agentId, stars, tag, state, createdAt, transactionHash, userId, tripId, bookingId, evidenceUri } =
    feedback;
  const own = feedback.tenantId === tenantId ? { userId, tripId, bookingId, evidenceUri } : undefined;
  return {
    feedbackId: id,
    agentId: agentId.toString(),
    stars,
    tag,
    state,
    at: createdAt.toString(),
    txHash: transactionHash ?? null,
    userId: own?.userId ?? null,
    tripId: own?.tripId ?? null,
    bookingId: own?.bookingId ?? null,
    evidenceUri: own?.evidenceUri ?? null,
  };
}

function describeValidation(validation: Validation, owner: ReputationOwner): z.input<typeof ValidationAnswer> {
  const { requestHash, state, agentId, validator, tag, answer, requestUri } = validation;
  return {
    requestHash,
    state,
    agentId: agentId.toString(),
    validatorAddress: validator,
    isOwn: agentId === owner.agentId,
    isAsked: validator === owner.address,
    tag,
    requestUri: requestUri ?? null,
    // An answer on its way may still be refused.
    response: state === "answered" ? (answer?.response ?? null) : null,
    responseUri: state === "answered" ? (answer?.responseUri ?? null) : null,
    at: validation.createdAt.toString(),
    answeredAt: validation.answeredAt?.toString() ?? null,
    requestTxHash: validation.requestTransactionHash ?? null,
    responseTxHash: validation.answerTransactionHash ?? null,
  };
}
