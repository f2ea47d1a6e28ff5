import { defineModule } from "./context.ts";
import { createPricingPolicies } from "./store.ts";
import { activateTenantPricingPolicy } from "./tools/activate-tenant-pricing-policy.ts";
import { getTenantPricingPolicy } from "./tools/get-tenant-pricing-policy.ts";

export const pricingModule = defineModule({
  name: "pricing",
  tools: [getTenantPricingPolicy, activateTenantPricingPolicy],
  stores: ({ db, clock }) => ({
    pricingPolicies: createPricingPolicies(db, clock),
  }),
});
