import { z } from "zod";
import { formatDecimal, parseDecimal } from "../../domain/money.ts";
import { DecimalAmount } from "../../domain/schemas.ts";
import type { Caller } from "../../kernel/contracts/tool.ts";
import type { Stores } from "./context.ts";
import { Happened } from "./order-answers.ts";
import type { BoughtOrder, FlightsAsked } from "./orders.ts";

/** Part of the answers of bookings, which may be repeated long after the order has changed. */
export const SinceBooked = {
  status: z.enum(["confirmed", "cancelled"]).describe("Current status of the order"),
  refundedUsdc: DecimalAmount.describe("Refunded to the treasury wallet since then"),
  since: z
    .array(Happened.extend({ kind: z.string() }))
    .describe(
      "What happened to the order since it was booked, oldest first: ticketed, changed, cancelled, refunded, …",
    ),
};

const Refunded = z.object({ refundedUsdc: z.string().default("0") });
const BEFORE: ReadonlySet<string> = new Set(["held", "booked"]);

/** The order's state since its booking. `order`: undefined if it is not recorded as booked yet. `besides`: as of `Orders.findBought`. */
export async function sinceBooked(
  { orders }: Pick<Stores, "orders">,
  { tenantId, environment }: Pick<Caller, "tenantId" | "environment">,
  orderId: string,
  besides?: FlightsAsked,
): Promise<{ order: BoughtOrder | undefined; now: z.infer<z.ZodObject<typeof SinceBooked>> }> {
  const order = await orders.findBought(tenantId, environment, orderId, besides);
  const later = (order?.events ?? []).filter(({ kind }) => !BEFORE.has(kind));
  const refunded = later
    .filter(({ kind }) => kind === "refunded")
    .reduce((sum, { details }) => sum + (parseDecimal(Refunded.parse(details).refundedUsdc) ?? 0n), 0n);
  return {
    order,
    now: {
      status: order?.status === "cancelled" ? "cancelled" : "confirmed",
      refundedUsdc: formatDecimal(refunded),
      since: later.map(({ kind, at, details }) => ({ kind, at: at.toString(), details })),
    },
  };
}

/** Whether a reservation in escrow still pays for the order; after its cancellation the wallet pays. */
export const isCovered = (
  { coveredUsdc }: { coveredUsdc: string },
  { since }: { since: readonly { kind: string }[] },
): boolean => parseDecimal(coveredUsdc) !== 0n && !since.some(({ kind }) => kind === "paid_by_wallet");

/** The next step for a repeated booking whose order was cancelled. */
export const sayCancelled = (refundedUsdc: string): string =>
  `Nothing was booked now: the order that an earlier call booked is cancelled. ${refundedUsdc} USDC have been refunded to the treasury wallet since. To travel, search and book again.`;
