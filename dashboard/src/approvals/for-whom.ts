import type { Approval } from "../api.ts";

/** Nobody travels by a payment, unless it sets money aside for a trip. */
export const isPurchase = ({ evidence, travelerIds }: Pick<Approval, "evidence" | "travelerIds">): boolean =>
  evidence?.bought != null || evidence?.purpose != null || travelerIds !== null;

/** Whoever has no name here, by the id. */
export const sayNames = (travelers: Approval["travelers"]): string =>
  travelers.map(({ userId, name }) => name ?? userId).join(", ");

/** "for Ada Lovelace", or "asked by the research agent". */
export const sayForWhom = (approval: Approval): string =>
  isPurchase(approval)
    ? `for ${sayNames(approval.travelers)}`
    : `asked by ${approval.requestedByName ?? approval.requestedBy}`;
