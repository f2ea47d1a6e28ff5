export type { Ledger, OwnedMovement, Purse, WalletOwner } from "./ledger.ts";
export { accountOf, lacksBalance, postAll } from "./store-postings.ts";
