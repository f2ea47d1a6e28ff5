import { z } from "zod";
import { NextCursor, pageQuery, readPage } from "../../kernel/page.ts";
import { defineRoute } from "../../kernel/route.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Usage, UsageRecord } from "./usage.ts";

const MicroUsdc = z.string().regex(/^\d+$/).describe("Micro-USDC: 1000000 are one USDC");

const UsageAnswer = z.object({
  records: z
    .array(
      z.object({
        id: z.string().describe("The meter id"),
        tool: z.string(),
        surface: z.string(),
        status: z.string().describe("sandbox, unsettled or settled"),
        subject: z.string().describe("The user, or svc:<keyId>"),
        keyId: z.string().nullable(),
        listPriceMicroUsdc: MicroUsdc,
        discountPercent: z.number(),
        priceMicroUsdc: MicroUsdc,
        traceId: z.string(),
        idempotencyKey: z.string().nullable(),
        latencyMs: z.number(),
        createdAt: z.string().meta({ format: "date-time" }),
        settlementTx: z.string().nullable().describe("The transaction that paid a settled record"),
      }),
    )
    .describe("Newest first"),
  nextCursor: NextCursor,
  totals: z.object({
    period: z.string().describe("YYYY-MM, the current month in UTC"),
    spentMicroUsdc: MicroUsdc,
    capMicroUsdc: MicroUsdc,
  }),
});

const readUsage = defineRoute({
  id: "read_usage",
  method: "GET",
  path: "/api/usage",
  tag: "usage",
  summary: "List usage records",
  description: "The tenant's usage records, newest first, and what it spent of its monthly cap.",
  scope: "usage:read",
  query: z.object({
    ...pageQuery(z.string().regex(/^use_[0-9A-Z]{26}$/, "must be the nextCursor of the page before")),
    tool: z
      .string()
      .regex(/^[a-z0-9_]{1,64}$/, "must be a tool's name")
      .describe("Records of this tool only")
      .exactOptional(),
  }),
  answers: { 200: { description: "One page of records.", schema: UsageAnswer } },
  errors: {},
  async run({ principal: { tenantId }, query }, { usage, clock }: { usage: Usage; clock: Clock }) {
    const period = clock.now().toString().slice(0, 7);
    const [{ shown, nextCursor }, totals] = await Promise.all([
      readPage(
        query,
        (limit) => usage.list(tenantId, { before: query.cursor, limit, tool: query.tool }),
        ({ id }) => id,
      ),
      usage.totals(tenantId, period),
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

function describeRecord(record: UsageRecord): z.output<typeof UsageAnswer>["records"][number] {
  return {
    ...record,
    listPriceMicroUsdc: record.listPriceMicroUsdc.toString(),
    priceMicroUsdc: record.priceMicroUsdc.toString(),
    createdAt: record.createdAt.toString(),
  };
}

export const usageRoutes = [readUsage];
