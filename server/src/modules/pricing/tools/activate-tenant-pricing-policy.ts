import { z } from "zod";
import { MicroAmount, microOf, readMicro } from "../../../domain/micro-amount.ts";
import { EMPTY_PLAN } from "../../../kernel/plan.ts";
import { defineTool } from "../../../kernel/tool.ts";
import { describePolicy, MarkupConfig, PolicyAnswer, ServiceTakeBehavior } from "../policy-answer.ts";

export const activateTenantPricingPolicy = defineTool({
  name: "activate_tenant_pricing_policy",
  title: "Activate pricing policy",
  summary: "Replace your whole pricing policy by a new version; confirm_booking prices by it from then on.",
  advice:
    "What is left out is reset, not kept: floor 0, no ceiling, add_to_customer. Read get_tenant_pricing_policy first to keep values; the answer holds the new version and the previous one. Amounts are whole micro-USDC: 25 USDC is 25000000.",
  area: "policy",
  effect: "write",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["stores"],
  input: z
    .strictObject({
      markupConfig: MarkupConfig,
      floorMicroUsdc: MicroAmount.optional().describe("Least markup in micro-USDC: 2 USDC is 2000000; left out: 0"),
      ceilingMicroUsdc: MicroAmount.describe("Whole micro-USDC")
        .nullable()
        .optional()
        .describe("Most markup: 25 USDC is 25000000; not under floorMicroUsdc; left out or null: none"),
      serviceTakeBehavior: ServiceTakeBehavior.optional().describe("Left out: add_to_customer"),
    })
    .superRefine(({ floorMicroUsdc, ceilingMicroUsdc }, context) => {
      const [floor, ceiling] = [floorMicroUsdc ?? "0", ceilingMicroUsdc ?? ""].map(readMicro);
      if (floor === undefined || ceiling === undefined || ceiling >= floor) return;
      context.addIssue({
        code: "custom",
        path: ["ceilingMicroUsdc"],
        message: `must not be under floorMicroUsdc, which is ${floor}`,
      });
    }),
  output: PolicyAnswer.extend({
    previous: PolicyAnswer.optional().describe("The version before; left out: nothing has changed"),
    sandbox: z.boolean().describe("Sandbox and production keys have a policy each"),
  }),
  errors: {},
  example: () => ({
    markupConfig: { strategy: "static" as const, bps: 500 },
    floorMicroUsdc: "2000000",
    ceilingMicroUsdc: "30000000",
  }),

  plan: () => EMPTY_PLAN,

  async run(input, { stores: { pricingPolicies }, caller: { tenantId, userId, environment } }) {
    const { markupConfig, floorMicroUsdc = "0", ceilingMicroUsdc = null, serviceTakeBehavior } = input;
    const before = await pricingPolicies.active(tenantId, environment);
    const policy = await pricingPolicies.activate(tenantId, environment, {
      markupBps: markupConfig.bps,
      floor: microOf(floorMicroUsdc),
      ceiling: ceilingMicroUsdc === null ? undefined : microOf(ceilingMicroUsdc),
      serviceTakeBehavior: serviceTakeBehavior ?? "add_to_customer",
      activatedBy: userId,
    });
    const previous = policy.version === before.version ? {} : { previous: describePolicy(before) };
    return { ...describePolicy(policy), ...previous, sandbox: environment === "sandbox" };
  },
});
