import { Failure } from "../../../domain/errors.ts";
import { formatDecimal } from "../../../domain/money.ts";
import { PaymentRefused, SettlementFailed } from "../../../domain/payments.ts";
import type { Receipt } from "../../../kernel/contracts/charge.ts";
import { ANSWER_MINUTES } from "../payments.ts";

const ALREADY_USED = "authorization_already_used";
const IDENTIFIER_USED = "payment_identifier_already_used";
const NOT_FETCHED = "invalid_exact_evm_transaction_failed";

const GIVEN_AGAIN = `An answer can be repeated for ${ANSWER_MINUTES} minutes; data read from a document is never repeated.`;

export function refusal(refused: PaymentRefused): Failure {
  return new Failure("payment_invalid", { detail: refused.message, extra: pickReasons(refused) });
}

function pickReasons({ reason, serviceReason }: PaymentRefused): { reason: string; serviceReason?: string } {
  return { reason, ...(serviceReason === undefined ? {} : { serviceReason }) };
}

export function alreadyUsed(): Failure {
  return refusal(
    new PaymentRefused(
      ALREADY_USED,
      "The authorization pays for a different request. Sign a new one, with a different nonce.",
    ),
  );
}

/** The tool succeeded, and its result is withheld. `again`: when the payment is retried. */
export function notSettled(again?: Temporal.Instant): SettlementFailed {
  const when = again === undefined ? "while it is valid" : `from ${again.round("second").toString()} on`;
  return withheld(NOT_FETCHED, when);
}

/** The payment is not valid for the retry. */
export function notGoodAgain({ serviceReason, reason }: PaymentRefused): SettlementFailed {
  return withheld(serviceReason ?? reason, "while it is valid");
}

function withheld(word: string, when: string): SettlementFailed {
  const refused = new PaymentRefused(
    word,
    `The payment was valid when the call began but could not be collected afterwards, so the result is withheld. Add money and send the same signature again ${when}, never a new one.`,
  );
  return new SettlementFailed("payment_invalid", { detail: refused.message, extra: pickReasons(refused) });
}

export function identifierUsed(): Failure {
  return new Failure("payment_identifier_conflict", {
    detail:
      "This payer used the payment identifier for a different request. Nothing was taken; send this request with a new identifier.",
  });
}

/**
 * The answer was delivered before and is not kept any more; only these facts remain. `by`: how the earlier payment was
 * recognised.
 */
export function answerGone({ usageId, payment }: Receipt, by: "authorization" | "identifier"): Failure {
  const refused =
    by === "authorization"
      ? new PaymentRefused(
          ALREADY_USED,
          `The authorization has already paid for this request. ${GIVEN_AGAIN} To call again, sign a new one with a different nonce.`,
        )
      : new PaymentRefused(
          IDENTIFIER_USED,
          `A payment with this payment identifier has already paid for this request. ${GIVEN_AGAIN} Use a new identifier to call again.`,
        );
  return new Failure("payment_invalid", {
    detail: refused.message,
    extra: {
      ...pickReasons(refused),
      receipt: {
        meterId: usageId,
        payer: payment?.payer,
        amountUsdc: payment === undefined ? undefined : formatDecimal(payment.amount),
        settlementTx: payment?.transactionHash,
      },
    },
  });
}

export function inProgress(): Failure {
  return new Failure("in_progress", {
    detail: "The call that this authorization pays for has not ended. Send the same signature again shortly.",
    retryAfterSeconds: 1,
  });
}

export function tooManyOpen(): Failure {
  return new Failure("rate_limited", {
    detail:
      "The payer has the maximum number of pending payments. Nothing was taken; wait for pending payments and send the same signature again.",
    extra: { reason: "too_many_open" },
    retryAfterSeconds: 1,
  });
}

export function pending(): Failure {
  return new Failure("settlement_pending", {
    detail:
      "The call has succeeded and its payment is not settled yet. Send the same signature again, never a new one.",
    retryAfterSeconds: 5,
  });
}

export function notNow(cause?: unknown): Failure {
  return new Failure("payment_unavailable", {
    detail: "Payments cannot be verified now. Nothing was taken; send the same request later.",
    retryAfterSeconds: 5,
    ...(cause === undefined ? {} : { cause }),
  });
}

/** Turns errors of the facilitator, a refusal or a failed request, into our own failures. */
export async function reaching<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof PaymentRefused) throw refusal(error);
    if (error instanceof SettlementFailed) throw error;
    if (error instanceof Failure && error.code !== "payment_unavailable") throw notNow(error);
    throw error;
  }
}
