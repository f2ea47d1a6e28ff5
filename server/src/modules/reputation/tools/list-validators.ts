import { z } from "zod";
import { CURSOR_MESSAGE, NextCursor, pageInput, readPage } from "../../../kernel/contracts/page.ts";
import { ChainResult, chainProvenance, readAddress } from "../../treasury/index.ts";
import { defineTool } from "../context.ts";
import { findSandboxValidator, WHAT_IT_CHECKS } from "../sandbox-validator.ts";

const Cursor = z.string().refine((text) => readAddress(text) !== undefined, { message: CURSOR_MESSAGE });

export const listValidators = defineTool({
  name: "list_validators",
  title: "List validators",
  summary:
    "List validators for request_validation: wallets that have answered here, the sandbox's, which answers by itself, and yours, which you answer.",
  area: "reputation",
  effect: "read",
  price: 500n,
  payableWithoutKey: false,
  uses: ["chain", "stores", "reads", "clock"],
  input: z.strictObject(pageInput(Cursor)),
  output: ChainResult.extend({
    ownAddress: z
      .string()
      .describe("Your wallet: validatorAddress of requests that you answer with submit_validation_response"),
    sandboxValidator: z
      .object({ validatorAddress: z.string(), checks: z.string() })
      .nullable()
      .describe("The sandbox's own; null in production"),
    validators: z
      .array(
        z.object({
          validatorAddress: z.string(),
          isYours: z.boolean(),
          requests: z.int().describe("Requests that name it"),
          answers: z.int(),
          averageResponse: z
            .number()
            .nullable()
            .describe("0: it failed everything, 100: it passed everything; null: no answer yet"),
          lastAnsweredAt: z.string().nullable(),
        }),
      )
      .readonly(),
    nextCursor: NextCursor,
  }),
  errors: {},
  example: () => ({ limit: 10 }),

  async run({ cursor, ...page }, { chain, stores, reads, clock, caller: { tenantId } }) {
    const { key, chainId } = chain;
    const { address: ownAddress } = await stores.wallets.ensure(chain.key, "treasury", tenantId);
    const { shown, nextCursor } = await readPage(
      page,
      (limit) =>
        reads(tenantId, ({ validations }) =>
          validations.listValidators(key, {
            limit,
            after: cursor === undefined ? undefined : readAddress(cursor),
          }),
        ),
      ({ validator }) => validator,
    );
    const sandboxAddress = await findSandboxValidator(stores.wallets, key);
    return {
      ownAddress,
      sandboxValidator:
        sandboxAddress === undefined ? null : { validatorAddress: sandboxAddress, checks: WHAT_IT_CHECKS },
      validators: shown.map(({ validator, lastAnsweredAt, ...counts }) => ({
        validatorAddress: validator,
        isYours: validator === ownAddress,
        ...counts,
        lastAnsweredAt: lastAnsweredAt?.toString() ?? null,
      })),
      nextCursor,
      ...chainProvenance(chain, clock),
      chainId,
    };
  },
});
