import { z } from "zod";
import { NextCursor, pageInput, readPage } from "../../../kernel/page.ts";
import { defineTool } from "../../../kernel/tool.ts";
import { describeSpending, MicroUsdc, periodOf, Spending } from "../spending.ts";

export const listUsage = defineTool({
  name: "list_usage",
  title: "List usage",
  summary:
    "What the tenant's calls, of all its users, have cost: one record for each paid call before this one, newest first, and what is left of the monthly cap.",
  area: "usage",
  effect: "read",
  price: 500n,
  payableWithoutKey: false,
  uses: ["usage", "reads", "clock"],
  input: z.strictObject({
    ...pageInput(z.string().regex(/^use_[0-9A-Z]{26}$/, "must be the nextCursor of the page before")),
    tool: z
      .string()
      .regex(/^[a-z0-9_]{1,64}$/, "must be a tool's name")
      .optional()
      .describe("Calls of this tool only"),
  }),
  output: z.object({
    records: z
      .array(
        z.object({
          id: z.string().describe("The meter id that the call's answer named"),
          tool: z.string(),
          surface: z.string(),
          status: z.string().describe("sandbox, unsettled or settled"),
          userId: z.string(),
          priceMicroUsdc: MicroUsdc.describe("Paid, after the plan's discount"),
          listPriceMicroUsdc: MicroUsdc,
          traceId: z.string(),
          idempotencyKey: z.string().nullable(),
          createdAt: z.string(),
          settlementTxHash: z.string().nullable(),
        }),
      )
      .readonly(),
    nextCursor: NextCursor,
    totals: Spending.extend({ leftMicroUsdc: MicroUsdc, resetsAt: z.string() }),
  }),
  errors: {},
  example: () => ({ limit: 5 }),

  async run({ cursor, tool, ...page }, { usage, reads, clock, caller: { tenantId, environment } }) {
    const now = clock.now();
    const [{ shown, nextCursor }, totals] = await Promise.all([
      readPage(
        page,
        (limit) =>
          reads(tenantId, ({ usageRecords }) =>
            usageRecords.list(tenantId, environment, { before: cursor, limit, tool }),
          ),
        ({ id }) => id,
      ),
      usage.totals(tenantId, environment, periodOf(now)),
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
    return { records, nextCursor, totals: describeSpending(totals, now) };
  },
});
