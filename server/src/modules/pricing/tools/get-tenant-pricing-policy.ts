import { z } from "zod";
import { defineTool } from "../context.ts";
import { describePolicy, PolicyAnswer } from "../policy-answer.ts";

/** The number of versions shown. */
const LATEST = 20;

export const getTenantPricingPolicy = defineTool({
  name: "get_tenant_pricing_policy",
  title: "Get pricing policy",
  summary: "Show your active pricing policy, which confirm_booking uses, and its latest versions.",
  advice: "Amounts are whole micro-USDC: 25 USDC is 25000000. preview_price applies it, or another policy, to a cost.",
  area: "policy",
  effect: "read",
  price: 500n,
  payableWithoutKey: false,
  uses: ["stores", "reads"],
  input: z.strictObject({}),
  output: PolicyAnswer.extend({
    isDefault: z.boolean().describe("True: you have not activated one, and these are the defaults"),
    sandbox: z.boolean().describe("Sandbox and production keys have separate policies"),
    versions: z.array(PolicyAnswer).describe(`Newest first, the latest ${LATEST}`),
  }),
  errors: {},
  example: () => ({}),

  async run(_input, { stores, reads, caller: { tenantId, environment } }) {
    const versions = await reads(tenantId, ({ pricingPolicies }) =>
      pricingPolicies.list(tenantId, environment, LATEST),
    );
    const active = versions[0] ?? (await stores.pricingPolicies.active(tenantId, environment));
    return {
      ...describePolicy(active),
      isDefault: active.version === 0,
      sandbox: environment === "sandbox",
      versions: versions.map(describePolicy),
    };
  },
});
