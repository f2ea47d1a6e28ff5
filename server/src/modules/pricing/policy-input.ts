import { z } from "zod";
import { MicroAmount, readMicro, requireMicro } from "../../domain/micro-amount.ts";
import { MarkupConfig, ServiceTakeBehavior } from "./policy-answer.ts";
import type { PricingPolicy } from "./pricing-policies.ts";

/** A whole pricing policy as input; omitted fields have their documented defaults. */
export const PolicyInput = z
  .strictObject({
    markupConfig: MarkupConfig,
    floorMicroUsdc: MicroAmount.optional().describe("Least markup; left out: 0"),
    ceilingMicroUsdc: MicroAmount.describe("Whole micro-USDC")
      .nullable()
      .optional()
      .describe("Most markup; not under floorMicroUsdc; left out or null: none"),
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
