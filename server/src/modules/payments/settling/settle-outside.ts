import type { Facilitator, PaymentOutcomes } from "../../../ports/facilitator.ts";
import type { Payment, Payments } from "../payments.ts";

export interface OutsideSettlement {
  payments: Pick<Payments, "settle" | "writeOff">;
  outcomes: PaymentOutcomes;
  settle: NonNullable<Facilitator["settle"]>;
}

/**
 * settled, receivable: stored · sent: the facilitator reports a broadcast that is not confirmed yet · refused: the facilitator
 * did not send it, and the authorization is still usable.
 */
export type OutsideStep = { kind: "settled" | "receivable" | "sent" } | { kind: "refused"; reason: string };

/**
 * Makes one try to settle an earned payment through a third-party facilitator. The chain decides the outcome, so after a crash
 * or a lost answer another try is enough. `look`: an earlier try may have been made. `ask`: false only looks. Rejects when the
 * facilitator or the chain cannot be reached: the outcome is unknown.
 */
export async function settleOutside(
  { payments, outcomes, settle }: OutsideSettlement,
  payment: Payment,
  { look, ask }: { look: boolean; ask: boolean },
): Promise<OutsideStep> {
  const before = look ? await storeOutcome({ payments, outcomes }, payment) : undefined;
  if (before !== undefined) return { kind: before };
  if (!ask) return { kind: "sent" };
  const answer = await settle(payment.signed, payment.terms);
  const after = await storeOutcome({ payments, outcomes }, payment);
  if (after !== undefined) return { kind: after };
  return answer.kind === "sent" ? { kind: "sent" } : answer;
}

/** Asks the chain for the outcome of an earned or receivable payment and stores it. Undefined: none yet. */
export async function storeOutcome(
  { payments, outcomes }: Pick<OutsideSettlement, "payments" | "outcomes">,
  { id, signed, createdAt }: Payment,
): Promise<"settled" | "receivable" | undefined> {
  const outcome = await outcomes.findOutcome(signed, createdAt);
  if (outcome.kind === "done") {
    await payments.settle([{ id, transactionHash: outcome.receipt.hash }]);
    return "settled";
  }
  if (outcome.kind !== "void") return undefined;
  await payments.writeOff(id, "the authorization was cancelled or has expired");
  return "receivable";
}
