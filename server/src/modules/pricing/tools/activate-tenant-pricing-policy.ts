import { z } from "zod";
import { EMPTY_PLAN } from "../../../kernel/contracts/call-plan.ts";
import { defineTool } from "../context.ts";
import { describePolicy, PolicyAnswer } from "../policy-answer.ts";
import { PolicyInput, readPolicyInput } from "../policy-input.ts";

export const activateTenantPricingPolicy = defineTool({
  name: "activate_tenant_pricing_policy",
  title: "Activate pricing policy",
  summary: "Replace your whole pricing policy with a new version, which confirm_booking uses from then on.",
  advice:
    "preview_price tries one without activating it. Omitted values are reset: floor 0, no ceiling, add_to_customer. To keep values, read get_tenant_pricing_policy first. Amounts are whole micro-USDC: 25 USDC is 25000000.",
  area: "policy",
  effect: "write",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["stores"],
  input: PolicyInput,
  output: PolicyAnswer.extend({
    previous: PolicyAnswer.optional().describe("The previous version; omitted: nothing has changed"),
    sandbox: z.boolean().describe("Sandbox and production keys have separate policies"),
  }),
  errors: {},
  example: () => ({
    markupConfig: { strategy: "static" as const, bps: 500 },
    floorMicroUsdc: "2000000",
    ceilingMicroUsdc: "30000000",
  }),

  plan: () => EMPTY_PLAN,

  async run(input, { stores: { pricingPolicies }, caller: { tenantId, userId, environment } }) {
    const before = await pricingPolicies.active(tenantId, environment);
    const policy = await pricingPolicies.activate(tenantId, environment, {
      ...readPolicyInput(input),
      activatedBy: userId,
    });
    const previous = policy.version === before.version ? {} : { previous: describePolicy(before) };
    return { ...describePolicy(policy), ...previous, sandbox: environment === "sandbox" };
  },
});
