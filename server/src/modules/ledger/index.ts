export type { Ledger, OwnedMovement, Purse } from "./ledger.ts";
export { accountOf, lacksBalance, postAll } from "./store-postings.ts";
export { ownerOf, ownMovements } from "./wallet-owners.ts";
