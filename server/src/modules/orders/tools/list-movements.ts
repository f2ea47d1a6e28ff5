import { z } from "zod";
import { CURSOR_MESSAGE, datesInput, pageInput } from "../../../kernel/contracts/page.ts";
import { defineTool } from "../context.ts";
import { MOVEMENT_CURSOR, MovementsAnswer, readMovements } from "../movements/read-movements.ts";
import { whyNoMovements } from "../movements/why-no-movements.ts";

export const listMovements = defineTool({
  name: "list_movements",
  title: "List money movements",
  summary:
    "List money that entered or left your treasury wallet or was paid from the Gateway, newest first, with its purpose.",
  advice: "For money held for open bookings, see check_treasury.",
  area: "treasury",
  effect: "read",
  price: 500n,
  payableWithoutKey: false,
  uses: ["reads", "usableChains"],
  input: z.strictObject({
    ...pageInput(z.string().regex(MOVEMENT_CURSOR, CURSOR_MESSAGE)),
    ...datesInput,
    orderId: z.string().optional(),
    tripId: z.string().optional(),
  }),
  output: MovementsAnswer.extend({
    note: z.string().optional().describe("Why an order has no movements, and who paid for it"),
  }),
  errors: {},
  example: () => ({ limit: 5 }),

  async run(asked, { reads, usableChains, caller }) {
    const page = await readMovements({ reads, usableChains }, caller, asked);
    const { orderId, cursor } = asked;
    if (orderId === undefined || cursor !== undefined || page.movements.length > 0) return page;
    return { ...page, note: await whyNoMovements(reads, caller, orderId) };
  },
});
