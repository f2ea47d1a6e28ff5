import { Failure } from "../../domain/errors.ts";
import { newId, type RandomBytes } from "../../domain/ids.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Chain } from "../../ports/chain/chain.ts";
import type { ChainTransaction } from "../../ports/chain/chain-transactions.ts";
import type { Clock } from "../../ports/clock.ts";
import type { SendOutAnswer } from "../treasury/index.ts";
import { registryWriteErrors } from "./errors.ts";
import { awaitEnd, inProgress, type RecordPorts, recordOnce, requireValidations } from "./record-once.ts";
import { ANSWER_PURPOSE, hashContent, REQUEST_PURPOSE } from "./registry-intents.ts";
import type { Validation, ValidationAnswer } from "./reputation.ts";

export interface AnswerPorts extends RecordPorts {
  chain: Chain;
  clock: Clock;
  random: RandomBytes;
}

export interface AnswerRequest {
  tenantId: string;
  callId: string;
  requestHash: Hex;
  /** 0 or 100. */
  response: number;
  tag: string;
  /** Must be the tenant's own wallet and the validator named by the request. */
  validatorWallet: Hex;
  responseUri: string | undefined;
  /** Added to the answer along with the response. */
  about: Readonly<Record<string, unknown>>;
  waitMilliseconds?: number;
}

const { agent_not_found: _agentNotFound, ...writeErrors } = registryWriteErrors;

/** For the tool to declare. */
export const answerErrors = {
  ...writeErrors,
  validation_not_found: "There is no request with this hash. request_validation returns the hash.",
  not_the_validator:
    "Only the validator named in the request can answer it, and validatorWalletAddress must be your treasury wallet.",
  wrong_tag: "The request has a different tag. read_validation shows it; send the same one.",
  already_answered: "This request has already been answered, and answers cannot be changed. read_validation shows it.",
} as const;

const failed = (code: keyof typeof answerErrors, extra?: Readonly<Record<string, unknown>>): Failure =>
  new Failure(code, { detail: answerErrors[code], ...(extra === undefined ? {} : { extra }) });

export type ValidationResponse = Omit<AnswerRequest, "callId" | "about" | "waitMilliseconds">;

/** Checks our own records before anything is stored, without changing anything. */
export async function checkAnswer(
  { stores, chain }: Pick<AnswerPorts, "stores" | "chain">,
  request: ValidationResponse,
) {
  const { tenantId, requestHash, tag, validatorWallet } = request;
  requireValidations(chain);
  const validation = await stores.validations.find(chain.key, requestHash);
  if (validation === undefined) throw failed("validation_not_found");
  const { address: from } = await stores.wallets.ensure(chain.key, "treasury", tenantId);
  if (validatorWallet !== from || validation.validator !== from) throw failed("not_the_validator");
  if (validation.tag !== tag) throw failed("wrong_tag");
  const { answer, answerTransactionHash: hash } = validation;
  if (answer !== undefined && hash !== undefined) requireSameAnswer(answer, request, { hash });
  return { validation, from };
}

/** Answers a request once, as its validator. Throws Failure with a code of `answerErrors`. */
export async function answerValidation(ports: AnswerPorts, request: AnswerRequest): Promise<SendOutAnswer> {
  const { stores, chain, clock, random } = ports;
  const { tenantId, callId, requestHash, response, tag, responseUri, waitMilliseconds } = request;
  const { key } = chain;
  const { validation, from } = await checkAnswer(ports, request);
  await requireRequested(ports, validation, request);
  const responseHash = hashContent({ requestHash, response, tag, responseUri: responseUri ?? null });
  const answer: ValidationAnswer = {
    id: newId("van_", clock.now().epochMilliseconds, random),
    tenantId,
    response,
    responseUri,
    responseHash,
  };
  return await recordOnce(ports, {
    tenantId,
    callId,
    purpose: ANSWER_PURPOSE,
    from,
    action: { name: "respond_validation", requestHash, response, responseUri: responseUri ?? "", responseHash, tag },
    result: {
      requestHash,
      agentId: validation.agentId.toString(),
      validatorAddress: from,
      response,
      tag,
      responseUri: responseUri ?? null,
      responseHash,
      ...request.about,
    },
    insert: async ({ validations }) => ((await validations.answer(key, requestHash, answer)) ? answer : undefined),
    findEarlier: async () => (await stores.validations.find(key, requestHash))?.answer,
    requireSame: (earlier, transaction) => requireSameAnswer(earlier, request, transaction),
    waitMilliseconds,
  });
}

function requireSameAnswer(
  earlier: Pick<ValidationAnswer, "response" | "responseUri">,
  { response, responseUri }: Pick<AnswerRequest, "response" | "responseUri">,
  { hash }: Pick<ChainTransaction, "hash">,
): void {
  if (earlier.response === response && earlier.responseUri === responseUri) return;
  throw failed("already_answered", { response: earlier.response, txHash: hash });
}

/** Waits until the request is on the chain. */
async function requireRequested(
  ports: AnswerPorts,
  validation: Validation,
  { waitMilliseconds }: Pick<AnswerRequest, "waitMilliseconds">,
): Promise<void> {
  if (validation.state !== "requesting") return;
  const end = await awaitEnd(ports, { purpose: REQUEST_PURPOSE, waitMilliseconds }, validation.id);
  if (end === undefined) throw inProgress();
  if (end.state === "reverted") throw failed("validation_not_found");
}
