export type { Ledger, OwnedMovement, Purse } from "./ledger.ts";
export { postAll } from "./store-postings.ts";
export { ownerOf, ownMovements } from "./wallet-owners.ts";
