import type { TransferParts } from "../transfer-chains.ts";
import { defineTransferKind } from "../transfer-kind.ts";
import { advanceBridge } from "./bridge-legs.ts";

export const BRIDGE = "bridge";

/** USDC of a tenant's wallet on one chain to its wallet on another. */
export const bridgeKind = (parts: TransferParts) =>
  defineTransferKind({ kind: BRIDGE, advance: (transfer) => advanceBridge(parts, transfer, "completed") });
