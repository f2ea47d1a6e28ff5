import { z } from "zod";
import { wordsOfOthers } from "../../../domain/schemas.ts";
import { ChainResult, chainProvenance } from "../../treasury/index.ts";
import { defineTool } from "../context.ts";
import { RequestHash, readHash } from "../input.ts";
import { readValidation as read, readErrors } from "../read-validation.ts";

export const readValidation = defineTool({
  name: "read_validation",
  title: "Read a validation",
  summary: "Show a validation request and its answer, as recorded on chain.",
  area: "reputation",
  effect: "read",
  price: 500n,
  payableWithoutKey: true,
  uses: ["chain", "stores", "clock"],
  input: z.strictObject({ requestHash: RequestHash }),
  output: ChainResult.extend({
    requestHash: z.string(),
    state: z.enum(["requested", "answered"]),
    agentId: z.string(),
    validatorAddress: z.string(),
    isOwnersOwn: z.boolean().describe("True: the agent's owner is the validator, so the validation is not independent"),
    tag: wordsOfOthers("The requester's text; null: not requested through this service").nullable(),
    response: z.number().nullable().describe("0: failed, 100: passed, null: not answered"),
    requestUri: z
      .string()
      .nullable()
      .describe("Also null if the request was not made through this service; likewise for the fields below"),
    requestTxHash: z.string().nullable(),
    responseUri: z.string().nullable(),
    responseTxHash: z.string().nullable(),
  }),
  errors: readErrors,
  example: (_today, { requestHash }) => ({ requestHash }),

  async run({ requestHash }, { chain, stores, clock }) {
    const validation = await read({ stores, chain }, readHash(requestHash));
    return { ...validation, chainId: chain.chainId, ...chainProvenance(chain, clock) };
  },
});
