import type { Facilitator, PaymentOutcomes } from "../../../ports/facilitator.ts";
import type { Payment, Payments } from "../payments.ts";

export interface OutsideSettlement {
  payments: Pick<Payments, "settle" | "writeOff">;
  outcomes: PaymentOutcomes;
  settle: NonNullable<Facilitator["settle"]>;
}

/**
 * settled, receivable: stored · sent: the facilitator says that it has broadcast it, and no block that counts has it yet ·
 * refused: it says that it did not, and the authorization can still be used.
 */
export type OutsideStep = { kind: "settled" | "receivable" | "sent" } | { kind: "refused"; reason: string };

/**
 * One try to have an earned payment settled by somebody else's facilitator. Whatever that says, the chain has the last word; so a
 * crash between any two steps, or an answer that was lost, needs nothing but another try. `look`: it may have been tried before.
 * `ask`: false only looks. Rejects when the facilitator or the chain cannot be reached: the outcome is unknown.
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

/** Asks the chain what became of an earned or receivable payment and stores it. Undefined: nothing yet. */
export async function storeOutcome(
  { payments, outcomes }: Pick<OutsideSettlement, "payments" | "outcomes">,
  { id, signed, createdAt }: Payment,
): Promise<"settled" | "receivable" | undefined> {
  const outcome = await outcomes.outcomeOf(signed, createdAt);
  if (outcome.kind === "done") {
    await payments.settle([{ id, transactionHash: outcome.receipt.hash }]);
    return "settled";
  }
  if (outcome.kind !== "void") return undefined;
  await payments.writeOff(id, "the authorization was cancelled or has expired");
  return "receivable";
}
