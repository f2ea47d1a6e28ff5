export type { PricingPolicy } from "./pricing-policies.ts";
