import type { Micro } from "../../../domain/money.ts";
import type { ChainTransaction } from "../../../ports/chain/chain-transactions.ts";
import type { Aggregates } from "../context.ts";

type Step = Pick<ChainTransaction, "id" | "tenantId" | "environment">;

const returnReference = ({ id }: Pick<Step, "id">) => `return:${id}`;

/**
 * Holds the wallet's debt for an order while a reservation returns to its trip, so that nothing else spends it. Throws
 * a Failure `insufficient_balance`.
 */
export async function holdForOrder({ ledger }: Pick<Aggregates, "ledger">, step: Step, owed: Micro): Promise<void> {
  const { tenantId, environment } = step;
  if (tenantId === null || owed === 0n) return;
  await ledger.hold({ tenantId, environment, token: "USDC" }, owed, returnReference(step));
}

/** At the step's end, before the wallet pays or instead of it. */
export async function endHoldForOrder({ ledger }: Pick<Aggregates, "ledger">, step: Step): Promise<void> {
  const { tenantId, environment } = step;
  if (tenantId === null) return;
  const purse = { tenantId, environment, token: "USDC" } as const;
  const isHeld = (await ledger.holds(purse)).some(({ reference }) => reference === returnReference(step));
  if (isHeld) await ledger.release(purse, returnReference(step));
}
