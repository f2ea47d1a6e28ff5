export { refundAt } from "./cancel-stay.ts";
export { ChangePrice, pickPrice } from "./change-order.ts";
export { seeChangeOffers } from "./see-changes.ts";
export { servicingCommits } from "./servicing-commits.ts";
export type { ServicingCommits } from "./servicing-effect.ts";
