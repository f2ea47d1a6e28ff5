import { formatDecimal } from "../../domain/money.ts";
import type { Answer } from "../../kernel/invoke.ts";
import type { PaymentReceipt } from "../../modules/payments/charge-by-payment.ts";
import { METER_ID_HEADER } from "../http/audit-headers.ts";
import type { HttpAnswer } from "../http/http.ts";
import { renderProblem } from "../render-error.ts";
import { encodePaymentHeader, PAYMENT_RESPONSE_HEADER } from "./payment-headers.ts";

/** The envelope of the paid surface. Without a receipt the answer is one that was paid for before, or a tool's failure. */
export function renderPaid(
  toolName: string,
  answer: Answer,
  receipt: PaymentReceipt | undefined,
  traceId: string,
): HttpAnswer {
  const { outcome } = answer;
  if (!outcome.ok) return renderProblem(outcome, traceId);
  const headers: Record<string, string> = { "content-type": "application/json; charset=utf-8" };
  if (answer.replayed) headers["idempotent-replayed"] = "true";
  if (answer.usageId !== undefined) headers[METER_ID_HEADER] = answer.usageId;
  if (receipt !== undefined) headers[PAYMENT_RESPONSE_HEADER] = responseHeader(receipt);
  const body = JSON.stringify({
    tool: toolName,
    paid: receipt !== undefined,
    priceUsdc: receipt === undefined ? "0" : formatDecimal(receipt.amount),
    payment:
      receipt === undefined
        ? null
        : {
            payer: receipt.payer,
            amountUsdc: formatDecimal(receipt.amount),
            settlementTx: receipt.transactionHash,
          },
    result: outcome.result,
  });
  return { status: 200, headers, body };
}

function responseHeader({ payer, amount, network, transactionHash }: PaymentReceipt): string {
  const [namespace = "", reference = ""] = network.split(":");
  return encodePaymentHeader({
    success: true,
    transaction: transactionHash,
    network: `${namespace}:${reference}`,
    payer,
    amount: amount.toString(),
  });
}
