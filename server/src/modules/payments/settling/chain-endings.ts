import type { ChainEnding, ChainEndings, ConfirmedTransaction } from "../../../kernel/contracts/chain-ending.ts";
import type { TokenMovement } from "../../../ports/chain/chain.ts";
import type { Aggregates } from "../context.ts";
import type { Payment, SettledBy } from "../payments.ts";
import { PAYMENT_BATCH_PURPOSE, PAYMENT_PURPOSE } from "./payment-intents.ts";

const movementText = ({ from, to, amount }: TokenMovement): string => `${from} ${to} ${amount}`;
const paymentText = ({ signed }: Payment): string => `${signed.payer} ${signed.payTo} ${signed.amount}`;

/** One for both kinds: payments of several payers are settled by one call. */
const settling: ChainEnding<Aggregates> = {
  async confirmed({ payments }, confirmedTransactions) {
    if (confirmedTransactions.every(({ transaction }) => transaction.purpose === PAYMENT_PURPOSE)) {
      await payments.settle(
        confirmedTransactions.map((one) => settledBy(one.transaction, one)),
        "chainTransactionId",
      );
      return;
    }
    const byTransaction = new Map(confirmedTransactions.map((one) => [one.transaction.id, one]));
    const stored = await payments.ofTransactions([...byTransaction.keys()]);
    const settled = [...Map.groupBy(stored, ({ chainTransactionId }) => chainTransactionId ?? "")].flatMap(
      ([id, some]) => {
        const one = byTransaction.get(id);
        return one === undefined ? [] : paidBy(one, some).map((payment) => settledBy(payment, one));
      },
    );
    await payments.settle(settled);
  },
  // Of a batch watch-payments.ts asks the chain.
  async reverted({ payments }, { id, purpose }, { failure }) {
    if (purpose === PAYMENT_BATCH_PURPOSE) return;
    for (const payment of await payments.ofTransactions([id])) await payments.writeOff(payment.id, failure);
  },
};

/** Of those of a batch that are left out, watch-payments.ts asks the chain, which takes time that a database transaction has not. */
function paidBy({ transaction, receipt }: ConfirmedTransaction, payments: readonly Payment[]): readonly Payment[] {
  if (transaction.purpose !== PAYMENT_BATCH_PURPOSE) return payments;
  const { hash, earlierHashes } = transaction;
  // What somebody else's transaction moved besides says nothing about the payments of ours.
  if (receipt.hash !== hash && !earlierHashes.includes(receipt.hash)) return [];
  return paidByBatch(payments, receipt.movements);
}

const settledBy = ({ id }: { id: string }, { receipt }: ConfirmedTransaction): SettledBy => ({
  id,
  transactionHash: receipt.hash,
});

export const paymentEndings: ChainEndings<Aggregates> = {
  [PAYMENT_PURPOSE]: settling,
  [PAYMENT_BATCH_PURPOSE]: settling,
};

/**
 * Those payments of a batch of which its transaction's own movements say that they were made: as many from their payer, of their
 * amount, as the batch holds. Where fewer were made they do not say which, and each authorization has to be asked for.
 */
function paidByBatch(payments: readonly Payment[], movements: readonly TokenMovement[]): readonly Payment[] {
  const made = countBy(movements.filter(({ token }) => token === "USDC").map(movementText));
  const asked = countBy(payments.map(paymentText));
  return payments.filter((payment) => made.get(paymentText(payment)) === asked.get(paymentText(payment)));
}

function countBy(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}
