import { z } from "zod";
import { defineTenantEvent } from "../../kernel/contracts/events.ts";

export const spendLimitEvents = [
  defineTenantEvent({
    type: "spend_limit.reached",
    summary: "Spending has reached 80 or 100 percent of a limit of a key or of the tenant.",
    data: z.object({
      percent: z.int().describe("80 or 100"),
      limit: z.enum(["perDay", "perMonth"]),
      limitOf: z.enum(["key", "tenant"]),
      keyId: z.string().optional(),
      period: z.string().describe("The day or the month, UTC"),
      usedUsdc: z.string().describe("With calls that are under way"),
      limitUsdc: z.string(),
    }),
    example: {
      percent: 80,
      limit: "perDay" as const,
      limitOf: "key" as const,
      keyId: "key_01KAJ2M5Q6R7S8T9V0W1X2Y3Z4",
      period: "2030-01-02",
      usedUsdc: "850.00",
      limitUsdc: "1000.00",
    },
  }),
];
