import { PolicyDocument } from "./document.ts";

/** The policy that every tenant starts with. It is read-only; a tenant copies it under a new id. */
export const DEFAULT_POLICY_ID = "default-corp";
export const DEFAULT_POLICY_VERSION = 1;

export const defaultCorp: PolicyDocument = PolicyDocument.parse({
  title: "Default corporate travel policy",
  flight: { maxPrice: { default: 2_500 }, maxCabin: { default: "premium_economy" } },
  hotel: { maxNightly: { default: 400 } },
  payments: { maxAmountUsd: 2_500 },
  rules: [
    { id: "flight-price", severity: "deny", when: { kind: "flight", priceUsdOver: 10_000 } },
    { id: "hotel-night", severity: "deny", when: { kind: "hotel", nightlyUsdOver: 1_500 } },
    { id: "payment-amount", severity: "deny", when: { kind: "payment", priceUsdOver: 10_000 } },
  ],
});
