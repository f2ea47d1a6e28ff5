import { z } from "zod";
import { formatDecimal, type Micro, parseDecimal } from "../../../domain/money.ts";
import { DecimalAmount } from "../../../domain/schemas.ts";
import { describeTravelers, ShownTraveler } from "../describe-order.ts";
import type { CostedOrder } from "../orders.ts";

/** A list of more orders has no sums of all of them. */
export const MOST_SUMMED = 1_000;
const MOST_TRAVELERS = 100;

const HOW =
  "costUsdc is what the wallet and trips' budgets paid for the orders and their changes, less refunds, without the prices of calls. The supplier has one price for all travelers of an order, so each has an equal share of it, also of bags and seats. A person with an API key gets the list as CSV, one line per traveler of each order, from GET /api/orders/export with the same filters.";

export const OrderSums = z
  .object({
    orders: z.int(),
    costUsdc: DecimalAmount,
    byCurrency: z.array(z.object({ currency: z.string(), orders: z.int(), costUsdc: DecimalAmount })),
    byTraveler: z
      .array(ShownTraveler.omit({ customerUserId: true }).extend({ orders: z.int(), costUsdc: DecimalAmount }))
      .describe("Equal shares, dearest first; with userId, only that traveler's"),
    how: z.string(),
  })
  .describe("Of all paid orders that match, not only of this page");

interface Spent {
  orders: number;
  cost: Micro;
}

export const toCost = ({ costUsdc }: Pick<CostedOrder, "costUsdc">): Micro => parseDecimal(costUsdc) ?? 0n;

/** Equal parts that add up to the cost: the first ones take what is left. */
export function shareCost(cost: Micro, travelers: number): Micro[] {
  const count = BigInt(travelers);
  return Array.from({ length: travelers }, (_, index) => cost / count + (BigInt(index) < cost % count ? 1n : 0n));
}

/** Undefined: there are too many. */
export function sumCosts(
  orders: readonly CostedOrder[],
  scopes: readonly string[],
  userId: string | undefined,
): z.output<typeof OrderSums> | undefined {
  if (orders.length > MOST_SUMMED) return undefined;
  const byCurrency = new Map<string, Spent>();
  const byTraveler = new Map<string, Spent & { traveler: CostedOrder["travelers"][number] }>();
  for (const order of orders) {
    const cost = toCost(order);
    const { orders: count, cost: sum } = byCurrency.get(order.totalCurrency) ?? NOTHING;
    byCurrency.set(order.totalCurrency, { orders: count + 1, cost: sum + cost });
    const shares = shareCost(cost, order.travelers.length);
    for (const [index, traveler] of order.travelers.entries()) {
      if (userId !== undefined && traveler.userId !== userId) continue;
      const key = traveler.userId ?? `${traveler.givenName} ${traveler.familyName}`.toLowerCase();
      const known = byTraveler.get(key) ?? { ...NOTHING, traveler };
      byTraveler.set(key, { ...known, orders: known.orders + 1, cost: known.cost + (shares[index] ?? 0n) });
    }
  }
  const dearest = [...byTraveler.values()].toSorted((one, other) => Number(other.cost - one.cost));
  const left = dearest.length - MOST_TRAVELERS;
  return {
    orders: orders.length,
    costUsdc: formatDecimal(orders.reduce((sum, order) => sum + toCost(order), 0n)),
    byCurrency: [...byCurrency].map(([currency, spent]) => ({ currency, ...show(spent) })),
    byTraveler: dearest
      .slice(0, MOST_TRAVELERS)
      .flatMap(({ traveler, ...spent }) =>
        describeTravelers([traveler], scopes).map(({ customerUserId: _, ...shown }) => ({ ...shown, ...show(spent) })),
      ),
    how: left > 0 ? `${HOW} ${left} more travelers are left out of byTraveler.` : HOW,
  };
}

const NOTHING: Spent = { orders: 0, cost: 0n };

const show = ({ orders, cost }: Spent) => ({ orders, costUsdc: formatDecimal(cost) });
