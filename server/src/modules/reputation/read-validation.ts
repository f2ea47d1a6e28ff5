import { Failure } from "../../domain/errors.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Chain } from "../../ports/chain/chain.ts";
import { answerErrors } from "./answer-validation.ts";
import type { Stores } from "./context.ts";
import { requireValidations } from "./record-once.ts";

/** For the tool to declare. */
export const readErrors = {
  chain_not_available: answerErrors.chain_not_available,
  validation_not_found: answerErrors.validation_not_found,
} as const;

/** Reads a validation from the chain, with this service's own records. Throws Failure `validation_not_found`. */
export async function readValidation({ stores, chain }: { stores: Stores; chain: Chain }, requestHash: Hex) {
  const { registries } = requireValidations(chain);
  const [onChain, stored] = await Promise.all([
    registries.validation(requestHash),
    stores.validations.find(chain.key, requestHash),
  ]);
  // A request that is only stored is still on its way and may be refused.
  if (onChain === undefined) {
    throw new Failure("validation_not_found", { detail: readErrors.validation_not_found });
  }
  const { response } = onChain;
  const owner = await registries.findOwner(onChain.agentId);
  const own = stored?.answer?.response === response ? stored?.answer : undefined;
  return {
    requestHash,
    state: response === undefined ? ("requested" as const) : ("answered" as const),
    agentId: onChain.agentId.toString(),
    validatorAddress: onChain.validator,
    isOwnersOwn: onChain.validator === owner,
    tag: stored?.tag ?? (response === undefined ? null : onChain.tag),
    response: response ?? null,
    requestUri: stored?.requestUri ?? null,
    requestTxHash: stored?.requestTransactionHash ?? null,
    responseUri: own?.responseUri ?? null,
    responseTxHash: own === undefined ? null : (stored?.answerTransactionHash ?? null),
  };
}
