import { z } from "zod";
import { CURSOR_MESSAGE, NextCursor, pageQuery, readPage } from "../../../kernel/contracts/page.ts";
import { defineRoute } from "../../../kernel/contracts/route.ts";
import type { Reads } from "../context.ts";
import { MicroUsdc } from "./spending.ts";

const Time = z.string().meta({ format: "date-time" });

const Sum = z.object({
  beginsAt: Time.describe("The hour or the day (UTC)"),
  calls: z.number().describe("That were paid"),
  listPriceMicroUsdc: MicroUsdc,
  priceMicroUsdc: MicroUsdc.describe("Paid, after the plan's discount"),
});

const isTime = (text: string): boolean => {
  try {
    return Temporal.Instant.from(text) !== undefined;
  } catch {
    return false;
  }
};

export const readUsageSums = defineRoute({
  id: "read_usage_sums",
  method: "GET",
  path: "/api/usage/sums",
  tag: "usage",
  summary: "Sum usage by hour or day",
  description:
    "What the tenant's usage records in the environment of the key add up to, newest first, without hours and days in which there were none. Sums stay when old records are removed.",
  scope: "usage:read",
  query: z.object({
    ...pageQuery(z.string().refine(isTime, { message: CURSOR_MESSAGE })),
    by: z.enum(["hour", "day"]).describe("Left out: day").exactOptional(),
    tool: z
      .string()
      .regex(/^[a-z0-9_]{1,64}$/, "must be a tool's name")
      .describe("Of this tool only")
      .exactOptional(),
  }),
  answers: {
    200: {
      description: "One page of sums.",
      schema: z.object({
        sums: z.array(Sum),
        nextCursor: NextCursor,
        summedUntil: Time.nullable().describe("Calls that ended later are not in yet; null: none is"),
      }),
    },
  },
  errors: {},
  async run({ principal: { tenantId, environment }, query }, { reads }: { reads: Reads }) {
    const { by = "day", tool, cursor } = query;
    const before = cursor === undefined ? undefined : Temporal.Instant.from(cursor);
    const summedUntil = await reads(tenantId, ({ usageSums }) => usageSums.summedUntil());
    const { shown, nextCursor } = await readPage(
      query,
      (limit) => reads(tenantId, ({ usageSums }) => usageSums.list(tenantId, environment, { by, tool, before, limit })),
      ({ beginsAt }) => beginsAt.toString(),
    );
    const sums = shown.map(({ beginsAt, calls, listPriceMicro, priceMicro }) => ({
      beginsAt: beginsAt.toString(),
      calls: Number(calls),
      listPriceMicroUsdc: listPriceMicro.toString(),
      priceMicroUsdc: priceMicro.toString(),
    }));
    return { sums, nextCursor, summedUntil: summedUntil?.toString() ?? null };
  },
});
