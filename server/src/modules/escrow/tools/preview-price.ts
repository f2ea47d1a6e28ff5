import { z } from "zod";
import { Failure } from "../../../domain/errors.ts";
import { MicroAmount, readMicro, requireMicro } from "../../../domain/micro-amount.ts";
import { formatDecimal } from "../../../domain/money.ts";
import { DecimalAmount } from "../../../domain/schemas.ts";
import { PolicyInput, readPolicyInput } from "../../pricing/index.ts";
import { priceBooking } from "../bookings/price-booking.ts";
import { defineTool } from "../context.ts";

const isPositive = (text: string): boolean => readMicro(text) !== 0n;

export const previewPrice = defineTool({
  name: "preview_price",
  title: "Preview a price",
  summary:
    "Price a cost as confirm_booking would: markup, the service's take and total. Nothing is activated, booked or paid.",
  advice: "Pass policy to try one; default: your active one. Amounts are whole micro-USDC.",
  area: "policy",
  effect: "read",
  price: 500n,
  payableWithoutKey: false,
  uses: ["stores"],
  input: z
    .strictObject({
      costMicroUsdc: MicroAmount.refine(isPositive, { message: "must be more than 0" }).describe(
        "What the supplier is paid: 200 USDC is 200000000",
      ),
      policy: PolicyInput.optional().describe("Same format as in activate_tenant_pricing_policy"),
      markupBps: z.int().min(0).max(10_000).optional().describe("As in confirm_booking; default: the policy's"),
      markupMicroUsdc: MicroAmount.optional().describe("Not together with markupBps"),
    })
    .refine(({ markupBps, markupMicroUsdc }) => markupBps === undefined || markupMicroUsdc === undefined, {
      path: ["markupMicroUsdc"],
      message: "must not be given together with markupBps",
    }),
  output: z.object({
    accepted: z.boolean().describe("false: confirm_booking would refuse it, and problem says why"),
    problem: z.object({ code: z.string(), detail: z.string() }).nullable(),
    policyVersion: z.int().nullable().describe("null: the policy that was given"),
    price: z
      .object({
        costUsdc: DecimalAmount,
        markupUsdc: DecimalAmount.describe("Your markup, before the service's take if that comes out of it"),
        serviceTakeUsdc: DecimalAmount,
        totalUsdc: DecimalAmount.describe("The customer's price"),
        vendorGetsUsdc: DecimalAmount,
        youGetUsdc: DecimalAmount,
        isOverCeiling: z.boolean().describe("true: only with the override of confirm_booking"),
      })
      .nullable()
      .describe("Also given if an override would allow it; null: there is no price"),
    sandbox: z.boolean(),
  }),
  errors: {},
  example: () => ({
    costMicroUsdc: "200000000",
    policy: { markupConfig: { strategy: "static" as const, bps: 300 }, ceilingMicroUsdc: "25000000" },
  }),

  async run({ costMicroUsdc, policy: tried, markupBps, markupMicroUsdc }, { stores, caller }) {
    const { tenantId, environment } = caller;
    const active = tried === undefined ? await stores.pricingPolicies.active(tenantId, environment) : undefined;
    const policy = tried === undefined ? active : { version: 0, ...readPolicyInput(tried) };
    if (policy === undefined) throw new Error("every tenant has a policy");
    const markup = markupMicroUsdc === undefined ? undefined : requireMicro(markupMicroUsdc);
    const asked = { cost: requireMicro(costMicroUsdc), markupBps, markup, policy };
    const refusal = findRefusal(() => priceBooking(asked));
    // Only the ceiling can be overridden; without it the price is the same.
    const priced = { ...asked, policy: { ...policy, ceiling: undefined } };
    const noPrice = findRefusal(() => priceBooking(priced));
    return {
      accepted: refusal === undefined,
      problem: refusal === undefined ? null : { code: refusal.code, detail: refusal.message },
      policyVersion: active?.version ?? null,
      price: noPrice === undefined ? describePrice(priceBooking(priced), refusal !== undefined) : null,
      sandbox: environment === "sandbox",
    };
  },
});

function describePrice({ answer, committed }: ReturnType<typeof priceBooking>, isOverCeiling: boolean) {
  const [vendorGetsUsdc, youGetUsdc] = [formatDecimal(committed.vendorAmount), formatDecimal(committed.markup)];
  return { ...answer, vendorGetsUsdc, youGetUsdc, isOverCeiling };
}

function findRefusal(work: () => unknown): Failure | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}
