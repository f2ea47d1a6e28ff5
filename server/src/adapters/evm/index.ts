export { createEvmClient, reach } from "./client.ts";
export { checkCrossChain } from "./reading/check-cross-chain.ts";
export { createEvmChain, readIdentity } from "./reading/create-evm-chain.ts";
export { checkEscrowRoles } from "./reading/read-escrow.ts";
export { createRpc } from "./rpc.ts";
export { createEvmSender } from "./sending/create-evm-sender.ts";
export {
  type CrossChainSetup,
  deployCrossChain,
  FIRST_INVENTORY,
  listMinters,
  locateCrossChain,
} from "./sending/deploy-cross-chain.ts";
export { deployDevelopment } from "./sending/deploy-development.ts";
export type { LaterContracts } from "./sending/deploy-later.ts";
export { createPaymentOutcomes } from "./sending/find-outcome.ts";
export { readPoolOwner, setPoolPaused } from "./sending/manage-swap-pool.ts";
export { ChainSetupError } from "./setup-error.ts";
export { createClaimKeys } from "./signing/claim-keys.ts";
export { createPaymentVerifier } from "./signing/verify-payment.ts";
export { deriveAddress, refuseWellKnownKey } from "./signing/well-known-keys.ts";
