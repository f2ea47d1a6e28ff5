import { z } from "zod";
import { Failure } from "../../../domain/errors.ts";
import { wordsOfOthers } from "../../../domain/schemas.ts";
import { final } from "../../../kernel/contracts/call-plan.ts";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import { ChainWrite, chainProvenance, toToolAnswer } from "../../treasury/index.ts";
import { defineTool, type Ports } from "../context.ts";
import { checkFeedback, feedbackErrors, giveFeedback as rate } from "../give-feedback.ts";
import { AgentId, EscrowId, EvidenceUri, readAgentId, readHash, Tag } from "../input.ts";
import { requireOwnTenant, userErrors } from "../own-names.ts";

const Output = ChainWrite.extend({
  agentId: z.string(),
  stars: z.number(),
  tag: wordsOfOthers(),
  fromKind: z.enum(["org", "user"]),
  tripId: z.string().nullable(),
  bookingId: z.string().nullable(),
  evidenceUri: z.string().nullable(),
  raterAddress: z.string().describe("Your treasury wallet, which the registry records as the rater"),
  raterAgentId: z.string().nullable().describe("Your own agent"),
  feedbackHash: z.string().describe("On chain: SHA-256 of the rating as canonical JSON; see docs/reputation.md"),
});

const Input = z.strictObject({
  subjectAgentId: AgentId,
  stars: z.int().min(1).max(5),
  tag: Tag,
  fromKind: z.enum(["org", "user"]).describe("The tenant and its users are separate raters"),
  fromTenantId: z.string().optional(),
  fromUserId: z.string().optional().describe("Default: the calling user"),
  tripId: EscrowId.optional(),
  bookingId: EscrowId.optional(),
  evidenceUri: EvidenceUri.optional(),
});

export const giveFeedback = defineTool({
  name: "give_feedback",
  title: "Rate an agent",
  summary: "Rate someone else's agent on chain: once per booking, else once per trip, else once per agent and tag.",
  advice: "One to five stars; not for your own agent.",
  area: "reputation",
  effect: "write",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["chain", "submission", "stores", "clock", "random", "travelers"],
  input: Input,
  output: Output,
  errors: { ...feedbackErrors, ...userErrors },
  example: () => ({ subjectAgentId: "1", stars: 5, tag: "punctual", fromKind: "org" as const }),
  gives: ({ raterAddress, raterAgentId }) => ({
    treasuryAddress: raterAddress,
    ...(raterAgentId === null ? {} : { ownAgentId: raterAgentId }),
  }),

  plan: () => ({ movements: [], irreversible: [final("the rating on the chain")] }),

  async probe(input, { chain, stores, travelers, caller }) {
    await checkFeedback({ chain, stores }, await readRating(input, { travelers, caller }));
  },

  async run(input, { chain, submission, stores, clock, random, travelers, caller, call }) {
    const rating = await readRating(input, { travelers, caller });
    const answer = await rate(
      { chain, submission, stores, clock, random },
      { ...rating, callId: call.id, about: chainProvenance(chain, clock) },
    );
    return toToolAnswer(answer, Output);
  },
});

/** Resolves the rater, the agent and the rated trip or booking of the tenant. */
async function readRating(
  input: z.output<typeof Input>,
  { travelers, caller }: Pick<Ports, "travelers"> & { caller: Caller },
) {
  const { subjectAgentId, stars, tag, fromKind, fromTenantId, fromUserId, tripId, bookingId, evidenceUri } = input;
  const { tenantId, environment } = caller;
  requireOwnTenant(caller, fromTenantId);
  if (fromUserId !== undefined && !(await travelers.isUser(tenantId, fromUserId, environment))) {
    throw new Failure("user_not_found", { detail: userErrors.user_not_found });
  }
  return {
    tenantId,
    raterKind: fromKind,
    userId: fromUserId ?? caller.userId,
    agentId: readAgentId(subjectAgentId),
    stars,
    tag,
    tripId: tripId === undefined ? undefined : readHash(tripId),
    bookingId: bookingId === undefined ? undefined : readHash(bookingId),
    evidenceUri,
  };
}
