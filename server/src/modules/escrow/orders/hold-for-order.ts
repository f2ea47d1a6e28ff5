import type { Micro } from "../../../domain/money.ts";
import type { ChainTransaction } from "../../../ports/chain/chain-transactions.ts";
import { findHomePurse } from "../../treasury/index.ts";
import type { Aggregates } from "../context.ts";

type Step = Pick<ChainTransaction, "id" | "tenantId" | "environment">;

const returnReference = ({ id }: Pick<Step, "id">) => `return:${id}`;

/**
 * Holds the wallet's debt for an order while a reservation returns to its trip, so that nothing else spends it. Throws
 * a Failure `insufficient_balance`.
 */
export async function holdForOrder(
  aggregates: Pick<Aggregates, "ledger" | "boundChains">,
  step: Step,
  owed: Micro,
): Promise<void> {
  const { tenantId, environment } = step;
  if (tenantId === null || owed === 0n) return;
  const purse = await findHomePurse(aggregates, { tenantId, environment });
  await aggregates.ledger.hold(purse, owed, returnReference(step));
}

/** At the step's end, before the wallet pays or instead of it. */
export async function endHoldForOrder(
  aggregates: Pick<Aggregates, "ledger" | "boundChains">,
  step: Step,
): Promise<void> {
  const { tenantId, environment } = step;
  if (tenantId === null) return;
  const purse = await findHomePurse(aggregates, { tenantId, environment });
  const isHeld = (await aggregates.ledger.holds(purse)).some(({ reference }) => reference === returnReference(step));
  if (isHeld) await aggregates.ledger.release(purse, returnReference(step));
}
