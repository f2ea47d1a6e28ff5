import { z } from "zod";
import { StoredBytes, StoredHash, StoredInteger } from "../../../domain/stored-fields.ts";
import type { Transfer } from "../transfers.ts";

const StoredInstant = z.codec(z.string(), z.instanceof(Temporal.Instant), {
  decode: (text) => Temporal.Instant.from(text),
  encode: String,
});

/** The members that the bridge keeps with a transfer. */
const BridgeDetail = z.object({
  /** The message of the burn, without what attesters fill in. */
  burned: StoredBytes.optional(),
  message: StoredBytes.optional(),
  attestation: StoredBytes.optional(),
  nonce: StoredHash.optional(),
  expirationBlock: StoredInteger.optional(),
  /** How many mints the destination has refused. */
  refusedMints: z.int().optional(),
  /** How often an attestation has expired. */
  renewals: z.int().optional(),
  nextMintAt: StoredInstant.optional(),
});
type BridgeDetail = z.output<typeof BridgeDetail>;

export function readDetail({ detail }: Pick<Transfer, "detail">): BridgeDetail {
  return BridgeDetail.parse(detail.bridge ?? {});
}

/** The detail with these members changed; undefined removes one. */
export function changeDetail(transfer: Pick<Transfer, "detail">, change: BridgeDetail): Transfer["detail"] {
  return { ...transfer.detail, bridge: z.encode(BridgeDetail, { ...readDetail(transfer), ...change }) };
}
