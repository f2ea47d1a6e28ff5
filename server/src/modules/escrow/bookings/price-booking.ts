import { Failure } from "../../../domain/errors.ts";
import { formatDecimal, type Micro } from "../../../domain/money.ts";
import type { PricingPolicy } from "../../pricing/index.ts";

const BASIS_POINTS = 10_000n;
/** The service's share of the cost, in basis points. */
const SERVICE_TAKE_BPS = 100n;

export interface BookingToPrice {
  /** The vendor's amount; positive. */
  cost: Micro;
  /** The caller's markup, one of the two; defaults to the policy's. */
  markupBps?: number | undefined;
  markup?: Micro | undefined;
  /** The markup over the ceiling that the caller accepts. */
  acknowledged?: Micro | undefined;
  policy: Pick<PricingPolicy, "version" | "markupBps" | "floor" | "ceiling" | "serviceTakeBehavior">;
}

export interface BookingPrice {
  /** The contract's payouts at the settlement; together they make `total`. */
  committed: { vendorAmount: Micro; markup: Micro; serviceFee: Micro };
  total: Micro;
  /** For the tool's answer. The markup is the whole one, even if the service's take is deducted from it. */
  answer: { costUsdc: string; markupUsdc: string; serviceTakeUsdc: string; totalUsdc: string };
  /** The inputs of the price, stored with the booking. */
  pricing: Readonly<Record<string, unknown>>;
}

/** For tools that price to declare. */
export const priceErrors = {
  ceiling_exceeded:
    "The markup exceeds your pricing policy's ceiling. Use a lower one, or send override with acknowledgedMicroUsdc set to exactly this markup.",
  markup_below_service_take:
    "Your pricing policy takes the service's 1 % of the cost out of the markup, which is smaller. Raise the markup.",
} as const;

/**
 * Prices a booking by the tenant's policy, rounded down to the micro-unit. An override only allows an otherwise refused
 * markup: it is ignored if none is needed, and one of another amount does not count. Throws a Failure with a code of
 * `priceErrors`.
 */
export function priceBooking(booking: BookingToPrice): BookingPrice {
  const { cost, policy } = booking;
  if (cost <= 0n) throw new Error("a booking without a cost has no price");
  const asked = askedMarkup(booking);
  const markup = asked < policy.floor ? policy.floor : asked;
  requireUnderCeiling(markup, booking);
  const serviceTake = (cost * SERVICE_TAKE_BPS) / BASIS_POINTS;
  const isDeducted = policy.serviceTakeBehavior === "deduct_from_markup";
  if (isDeducted && markup < serviceTake) {
    throw new Failure("markup_below_service_take", {
      detail: priceErrors.markup_below_service_take,
      extra: { markupMicroUsdc: markup.toString(), serviceTakeMicroUsdc: serviceTake.toString() },
    });
  }
  const committed = {
    vendorAmount: cost,
    markup: isDeducted ? markup - serviceTake : markup,
    serviceFee: serviceTake,
  };
  const total = committed.vendorAmount + committed.markup + committed.serviceFee;
  return {
    committed,
    total,
    answer: {
      costUsdc: formatDecimal(cost),
      markupUsdc: formatDecimal(markup),
      serviceTakeUsdc: formatDecimal(serviceTake),
      totalUsdc: formatDecimal(total),
    },
    pricing: {
      policyVersion: policy.version,
      serviceTakeBehavior: policy.serviceTakeBehavior,
      costMicroUsdc: cost.toString(),
      askedMarkupMicroUsdc: asked.toString(),
      markupMicroUsdc: markup.toString(),
      serviceTakeMicroUsdc: serviceTake.toString(),
      totalMicroUsdc: total.toString(),
      ceilingMicroUsdc: policy.ceiling?.toString() ?? null,
      isOverCeiling: isOver(markup, policy.ceiling),
    },
  };
}

function askedMarkup({ cost, markupBps, markup, policy }: BookingToPrice): Micro {
  if (markup === undefined) return (cost * BigInt(markupBps ?? policy.markupBps)) / BASIS_POINTS;
  if (markupBps !== undefined) throw new Error("the schema has let two markups through");
  return markup;
}

function requireUnderCeiling(markup: Micro, { acknowledged, policy: { ceiling } }: BookingToPrice): void {
  if (ceiling === undefined || markup <= ceiling || acknowledged === markup) return;
  throw new Failure("ceiling_exceeded", {
    detail:
      `The markup of ${markup} micro-USDC is over your pricing policy's ceiling of ${ceiling}. Use a lower one, or send override ` +
      `{"reason": "ceiling_acknowledged", "acknowledgedMicroUsdc": "${markup}"}, with exactly this amount.`,
    extra: { markupMicroUsdc: markup.toString(), ceilingMicroUsdc: ceiling.toString() },
  });
}

function isOver(markup: Micro, ceiling: Micro | undefined): boolean {
  return ceiling !== undefined && markup > ceiling;
}
