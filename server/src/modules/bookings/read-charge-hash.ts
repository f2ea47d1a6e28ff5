import type { Hex } from "../../domain/tokens.ts";
import type { ChainSubmission } from "../../ports/chain/chain-transactions.ts";

/** What is booked stands without it, so that nobody waits long for it. */
const WAIT_MILLISECONDS = 2_000;

/** The hash of the transaction that carries out a charge, or gives one back. Null: there is none, or it is not in a block yet. */
export async function readChargeHash(
  submission: ChainSubmission,
  chargeTransferId: string | null,
): Promise<Hex | null> {
  if (chargeTransferId === null) return null;
  submission.wake();
  const end = await submission.waitForEnd(chargeTransferId, WAIT_MILLISECONDS).catch(() => undefined);
  return end?.state === "confirmed" ? (end.hash ?? null) : null;
}
