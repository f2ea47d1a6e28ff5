import { z } from "zod";
import { StoredAddress, StoredBytes, StoredHash, StoredInteger } from "../../../domain/stored-fields.ts";
import type { BurnIntent } from "../../../ports/chain/unified-balance.ts";
import type { Transfer } from "../../cross-chain/index.ts";

const NO_BYTES = "0x";

const Terms = z.object({
  sourceDomain: z.int(),
  destinationDomain: z.int(),
  sourceContract: StoredHash,
  destinationContract: StoredHash,
  sourceToken: StoredHash,
  destinationToken: StoredHash,
  sourceDepositor: StoredHash,
  destinationRecipient: StoredHash,
  sourceSigner: StoredHash,
  destinationCaller: StoredHash,
  value: StoredInteger,
  salt: StoredHash,
});

/** The members that a transfer out of the Gateway keeps. */
const GatewayDetail = z.object({
  from: StoredAddress,
  maxFee: StoredInteger,
  /** Moved out of the wallet for it. */
  deposited: StoredInteger,
  /** Stored before it is sent: the same one is sent until the operator's answer is known. */
  intent: z
    .object({ maxBlockHeight: StoredInteger, spec: Terms, signature: StoredBytes, specHash: StoredHash })
    .optional(),
  attested: z
    .object({
      transferId: z.string(),
      attestation: StoredBytes,
      signature: StoredBytes,
      expirationBlock: StoredInteger.optional(),
    })
    .optional(),
  refusedMints: z.int().default(0),
});
export type GatewayDetail = z.output<typeof GatewayDetail>;

export const readDetail = ({ detail }: Pick<Transfer, "detail">): GatewayDetail => GatewayDetail.parse(detail.gateway);

export const writeDetail = (detail: GatewayDetail): Transfer["detail"] => ({
  gateway: z.encode(GatewayDetail, detail),
});

export const toBurnIntent = ({ maxFee, intent }: GatewayDetail): BurnIntent | undefined =>
  intent && { maxBlockHeight: intent.maxBlockHeight, maxFee, spec: { ...intent.spec, hookData: NO_BYTES } };
