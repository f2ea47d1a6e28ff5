import { z } from "zod";
import { MicroAmount, readMicro, requireMicro } from "../../domain/micro-amount.ts";
import { MarkupConfig, ServiceTakeBehavior } from "./policy-answer.ts";
import type { PricingPolicy } from "./pricing-policies.ts";

/** A whole pricing policy as input; omitted fields have their documented defaults. */
export const PolicyInput = z
  .strictObject({
    markupConfig: MarkupConfig,
    floorMicroUsdc: MicroAmount.optional().describe("Minimum markup; default: 0"),
    ceilingMicroUsdc: MicroAmount.describe("Whole micro-USDC")
      .nullable()
      .optional()
      .describe("Maximum markup; not under floorMicroUsdc; default or null: none"),
    serviceTakeBehavior: ServiceTakeBehavior.optional().describe("Default: add_to_customer"),
  })
  .superRefine(({ floorMicroUsdc, ceilingMicroUsdc }, context) => {
    const [floor, ceiling] = [floorMicroUsdc ?? "0", ceilingMicroUsdc ?? ""].map(readMicro);
    if (floor === undefined || ceiling === undefined || ceiling >= floor) return;
    context.addIssue({
      code: "custom",
      path: ["ceilingMicroUsdc"],
      message: `must not be less than floorMicroUsdc, which is ${floor}`,
    });
  });

export function readPolicyInput({
  markupConfig,
  floorMicroUsdc = "0",
  ceilingMicroUsdc = null,
  serviceTakeBehavior = "add_to_customer",
}: z.output<typeof PolicyInput>): Pick<PricingPolicy, "markupBps" | "floor" | "ceiling" | "serviceTakeBehavior"> {
  return {
    markupBps: markupConfig.bps,
    floor: requireMicro(floorMicroUsdc),
    ceiling: ceilingMicroUsdc === null ? undefined : requireMicro(ceilingMicroUsdc),
    serviceTakeBehavior,
  };
}
