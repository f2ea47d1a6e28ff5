import type { TransferParts } from "../transfer-chains.ts";
import { defineTransferKind } from "../transfer-kind.ts";
import { advanceBridge } from "./bridge-legs.ts";

/** USDC of a tenant's wallet on one chain to its wallet on another. */
export const bridgeKind = (parts: TransferParts) =>
  defineTransferKind({ kind: "bridge", advance: (transfer) => advanceBridge(parts, transfer, "completed") });
