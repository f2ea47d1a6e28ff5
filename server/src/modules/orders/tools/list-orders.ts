import { z } from "zod";
import { formatDecimal, parseDecimal } from "../../../domain/money.ts";
import { DecimalAmount, IsoDate, wordsOfOthers } from "../../../domain/schemas.ts";
import { CURSOR_MESSAGE, NextCursor, pageInput, readPage } from "../../../kernel/contracts/page.ts";
import { defineTool } from "../context.ts";
import { describeTravelers, ShownTraveler, showChanges } from "../describe-order.ts";
import { Details, OrderStatus, OrderSummary, toSummary } from "../order-answers.ts";
import { ORDER_SCOPES, readableKinds } from "../readable-kinds.ts";

const ITINERARY_HASH = /^0x[0-9a-f]{64}$/;

const ListedOrder = OrderSummary.extend({
  what: wordsOfOthers("The route, or the accommodation's name").nullable(),
  startsOn: z.string().nullable().describe("Local date of the first departure or the check-in"),
  endsOn: z.string().nullable().describe("Local date of the last arrival or the check-out"),
  wasPaid: z.boolean().describe("false: held, and never paid"),
  refundedUsdc: DecimalAmount.describe("Sum of its refunds"),
  travelers: z.array(ShownTraveler).describe("Names are shortened without the scope travelers:read"),
  scheduleChanges: z.array(Details).describe("Changes by the airline, not answered yet: as in read_order"),
});

/** Lists by traveler are added up, which would count such an order once for each of its travelers. */
function sayShared(orders: readonly { orderId: string; travelers: readonly unknown[] }[]): string {
  const which = orders.map(({ orderId, travelers }) => `${orderId} (${travelers.length} travelers)`).join(", ");
  return `totalAmount is the price of the whole order for all of its travelers, not this traveler's share: ${which}. If you add up prices per traveler, divide these or count them once.`;
}

export const listOrders = defineTool({
  name: "list_orders",
  title: "List orders",
  summary: "List your flight and stay orders, newest booking first: route, dates, travelers, references, state, price.",
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
    itineraryHash: z
      .string()
      .refine((text) => ITINERARY_HASH.test(text), { message: "must be 0x and 64 hex digits in lower case" })
      .optional()
      .describe("The itineraryHash that an escrow booking has committed"),
  }),
  output: z.object({
    orders: z.array(ListedOrder),
    nextCursor: NextCursor,
    note: z.string().optional().describe("With userId: which of these prices are for several travelers"),
  }),
  errors: {},
  example: () => ({ limit: 5 }),

  async run({ cursor, status, kind, userId, from, to, itineraryHash, ...page }, { reads, maps, caller }) {
    const { tenantId, environment, scopes } = caller;
    const kinds = readableKinds(scopes).filter((one) => kind === undefined || one === kind);
    const { shown, nextCursor } = await readPage(
      page,
      (limit) => {
        const asked = { limit, before: cursor, status, kinds, userId, from, to, itineraryHash };
        return reads(tenantId, ({ orders }) => orders.list(tenantId, environment, asked));
      },
      ({ bookingId }) => bookingId,
    );
    const orders = shown.map((order) => ({
      ...toSummary(order),
      what: order.what ?? null,
      startsOn: order.startsOn ?? null,
      endsOn: order.endsOn ?? null,
      wasPaid: order.wasPaid,
      refundedUsdc: formatDecimal(parseDecimal(order.refundedUsdc) ?? 0n),
      travelers: describeTravelers(order.travelers, scopes),
      scheduleChanges: showChanges(order.scheduleChanges, maps),
    }));
    const shared = userId === undefined ? [] : orders.filter(({ travelers }) => travelers.length > 1);
    return { orders, nextCursor, ...(shared.length === 0 ? {} : { note: sayShared(shared) }) };
  },
});
