import type { ChainEndings, ConfirmedTransaction } from "../../kernel/contracts/chain-ending.ts";
import type { Aggregates } from "./context.ts";
import { ANSWER_PURPOSE, FEEDBACK_PURPOSE, REQUEST_PURPOSE, recordIdOf } from "./registry-intents.ts";
import type { RecordedOnChain } from "./reputation.ts";

/** Confirms entries that the registries took, and discards those that they refused. */
export const reputationEndings: ChainEndings<Aggregates> = {
  [FEEDBACK_PURPOSE]: {
    confirmed: ({ feedbacks }, confirmedTransactions) => feedbacks.confirm(recordedOf(confirmedTransactions)),
    reverted: ({ feedbacks }, transaction) => feedbacks.discard(recordIdOf(transaction)),
  },
  [REQUEST_PURPOSE]: {
    confirmed: ({ validations }, confirmedTransactions) =>
      validations.confirmRequests(recordedOf(confirmedTransactions)),
    reverted: ({ validations }, transaction) => validations.discardRequest(recordIdOf(transaction)),
  },
  [ANSWER_PURPOSE]: {
    confirmed: ({ validations }, confirmedTransactions) =>
      validations.confirmAnswers(recordedOf(confirmedTransactions)),
    reverted: ({ validations }, transaction) => validations.discardAnswer(recordIdOf(transaction)),
  },
};

function recordedOf(confirmedTransactions: readonly ConfirmedTransaction[]): RecordedOnChain[] {
  return confirmedTransactions.map(({ transaction, receipt }) => ({
    id: recordIdOf(transaction),
    transactionHash: receipt.hash,
  }));
}
