import { z } from "zod";
import { wordsOfOthers } from "../../../domain/schemas.ts";
import { final } from "../../../kernel/contracts/call-plan.ts";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import { ChainWrite, chainProvenance, Recipient, toToolAnswer } from "../../treasury/index.ts";
import { answerErrors, answerValidation, checkAnswer } from "../answer-validation.ts";
import { defineTool } from "../context.ts";
import { EvidenceUri, RequestHash, readHash, requireWallet, Tag } from "../input.ts";

const Output = ChainWrite.extend({
  requestHash: z.string(),
  agentId: z.string(),
  validatorAddress: z.string(),
  response: z.number(),
  tag: wordsOfOthers(),
  responseUri: z.string().nullable(),
  responseHash: z.string().describe("On chain: SHA-256 of the answer as canonical JSON; see docs/reputation.md"),
});

const Input = z.strictObject({
  requestHash: RequestHash,
  response: z.literal([0, 100]).meta({ type: "integer" }).describe("0: failed, 100: passed"),
  tag: Tag.describe("The request's"),
  validatorWalletAddress: Recipient.describe("Your treasury wallet"),
  responseUri: EvidenceUri.optional(),
});

export const submitValidationResponse = defineTool({
  name: "submit_validation_response",
  title: "Answer a validation request",
  summary: "Answer a request that names your treasury wallet as its validator, once and on chain.",
  area: "reputation",
  effect: "write",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["chain", "submission", "stores", "clock", "random"],
  input: Input,
  output: Output,
  errors: answerErrors,
  example: (_today, { requestHash, treasuryAddress }) => ({
    requestHash,
    response: 100 as const,
    tag: "itinerary",
    validatorWalletAddress: treasuryAddress,
  }),

  plan: () => ({
    movements: [],
    irreversible: [final("the answer on the chain")],
  }),

  async probe(input, { chain, stores, caller }) {
    await checkAnswer({ chain, stores }, readResponse(input, caller));
  },

  async run(input, { chain, submission, stores, clock, random, caller, call }) {
    const answer = await answerValidation(
      { chain, submission, stores, clock, random },
      { ...readResponse(input, caller), callId: call.id, about: chainProvenance(chain, clock) },
    );
    return toToolAnswer(answer, Output);
  },
});

function readResponse(input: z.output<typeof Input>, { tenantId }: Pick<Caller, "tenantId">) {
  const { requestHash, response, tag, validatorWalletAddress, responseUri } = input;
  return {
    tenantId,
    requestHash: readHash(requestHash),
    response,
    tag,
    validatorWallet: requireWallet(validatorWalletAddress),
    responseUri,
  };
}
