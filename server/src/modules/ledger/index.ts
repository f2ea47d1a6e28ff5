export type { Ledger, OwnedMovement, Purse, WalletOwner } from "./ledger.ts";
export { lacksBalance, postAll, purseAccount } from "./store-postings.ts";
