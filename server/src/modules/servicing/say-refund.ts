import { formatDecimal, type Micro, parseDecimal } from "../../domain/money.ts";
import type { OrderRecord } from "../orders/index.ts";
import type { FlightCancellationQuote } from "./servicing-quotes.ts";
import type { RefundParts } from "./split-refund.ts";

type QuotedRefund = Pick<FlightCancellationQuote, "refundAmount" | "refundCurrency" | "credits">;

/** What a cancellation gives back of an order and what is lost of its price, as it was quoted. */
export function sayRefund(
  refund: QuotedRefund,
  order: Pick<OrderRecord, "totalAmount" | "totalCurrency">,
  { back, released }: RefundParts,
): string[] {
  if (refund.refundAmount === null) return ["The quote does not say how much money comes back."];
  return [
    back > 0n ? `${formatDecimal(back)} USDC go back to the treasury wallet.` : "No money goes back to the wallet.",
    ...[...Map.groupBy(refund.credits, ({ currency }) => currency)].map(sayCredits),
    ...(released > 0n ? [`The trip's reservation owes ${formatDecimal(released)} USDC less.`] : []),
    ...sayLoss(refund, order),
  ];
}

function sayCredits([currency, credits]: [string | null, QuotedRefund["credits"]]): string {
  const amounts = credits.map(({ amount }) => parseDecimal(amount ?? ""));
  if (currency === null || amounts.includes(undefined)) {
    return "The airline gives an airline credit and has not said how much it is worth.";
  }
  return `The airline gives ${formatDecimal(sumOf(amounts))} ${currency} as airline credit, not as money.`;
}

/** Nothing where the supplier counts what it gives back in another currency than the order's. */
function sayLoss(refund: QuotedRefund, { totalAmount, totalCurrency }: Parameters<typeof sayRefund>[1]): string[] {
  const total = parseDecimal(totalAmount);
  const parts = [{ amount: refund.refundAmount, currency: refund.refundCurrency }, ...refund.credits];
  const amounts = parts.map(({ amount, currency }) =>
    currency === totalCurrency || currency === null ? parseDecimal(amount ?? "") : undefined,
  );
  if (total === undefined || amounts.includes(undefined)) return [];
  const lost = total - sumOf(amounts);
  if (lost <= 0n) return ["Nothing of its price is lost."];
  return [`Of its price of ${totalAmount} ${totalCurrency}, ${formatDecimal(lost)} ${totalCurrency} are lost.`];
}

function sumOf(amounts: readonly (Micro | undefined)[]): Micro {
  return amounts.reduce<Micro>((sum, amount) => sum + (amount ?? 0n), 0n);
}
