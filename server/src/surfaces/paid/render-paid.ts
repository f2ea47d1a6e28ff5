import { formatDecimal } from "../../domain/money.ts";
import type { PaymentReceipt } from "../../kernel/charge.ts";
import type { Answer } from "../../kernel/invoke.ts";
import { METER_ID_HEADER } from "../http/audit-headers.ts";
import type { HttpAnswer } from "../http/http.ts";
import { type ErrorPlace, renderProblem } from "../render-error.ts";
import { encodePaymentHeader, PAYMENT_RESPONSE_HEADER, typedNetwork } from "./payment-headers.ts";

/** The envelope of the paid surface. Without a payment the answer is one that was paid for before, or a tool's failure. */
export function renderPaid(toolName: string, answer: Answer, place: ErrorPlace): HttpAnswer {
  const { outcome, receipt } = answer;
  const { usageId, payment } = receipt;
  if (!outcome.ok) return renderProblem({ ...outcome, replayed: answer.replayed }, place);
  const headers: Record<string, string> = { "content-type": "application/json; charset=utf-8" };
  if (answer.replayed) headers["idempotent-replayed"] = "true";
  if (usageId !== undefined) headers[METER_ID_HEADER] = usageId;
  if (payment !== undefined) headers[PAYMENT_RESPONSE_HEADER] = responseHeader(payment);
  const body = JSON.stringify({
    tool: toolName,
    ...(answer.replayed ? { replayed: true } : {}),
    paid: payment !== undefined,
    priceUsdc: payment === undefined ? "0" : formatDecimal(payment.amount),
    payment:
      payment === undefined
        ? null
        : {
            payer: payment.payer,
            amountUsdc: formatDecimal(payment.amount),
            settlementTx: payment.transactionHash,
          },
    result: outcome.result,
  });
  return { status: 200, headers, body };
}

function responseHeader({ payer, amount, network, transactionHash }: PaymentReceipt): string {
  return encodePaymentHeader({
    success: true,
    transaction: transactionHash,
    network: typedNetwork(network),
    payer,
    amount: amount.toString(),
  });
}
