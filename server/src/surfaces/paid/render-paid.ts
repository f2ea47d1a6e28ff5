import { formatDecimal } from "../../domain/money.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Answer } from "../../kernel/contracts/invocation.ts";
import { METER_ID_HEADER } from "../http/audit-headers.ts";
import type { HttpAnswer } from "../http/http.ts";
import { type ErrorPlace, renderFailedCall } from "../render-error.ts";
import { describeSettlement, encodePaymentHeader, PAYMENT_RESPONSE_HEADER } from "./payment-headers.ts";

/**
 * The envelope of the paid surface, or a tool's failure. An answer from an earlier payment names that payment; an answer that a
 * tenant paid for by its key names `payer`, who signed for this call, and no transaction: nothing was taken.
 */
export function renderPaid(toolName: string, answer: Answer, payer: Hex, place: ErrorPlace): HttpAnswer {
  const { outcome, receipt } = answer;
  const { usageId, payment } = receipt;
  if (!outcome.ok) return renderFailedCall({ ...outcome, replayed: answer.replayed }, place);
  const headers: Record<string, string> = { "content-type": "application/json; charset=utf-8" };
  if (answer.replayed) headers["idempotent-replayed"] = "true";
  if (usageId !== undefined) headers[METER_ID_HEADER] = usageId;
  if (payment !== undefined) headers[PAYMENT_RESPONSE_HEADER] = encodePaymentHeader(describeSettlement(payment));
  const body = JSON.stringify({
    tool: toolName,
    ...(answer.replayed ? { replayed: true } : {}),
    paid: payment !== undefined,
    priceUsdc: formatDecimal(payment?.amount ?? 0n),
    payment: {
      payer: payment?.payer ?? payer,
      amountUsdc: formatDecimal(payment?.amount ?? 0n),
      settlementTx: payment?.transactionHash ?? null,
    },
    result: outcome.result,
  });
  return { status: 200, headers, body };
}
