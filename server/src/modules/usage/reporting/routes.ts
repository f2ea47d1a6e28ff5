import { z } from "zod";
import { CURSOR_MESSAGE, pageQuery, readPage } from "../../../kernel/contracts/page.ts";
import { defineRoute } from "../../../kernel/contracts/route.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Reads } from "../context.ts";
import { readUsageSums } from "./routes-sums.ts";
import { periodOf } from "./spending.ts";
import type { Usage } from "./usage.ts";
import { describeRecord, UsageAnswer } from "./usage-answer.ts";

interface UsageRoutePorts {
  usage: Usage;
  reads: Reads;
  clock: Clock;
}

const readUsage = defineRoute({
  id: "read_usage",
  method: "GET",
  path: "/api/usage",
  tag: "usage",
  summary: "List usage records",
  description:
    "The tenant's usage records in the environment of the key, newest first, and what it spent there of its monthly cap.",
  scope: "usage:read",
  query: z.object({
    ...pageQuery(z.string().regex(/^use_[0-9A-Z]{26}$/, CURSOR_MESSAGE)),
    tool: z
      .string()
      .regex(/^[a-z0-9_]{1,64}$/, "must be a tool's name")
      .describe("Records of this tool only")
      .exactOptional(),
  }),
  answers: { 200: { description: "One page of records.", schema: UsageAnswer } },
  errors: {},
  async run({ principal: { tenantId, environment }, query }, { usage, reads, clock }: UsageRoutePorts) {
    const period = periodOf(clock.now());
    const [{ shown, nextCursor }, totals] = await Promise.all([
      readPage(
        query,
        (limit) => {
          const page = { before: query.cursor, limit, tool: query.tool };
          return reads(tenantId, ({ usageRecords }) => usageRecords.list(tenantId, environment, page));
        },
        ({ id }) => id,
      ),
      usage.totals(tenantId, environment, period),
    ]);
    return {
      records: shown.map(describeRecord),
      nextCursor,
      totals: {
        period,
        spentMicroUsdc: totals.spentMicroUsdc.toString(),
        capMicroUsdc: totals.capMicroUsdc.toString(),
      },
    };
  },
});

export const usageRoutes = [readUsage, readUsageSums];
