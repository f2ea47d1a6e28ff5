import type { CarriedOut, ChainEndings } from "../../kernel/chain-ending.ts";
import { ANSWER_PURPOSE, FEEDBACK_PURPOSE, REQUEST_PURPOSE, recordIdOf } from "./registry-intents.ts";
import type { RecordedOnChain } from "./reputation.ts";

/** What the registries of agents took is confirmed here; what they refused never was. */
export const reputationEndings: ChainEndings = {
  [FEEDBACK_PURPOSE]: {
    confirmed: ({ feedbacks }, carriedOut) => feedbacks.confirm(recordedOf(carriedOut)),
    reverted: ({ feedbacks }, transaction) => feedbacks.discard(recordIdOf(transaction)),
  },
  [REQUEST_PURPOSE]: {
    confirmed: ({ validations }, carriedOut) => validations.confirmRequests(recordedOf(carriedOut)),
    reverted: ({ validations }, transaction) => validations.discardRequest(recordIdOf(transaction)),
  },
  [ANSWER_PURPOSE]: {
    confirmed: ({ validations }, carriedOut) => validations.confirmAnswers(recordedOf(carriedOut)),
    reverted: ({ validations }, transaction) => validations.discardAnswer(recordIdOf(transaction)),
  },
};

function recordedOf(carriedOut: readonly CarriedOut[]): RecordedOnChain[] {
  return carriedOut.map(({ transaction, receipt }) => ({
    id: recordIdOf(transaction),
    transactionHash: receipt.hash,
  }));
}
