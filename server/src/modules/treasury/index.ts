export { isServiceContract } from "./chain-contracts.ts";
export { ChainResult, ChainWrite, chainProvenance } from "./chain-result.ts";
export { collect } from "./collect.ts";
export { convert, isRateStale, warnOfOldRate } from "./convert.ts";
export { findHomePurse, findVendorAddress } from "./home-purse.ts";
export { FreeRecipient, Recipient, readAddress, requireAddress, Token, TokenAmount } from "./input.ts";
export { TransferAnswer } from "./over-chains/transfer-answer.ts";
export { keyOfRefund, refund } from "./refund.ts";
export {
  awaitEnd,
  mismatch,
  payingErrors,
  refuseStopped,
  requireMoving,
  requireUnblocked,
  type SendOutAnswer,
  type SendOutPorts,
  sendOut,
  sendOutErrors,
} from "./send-out.ts";
export { toToolAnswer } from "./tool-answer.ts";
export { enqueueTransfer, transfer } from "./transfer-operation.ts";
export { requireAvailable } from "./wallet-gate.ts";
