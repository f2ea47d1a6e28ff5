import { z } from "zod";
import { wordsOfOthers } from "../../../domain/schemas.ts";
import { final } from "../../../kernel/contracts/call-plan.ts";
import { ChainWrite, chainProvenance, Recipient, toToolAnswer } from "../../treasury/index.ts";
import { defineTool } from "../context.ts";
import { AgentId, EvidenceUri, readAgentId, requireWallet, Seed, Tag } from "../input.ts";
import { checkRequest, requestValidation as request, requestErrors } from "../request-validation.ts";

const Output = ChainWrite.extend({
  requestHash: z.string().describe("For submit_validation_response and read_validation"),
  agentId: z.string(),
  validatorAddress: z.string(),
  ownerWalletAddress: z.string(),
  tag: wordsOfOthers(),
  requestUri: z.string().nullable(),
});

export const requestValidation = defineTool({
  name: "request_validation",
  title: "Request a validation",
  summary: "Ask a validator, on chain, to check your own agent's work.",
  advice: "list_validators lists possible validators; read_validation shows the answer.",
  area: "reputation",
  effect: "write",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["chain", "submission", "stores", "clock", "random"],
  input: z.strictObject({
    subjectAgentId: AgentId.describe("Yours"),
    validatorAddress: Recipient,
    tag: Tag,
    requestUri: EvidenceUri.optional(),
    ownerWalletAddress: Recipient.describe("Your treasury wallet"),
    seed: Seed.optional().describe("The same seed and arguments give the same request"),
  }),
  output: Output,
  errors: requestErrors,
  example: (_today, { ownAgentId, treasuryAddress }) => ({
    subjectAgentId: ownAgentId,
    validatorAddress: treasuryAddress,
    tag: "itinerary",
    ownerWalletAddress: treasuryAddress,
  }),
  gives: ({ requestHash }) => ({ requestHash }),

  plan: () => ({ movements: [], irreversible: [final("the request on the chain")] }),

  async probe({ subjectAgentId, ownerWalletAddress }, { chain, stores, caller: { tenantId } }) {
    const ownerWallet = requireWallet(ownerWalletAddress);
    await checkRequest({ chain, stores }, { tenantId, agentId: readAgentId(subjectAgentId), ownerWallet });
  },

  async run(input, { chain, submission, stores, clock, random, caller: { tenantId }, call }) {
    const { subjectAgentId, validatorAddress, tag, requestUri, ownerWalletAddress, seed } = input;
    const answer = await request(
      { chain, submission, stores, clock, random },
      {
        tenantId,
        callId: call.id,
        agentId: readAgentId(subjectAgentId),
        validator: requireWallet(validatorAddress),
        ownerWallet: requireWallet(ownerWalletAddress),
        tag,
        requestUri,
        seed,
        about: chainProvenance(chain, clock),
      },
    );
    return toToolAnswer(answer, Output);
  },
});
