import type { Hex } from "../../domain/tokens.ts";
import type { ChainSubmission } from "../../ports/chain/chain-transactions.ts";

/** The booking stands without it, so nobody waits long for it. */
const WAIT_MILLISECONDS = 2_000;

/** The hash of the transaction of a charge or a refund. Null if there is none, or it is not in a block yet. */
export async function readChargeHash(
  submission: ChainSubmission,
  chargeTransferId: string | null,
): Promise<Hex | null> {
  if (chargeTransferId === null) return null;
  submission.wake();
  const end = await submission.waitForEnd(chargeTransferId, WAIT_MILLISECONDS).catch(() => undefined);
  return end?.state === "confirmed" ? (end.hash ?? null) : null;
}
