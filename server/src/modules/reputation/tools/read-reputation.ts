import { z } from "zod";
import { DecimalAmount, wordsOfOthers } from "../../../domain/schemas.ts";
import { ChainResult, chainProvenance } from "../../treasury/index.ts";
import { defineTool } from "../context.ts";
import { ownAgentErrors, registryErrors } from "../errors.ts";
import { AgentId, readAgentId } from "../input.ts";
import { requireOwnTenant, userErrors } from "../own-names.ts";
import { readReputation as read } from "../read-reputation.ts";

const Average = DecimalAmount.nullable().describe("Stars, with two places; null: no ratings");

export const readReputation = defineTool({
  name: "read_reputation",
  title: "Read an agent's reputation",
  summary: "Show an agent's ratings: average, count, by tag, most recent.",
  advice: "Without an agent id, your own agent is shown, once it is registered.",
  area: "reputation",
  effect: "read",
  price: 500n,
  payableWithoutKey: true,
  keyOnlyInputs: ["tenantId", "userId"],
  uses: ["chain", "stores", "reads", "clock", "travelers"],
  input: z.strictObject({
    tenantId: z.string().optional().describe("Your tenant: shows your own agent, unless agentId is given"),
    userId: z.string().optional().describe("One of your users: only ratings that this user gave, of any agent"),
    agentId: AgentId.optional().describe("Required without an API key"),
    recentLimit: z.int().min(0).max(50).default(10),
  }),
  output: ChainResult.extend({
    agentId: z.string().nullable().describe("null: any agent"),
    agentName: z.string().nullable(),
    owner: z
      .enum(["you", "operator", "tenant", "elsewhere"])
      .nullable()
      .describe("tenant: another tenant of this service"),
    ownerAddress: z.string().nullable(),
    average: Average,
    count: z.number(),
    byTag: z
      .array(z.object({ tag: wordsOfOthers("Tags chosen by raters"), average: Average, count: z.number() }))
      .describe("The 50 most frequent"),
    tagCount: z.number(),
    recent: z
      .array(
        z.object({
          agentId: z.string(),
          stars: z.number(),
          tag: wordsOfOthers(),
          at: z.string(),
          txHash: z.string().nullable(),
          tripId: z.string().optional(),
          bookingId: z.string().optional(),
        }),
      )
      .describe("Newest first; tripId and bookingId only on your own ratings"),
  }),
  errors: { ...registryErrors, ...ownAgentErrors, ...userErrors },
  example: () => ({ agentId: "1", recentLimit: 5 }),

  async run(input, { chain, stores, reads, clock, travelers, caller, fail, invalid }) {
    const { agentId, userId, recentLimit } = input;
    const isKeyed = caller.keyId !== "";
    if (!isKeyed && agentId === undefined) {
      throw invalid({ path: "agentId", message: "is required without an API key" });
    }
    requireOwnTenant(caller, input.tenantId);
    if (userId !== undefined && !(await travelers.isUser(caller.tenantId, userId, caller.environment)))
      throw fail("user_not_found");
    const anyOrOwn = userId === undefined ? "own" : "any";
    const reputation = await read(
      { stores, reads, chain },
      {
        tenantId: isKeyed ? caller.tenantId : undefined,
        reader: caller.tenantId,
        agent: agentId === undefined ? anyOrOwn : { id: readAgentId(agentId) },
        userId,
        recentLimit,
      },
    );
    return { ...reputation, chainId: chain.chainId, ...chainProvenance(chain, clock) };
  },
});
