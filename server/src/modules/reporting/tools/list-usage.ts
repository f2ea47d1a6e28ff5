import { z } from "zod";
import {
  CURSOR_MESSAGE,
  datesInput,
  dayBounds,
  NextCursor,
  pageInput,
  readPage,
} from "../../../kernel/contracts/page.ts";
import { formatMonth } from "../../charging/index.ts";
import { defineTool } from "../context.ts";
import { callFilters } from "../failed-call-page.ts";
import { describeSpending, MicroUsdc, Spending } from "../spending.ts";

export const listUsage = defineTool({
  name: "list_usage",
  title: "List usage",
  summary:
    "Show the cost of the tenant's calls: a record per charged call, newest first, totals by tool for the given days or this month, and the rest of the monthly cap.",
  area: "usage",
  effect: "read",
  price: 500n,
  payableWithoutKey: false,
  uses: ["usage", "reads", "clock"],
  input: z.strictObject({
    ...pageInput(z.string().regex(/^use_[0-9A-Z]{26}$/, CURSOR_MESSAGE)),
    tool: z
      .string()
      .regex(/^[a-z0-9_]{1,64}$/, "must be a tool's name")
      .optional(),
    ...datesInput,
    ...callFilters,
  }),
  output: z.object({
    records: z
      .array(
        z.object({
          id: z.string().describe("The meter id from the call's answer"),
          tool: z.string(),
          surface: z.string(),
          status: z.string().describe("sandbox, unsettled or settled"),
          userId: z.string(),
          priceMicroUsdc: MicroUsdc.describe("Paid, after the plan's discount"),
          listPriceMicroUsdc: MicroUsdc,
          traceId: z.string(),
          idempotencyKey: z.string().nullable(),
          createdAt: z.string(),
          settlementTxHash: z.string().nullable().describe("null: not settled on the chain; sandbox calls never are"),
        }),
      )
      .readonly(),
    nextCursor: NextCursor,
    sums: z
      .object({
        from: z.string(),
        to: z.string(),
        calls: z.int(),
        priceMicroUsdc: MicroUsdc,
        tools: z.array(z.object({ tool: z.string(), calls: z.int(), priceMicroUsdc: MicroUsdc })).readonly(),
      })
      .describe("Over all pages; both days inclusive, UTC"),
    totals: Spending.extend({ leftMicroUsdc: MicroUsdc, resetsAt: z.string() }),
  }),
  errors: {},
  example: () => ({ limit: 5 }),

  async run(
    { cursor, tool, from, to, traceId, runId, ...page },
    { usage, reads, clock, caller: { tenantId, environment } },
  ) {
    const now = clock.now();
    const days = summedDays({ from, to }, now);
    const [{ shown, nextCursor }, byTool, totals] = await Promise.all([
      readPage(
        page,
        (limit) =>
          reads(tenantId, ({ usageRecords }) =>
            usageRecords.list(tenantId, environment, {
              ...{ before: cursor, limit, tool, traceId, runId },
              between: dayBounds({ from, to }),
            }),
          ),
        ({ id }) => id,
      ),
      reads(tenantId, ({ usageSums }) => usageSums.byTool(tenantId, environment, { ...dayBounds(days), tool })),
      usage.totals(tenantId, environment, formatMonth(now)),
    ]);
    const records = shown.map((record) => ({
      id: record.id,
      tool: record.tool,
      surface: record.surface,
      status: record.status,
      userId: record.subject,
      priceMicroUsdc: record.priceMicroUsdc.toString(),
      listPriceMicroUsdc: record.listPriceMicroUsdc.toString(),
      traceId: record.traceId,
      idempotencyKey: record.idempotencyKey,
      createdAt: record.createdAt.toString(),
      settlementTxHash: record.settlementTx,
    }));
    const sums = {
      ...days,
      calls: Number(byTool.reduce((sum, { calls }) => sum + calls, 0n)),
      priceMicroUsdc: byTool.reduce((sum, { priceMicro }) => sum + priceMicro, 0n).toString(),
      tools: byTool.map(({ tool: name, calls, priceMicro }) => ({
        tool: name,
        calls: Number(calls),
        priceMicroUsdc: priceMicro.toString(),
      })),
    };
    return { records, nextCursor, sums, totals: describeSpending(totals, now) };
  },
});

/** The requested days; by default, this month's until today. */
function summedDays({ from, to }: { from?: string | undefined; to?: string | undefined }, now: Temporal.Instant) {
  const today = now.toZonedDateTimeISO("UTC").toPlainDate();
  const last = to ?? today.toString();
  return { from: from ?? Temporal.PlainDate.from(last).with({ day: 1 }).toString(), to: last };
}
