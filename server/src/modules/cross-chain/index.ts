export { BRIDGE } from "./bridge/bridge-kind.ts";
export { advanceBridge } from "./bridge/bridge-legs.ts";
export {
  bridgeErrors,
  previewBridgeTerms,
  requireMoved,
  requireTestMoney,
  runBridge,
  warnOfMainNetwork,
} from "./bridge/run-bridge.ts";
export { describeTransfer } from "./describe-transfer.ts";
export { requireSource } from "./named-source.ts";
export { followStep, holdChains, openChain, type TransferParts } from "./transfer-chains.ts";
export { transferEnding } from "./transfer-ending.ts";
export { defineTransferKind, type TransferMove } from "./transfer-kind.ts";
export { TransferWorker } from "./transfer-worker.ts";
export { keyOfStep, type Transfer } from "./transfers.ts";
