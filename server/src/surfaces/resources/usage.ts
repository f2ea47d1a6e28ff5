import { z } from "zod";
import { validateArguments } from "../../kernel/validate.ts";
import type { Usage } from "../../modules/usage/usage.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Principal } from "../../ports/identity.ts";

const DEFAULT_LIMIT = 50;
const MAXIMUM_LIMIT = 200;

const Limit = z
  .string()
  .refine((text) => /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= MAXIMUM_LIMIT, {
    message: `must be a whole number from 1 to ${MAXIMUM_LIMIT}`,
  })
  // It is a text only because it stands in a query.
  .meta({ type: "integer", minimum: 1, maximum: MAXIMUM_LIMIT, default: DEFAULT_LIMIT });

export const UsageQuery = z.object({
  cursor: z
    .string()
    .regex(/^use_[0-9A-Z]{26}$/, "must be the nextCursor of the page before")
    .describe("nextCursor of the page before")
    .exactOptional(),
  limit: Limit.exactOptional(),
  tool: z
    .string()
    .regex(/^[a-z0-9_]{1,64}$/, "must be a tool's name")
    .describe("Records of this tool only")
    .exactOptional(),
});

const MicroUsdc = z.string().regex(/^\d+$/).describe("Micro-USDC: 1000000 are one USDC");

export const UsageAnswer = z.object({
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
  nextCursor: z.string().nullable().describe("null on the last page"),
  totals: z.object({
    period: z.string().describe("YYYY-MM, the current month in UTC"),
    spentMicroUsdc: MicroUsdc,
    capMicroUsdc: MicroUsdc,
  }),
});

/** `GET /api/usage?cursor=&limit=&tool=`: the tenant's records, newest first, and what it spent of its cap this month. */
export async function readUsage(options: {
  usage: Usage;
  principal: Principal;
  query: URLSearchParams;
  clock: Clock;
}): Promise<z.infer<typeof UsageAnswer>> {
  const { usage, principal, clock } = options;
  const query = UsageQuery.parse(validateArguments(UsageQuery, firstValues(options.query)));
  const limit = Number(query.limit ?? DEFAULT_LIMIT);
  const period = clock.now().toString().slice(0, 7);
  const page = { before: query.cursor, limit: limit + 1, tool: query.tool };
  const [records, totals] = await Promise.all([
    usage.list(principal.tenantId, page),
    usage.totals(principal.tenantId, period),
  ]);
  const shown = records.slice(0, limit);
  return {
    records: shown.map((record) => ({
      ...record,
      listPriceMicroUsdc: record.listPriceMicroUsdc.toString(),
      priceMicroUsdc: record.priceMicroUsdc.toString(),
      createdAt: record.createdAt.toString(),
    })),
    nextCursor: records.length > limit ? (shown.at(-1)?.id ?? null) : null,
    totals: {
      period,
      spentMicroUsdc: totals.spentMicroUsdc.toString(),
      capMicroUsdc: totals.capMicroUsdc.toString(),
    },
  };
}

/** Of a parameter that stands there twice the first counts. */
function firstValues(query: URLSearchParams): Record<string, string> {
  return Object.fromEntries([...query].toReversed());
}
