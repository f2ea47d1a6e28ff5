export { PolicyInput, readPolicyInput } from "./policy-input.ts";
export type { PricingPolicy } from "./pricing-policies.ts";
