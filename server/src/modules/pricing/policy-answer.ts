import { z } from "zod";
import { type PricingPolicy, serviceTakeBehaviors } from "./pricing-policies.ts";

export const ServiceTakeBehavior = z.enum(serviceTakeBehaviors);
export const MarkupConfig = z.strictObject({
  strategy: z.enum(["static"]),
  bps: z.int().min(0).max(10_000).describe("Share of the cost in basis points: 500 is 5 %"),
});

/** A version of a tenant's pricing policy, as tools show it. */
export const PolicyAnswer = z.object({
  version: z.int().describe("0: none has been activated"),
  markupConfig: MarkupConfig,
  floorMicroUsdc: z.string(),
  ceilingMicroUsdc: z.string().nullable().describe("null: none"),
  serviceTakeBehavior: ServiceTakeBehavior,
  activatedAt: z.string().nullable(),
  activatedBy: z.string().nullable(),
});

export function describePolicy(policy: PricingPolicy): z.output<typeof PolicyAnswer> {
  return {
    version: policy.version,
    markupConfig: { strategy: "static", bps: policy.markupBps },
    floorMicroUsdc: policy.floor.toString(),
    ceilingMicroUsdc: policy.ceiling?.toString() ?? null,
    serviceTakeBehavior: policy.serviceTakeBehavior,
    activatedAt: policy.activatedAt?.toString() ?? null,
    activatedBy: policy.activatedBy ?? null,
  };
}
