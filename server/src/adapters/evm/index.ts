export { createEvmClient, reach } from "./client.ts";
export { createEvmChain, readIdentity } from "./create-evm-chain.ts";
export { createEvmSender } from "./create-evm-sender.ts";
export { deployDevelopment } from "./deploy-development.ts";
export { createPaymentOutcomes } from "./find-outcome.ts";
export { createRpc } from "./rpc.ts";
export { ChainSetupError } from "./setup-error.ts";
export { createPaymentVerifier } from "./verify-payment.ts";
export { addressOf, refuseWellKnownKey } from "./well-known-keys.ts";
