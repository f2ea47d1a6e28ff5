import { z } from "zod";
import { CURSOR_MESSAGE, NextCursor, pageInput, readPage } from "../../../kernel/contracts/page.ts";
import { defineTool } from "../context.ts";
import { OrderStatus, OrderSummary, toSummary } from "../order-answers.ts";
import { ORDER_SCOPES, readableKinds } from "../readable-kinds.ts";

export const listOrders = defineTool({
  name: "list_orders",
  title: "List orders",
  summary: "List your flight and stay orders, newest first: references, state and price. read_order has the details.",
  area: "flights",
  scopes: ORDER_SCOPES,
  effect: "read",
  price: 500n,
  payableWithoutKey: false,
  uses: ["reads"],
  input: z.strictObject({
    ...pageInput(z.string().regex(/^bkg_[0-9A-Z]{26}$/, CURSOR_MESSAGE)),
    status: OrderStatus.describe("Only these").optional(),
    kind: z.enum(["flight", "stay"]).optional().describe("Only these"),
    itineraryHash: z
      .string()
      .regex(/^0x[0-9a-f]{64}$/, "must be 0x and 64 hex digits in lower case")
      .optional()
      .describe("Only the one that a booking in escrow with this hash pays for"),
  }),
  output: z.object({ orders: z.array(OrderSummary), nextCursor: NextCursor }),
  errors: {},
  example: () => ({ limit: 5 }),

  async run({ cursor, status, kind, itineraryHash, ...page }, { reads, caller }) {
    const { tenantId, environment, scopes } = caller;
    const kinds = readableKinds(scopes).filter((one) => kind === undefined || one === kind);
    const { shown, nextCursor } = await readPage(
      page,
      (limit) => {
        const asked = { limit, before: cursor, status, kinds, itineraryHash };
        return reads(tenantId, ({ orders }) => orders.list(tenantId, environment, asked));
      },
      ({ bookingId }) => bookingId,
    );
    return { orders: shown.map(toSummary), nextCursor };
  },
});
