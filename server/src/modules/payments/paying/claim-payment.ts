import type { Micro } from "../../../domain/money.ts";
import type { GateReservations } from "../../../kernel/contracts/charge.ts";
import type { Stores } from "../context.ts";
import type { NewPayment, PaymentClaim } from "../payments.ts";

export interface ClaimPaymentRequest {
  payment: NewPayment;
  /** What the payer had a moment ago; undefined: not known, and not compared. */
  balance: Micro | undefined;
  /** What gates use up with the call. */
  alsoReserve: GateReservations | undefined;
}

/** Rolls back a transaction whose claim was refused. */
class Unclaimed extends Error {
  readonly claim: PaymentClaim;

  constructor(claim: PaymentClaim) {
    super(claim.kind);
    this.claim = claim;
  }
}

/** Claims an authorization for a call; where gates use something up, in one transaction with that, so that both hold or neither. */
export async function claimPayment(
  stores: Pick<Stores, "payments" | "transaction">,
  { payment, balance, alsoReserve }: ClaimPaymentRequest,
): Promise<PaymentClaim> {
  if (alsoReserve === undefined) return await stores.payments.claim(payment, balance);
  try {
    return await stores.transaction(async (transaction) => {
      const claim = await transaction.payments.claim(payment, balance);
      if (claim.kind !== "claimed") throw new Unclaimed(claim);
      await alsoReserve(transaction);
      return claim;
    });
  } catch (error) {
    if (error instanceof Unclaimed) return error.claim;
    throw error;
  }
}
