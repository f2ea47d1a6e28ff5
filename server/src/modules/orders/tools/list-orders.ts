import { z } from "zod";
import { formatDecimal, parseDecimal } from "../../../domain/money.ts";
import { DecimalAmount, IsoDate, wordsOfOthers } from "../../../domain/schemas.ts";
import { CURSOR_MESSAGE, dayBounds, NextCursor, pageInput, readPage } from "../../../kernel/contracts/page.ts";
import { defineTool } from "../context.ts";
import { describeTravelers, ShownTraveler, showChanges } from "../describe-order.ts";
import { MOST_SUMMED, OrderSums, shareCost, sumCosts, toCost } from "../listing/order-costs.ts";
import { Details, OrderStatus, OrderSummary, toSummary } from "../order-answers.ts";
import { ORDER_SCOPES, readableKinds } from "../readable-kinds.ts";

const ITINERARY_HASH = /^0x[0-9a-f]{64}$/;

const ListedOrder = OrderSummary.extend({
  what: wordsOfOthers("The route, or the accommodation's name").nullable(),
  startsOn: z.string().nullable().describe("Local date of the first departure or the check-in"),
  endsOn: z.string().nullable().describe("Local date of the last arrival or the check-out"),
  wasPaid: z.boolean().describe("false: held, and never paid"),
  refundedUsdc: DecimalAmount.describe("Sum of its refunds"),
  costUsdc: DecimalAmount.describe("Paid less refunds, for all of its travelers"),
  shareUsdc: DecimalAmount.describe("costUsdc in equal parts: that of one traveler"),
  travelers: z.array(ShownTraveler).describe("Names are shortened without the scope travelers:read"),
  scheduleChanges: z.array(Details).describe("Changes by the airline, not answered yet: as in read_order"),
});

function sayTooMany(): string {
  return `More than ${MOST_SUMMED} orders match, so there are no sums: ask for a shorter time with bookedFrom and bookedTo.`;
}

export const listOrders = defineTool({
  name: "list_orders",
  title: "List orders",
  summary:
    "List your flight and stay orders, newest first: route, dates, references, state, price, and what was spent on whom.",
  area: "flights",
  scopes: ORDER_SCOPES,
  effect: "read",
  price: 500n,
  payableWithoutKey: false,
  uses: ["reads", "maps"],
  input: z.strictObject({
    ...pageInput(z.string().regex(/^bkg_[0-9A-Z]{26}$/, CURSOR_MESSAGE)),
    status: OrderStatus.optional(),
    kind: z.enum(["flight", "stay"]).optional(),
    userId: z.string().optional().describe("A traveler's userId, from list_travelers"),
    from: IsoDate.optional().describe("Travel on or after, local"),
    to: IsoDate.optional(),
    bookedFrom: IsoDate.optional().describe("Booked on or after, UTC"),
    bookedTo: IsoDate.optional(),
    itineraryHash: z
      .string()
      .refine((text) => ITINERARY_HASH.test(text), { message: "must be 0x and 64 hex digits in lower case" })
      .optional()
      .describe("The itineraryHash that an escrow booking has committed"),
  }),
  output: z.object({
    orders: z.array(ListedOrder),
    nextCursor: NextCursor,
    sums: OrderSums.optional(),
    note: z.string().optional().describe("Why there are no sums on a first page"),
  }),
  errors: {},
  example: () => ({ limit: 5 }),

  async run({ cursor, kind, bookedFrom, bookedTo, limit, ...filter }, { reads, maps, caller }) {
    const { tenantId, environment, scopes } = caller;
    const kinds = readableKinds(scopes).filter((one) => kind === undefined || one === kind);
    const asked = { ...filter, kinds, booked: dayBounds({ from: bookedFrom, to: bookedTo }) };
    const { shown, nextCursor } = await readPage(
      { limit },
      (most) =>
        reads(tenantId, ({ orders }) => orders.list(tenantId, environment, { ...asked, limit: most, before: cursor })),
      ({ bookingId }) => bookingId,
    );
    const orders = shown.map((order) => ({
      ...toSummary(order),
      what: order.what ?? null,
      startsOn: order.startsOn ?? null,
      endsOn: order.endsOn ?? null,
      wasPaid: order.wasPaid,
      refundedUsdc: formatDecimal(parseDecimal(order.refundedUsdc) ?? 0n),
      costUsdc: formatDecimal(toCost(order)),
      shareUsdc: formatDecimal(shareCost(toCost(order), order.travelers.length).at(-1) ?? toCost(order)),
      travelers: describeTravelers(order.travelers, scopes),
      scheduleChanges: showChanges(order.scheduleChanges, maps),
    }));
    if (cursor !== undefined) return { orders, nextCursor };
    // A list of one page has them all.
    const costs =
      nextCursor === null
        ? shown.filter(({ wasPaid }) => wasPaid)
        : await reads(tenantId, (stores) =>
            stores.orders.listCosts(tenantId, environment, { ...asked, limit: MOST_SUMMED + 1 }),
          );
    const sums = sumCosts(costs, scopes, filter.userId);
    return { orders, nextCursor, ...(sums === undefined ? { note: sayTooMany() } : { sums }) };
  },
});
