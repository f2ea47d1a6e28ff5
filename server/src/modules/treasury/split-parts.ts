import type { Micro } from "../../domain/money.ts";

export const BASIS_POINTS = 10_000;

export interface Parts {
  supplier: Micro;
  commission: Micro;
  serviceFee: Micro;
}

/**
 * Matches the splitter contract: commission and fee are rounded down, the supplier gets the rest, and the parts sum to `gross`.
 */
export function splitParts(gross: Micro, commissionBps: number, serviceFeeBps: number): Parts {
  const share = (bps: number) => (gross * BigInt(bps)) / BigInt(BASIS_POINTS);
  const [commission, serviceFee] = [share(commissionBps), share(serviceFeeBps)];
  return { supplier: gross - commission - serviceFee, commission, serviceFee };
}
