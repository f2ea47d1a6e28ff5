import type { ChainEndings, ConfirmedTransaction } from "../../kernel/contracts/chain-ending.ts";
import type { Aggregates } from "./context.ts";
import { ANSWER_PURPOSE, FEEDBACK_PURPOSE, parseRecordId, REQUEST_PURPOSE } from "./registry-intents.ts";
import type { RecordedOnChain } from "./reputation.ts";
import { answerRequests } from "./sandbox-validator.ts";

/** Confirms entries that the registries took, and discards those that they refused. */
export const reputationEndings: ChainEndings<Aggregates> = {
  [FEEDBACK_PURPOSE]: {
    confirmed: ({ feedbacks }, confirmedTransactions) => feedbacks.confirm(toRecorded(confirmedTransactions)),
    reverted: ({ feedbacks }, transaction) => feedbacks.discard(parseRecordId(transaction)),
  },
  [REQUEST_PURPOSE]: {
    async confirmed(aggregates, confirmedTransactions) {
      await aggregates.validations.confirmRequests(toRecorded(confirmedTransactions));
      await answerRequests(aggregates, confirmedTransactions);
    },
    reverted: ({ validations }, transaction) => validations.discardRequest(parseRecordId(transaction)),
  },
  [ANSWER_PURPOSE]: {
    confirmed: ({ validations }, confirmedTransactions) =>
      validations.confirmAnswers(toRecorded(confirmedTransactions)),
    reverted: ({ validations }, transaction) => validations.discardAnswer(parseRecordId(transaction)),
  },
};

function toRecorded(confirmedTransactions: readonly ConfirmedTransaction[]): RecordedOnChain[] {
  return confirmedTransactions.map(({ transaction, receipt }) => ({
    id: parseRecordId(transaction),
    transactionHash: receipt.hash,
  }));
}
