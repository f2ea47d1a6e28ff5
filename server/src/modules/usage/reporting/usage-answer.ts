import { z } from "zod";
import { NextCursor } from "../../../kernel/contracts/page.ts";
import { MicroUsdc, Spending } from "./spending.ts";
import type { UsageRecord } from "./usage.ts";

const Shown = z.object({
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
});

export const UsageAnswer = z.object({
  records: z.array(Shown).describe("Newest first"),
  nextCursor: NextCursor,
  totals: Spending,
});

export function describeRecord(record: UsageRecord): z.output<typeof Shown> {
  return {
    ...record,
    listPriceMicroUsdc: record.listPriceMicroUsdc.toString(),
    priceMicroUsdc: record.priceMicroUsdc.toString(),
    createdAt: record.createdAt.toString(),
  };
}
