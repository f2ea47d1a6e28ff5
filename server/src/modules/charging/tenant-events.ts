import { z } from "zod";
import { defineTenantEvent } from "../../kernel/contracts/events.ts";

export const spendCapEvents = [
  defineTenantEvent({
    type: "spend_cap.reached",
    summary: "The prices of this month's calls have reached 80 or 100 percent of the tenant's cap.",
    data: z.object({
      percent: z.int().describe("80 or 100"),
      period: z.string().describe("The month, UTC"),
      spentUsdc: z.string(),
      capUsdc: z.string(),
    }),
    example: { percent: 80, period: "2030-01", spentUsdc: "80.00", capUsdc: "100.00" },
  }),
];
