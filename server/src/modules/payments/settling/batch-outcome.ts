import type { TokenMovement } from "../../../ports/chain/chain.ts";
import type { Payment } from "../payments.ts";

/**
 * Those payments of a batch of which its transaction's own movements say that they were made: as many from their payer, of their
 * amount, as the batch holds. Where fewer were made they do not say which, and each authorization has to be asked for.
 */
export function paidByBatch(payments: readonly Payment[], movements: readonly TokenMovement[]): readonly Payment[] {
  const made = countBy(movements.filter(({ token }) => token === "USDC").map(movementText));
  const asked = countBy(payments.map(paymentText));
  return payments.filter((payment) => made.get(paymentText(payment)) === asked.get(paymentText(payment)));
}

const movementText = ({ from, to, amount }: TokenMovement): string => `${from} ${to} ${amount}`;
const paymentText = ({ signed }: Payment): string => `${signed.payer} ${signed.payTo} ${signed.amount}`;

function countBy(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}
