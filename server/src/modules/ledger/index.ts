export type { GatewayBalance, Ledger, OwnedMovement, Purse, WalletOwner } from "./ledger.ts";
export { lacksBalance, postAll } from "./store-postings.ts";
