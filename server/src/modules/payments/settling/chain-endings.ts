import type { ChainEnding, ChainEndings, ConfirmedTransaction } from "../../../kernel/contracts/chain-ending.ts";
import type { TokenMovement } from "../../../ports/chain/chain.ts";
import type { Aggregates } from "../context.ts";
import type { Payment, SettledBy } from "../payments.ts";
import { PAYMENT_BATCH_PURPOSE, PAYMENT_PURPOSE } from "./payment-intents.ts";

const movementText = ({ from, to, amount }: TokenMovement): string => `${from} ${to} ${amount}`;
const paymentText = ({ signed }: Payment): string => `${signed.payer} ${signed.payTo} ${signed.amount}`;

/** Handles both kinds at once, so that payments of several payers are settled by one call. */
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
  // For a batch, watch-payments.ts asks the chain.
  async reverted({ payments }, { id, purpose }, { failure }) {
    if (purpose === PAYMENT_BATCH_PURPOSE) return;
    for (const payment of await payments.ofTransactions([id])) await payments.writeOff(payment.id, failure);
  },
};

/** The rest of a batch is left to watch-payments.ts, which asks the chain: too slow for a database transaction. */
function paidBy({ transaction, receipt }: ConfirmedTransaction, payments: readonly Payment[]): readonly Payment[] {
  if (transaction.purpose !== PAYMENT_BATCH_PURPOSE) return payments;
  const { hash, earlierHashes } = transaction;
  // Other movements of someone else's transaction prove nothing about our payments.
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
 * Returns the payments of a batch that the transaction's token movements prove: the payer has as many movements of that amount
 * as the batch has payments. With fewer movements it is ambiguous which were made, so each authorization has to be checked on
 * the chain.
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
