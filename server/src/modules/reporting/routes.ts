import { z } from "zod";
import { wordsOfOthers } from "../../domain/schemas.ts";
import { CURSOR_MESSAGE, NextCursor, pageQuery, readPage } from "../../kernel/contracts/page.ts";
import { defineRoute } from "../../kernel/contracts/route.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import { formatMonth } from "../charging/index.ts";
import type { Reads } from "./context.ts";
import {
  callFilters,
  FailedCallCursor,
  FailedCallPage,
  type FailedCallPorts,
  failedCallFilters,
  readFailedCalls,
} from "./failed-call-page.ts";
import { MicroUsdc, Spending } from "./spending.ts";
import type { UsageSums } from "./store-usage-sums.ts";
import type { Usage, UsageRecord } from "./usage.ts";

const Time = z.string().meta({ format: "date-time" });

const Sum = z.object({
  beginsAt: Time.describe("The hour or the day (UTC)"),
  calls: z.number().describe("Number of charged calls"),
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

const readUsageSums = defineRoute({
  id: "read_usage_sums",
  method: "GET",
  path: "/api/usage/sums",
  tag: "usage",
  summary: "Sum usage by hour or day",
  description:
    "Totals of the tenant's usage records in the environment of the key, newest first. Hours and days without records are omitted. Totals are kept when old records are removed.",
  scope: "usage:read",
  query: z.object({
    ...pageQuery(z.string().refine(isTime, { message: CURSOR_MESSAGE })),
    by: z.enum(["hour", "day"]).describe("Default: day").exactOptional(),
    tool: z
      .string()
      .regex(/^[a-z0-9_]{1,64}$/, "must be a tool's name")
      .describe("Only calls of this tool")
      .exactOptional(),
  }),
  answers: {
    200: {
      description: "One page of sums.",
      schema: z.object({
        sums: z.array(Sum),
        nextCursor: NextCursor,
        summedUntil: Time.nullable().describe("Calls that ended later are not included yet; null: none are included"),
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

const MOST_GROUPED = 20_000;
const MOST_GROUPS = 100;
const DEFAULT_DAYS = 30;
const MOST_DAYS = 92;
const isDays = (text: string): boolean => /^\d{1,2}$/.test(text) && Number(text) >= 1 && Number(text) <= MOST_DAYS;

interface AskedTools {
  tenantId: string;
  environment: Environment;
  since: Temporal.Instant;
  now: Temporal.Instant;
}

/** However many records there are: from the hour of `since` on. */
async function groupByTool(
  { usageRecords, usageSums }: { usageRecords: Pick<Usage, "lastByTool">; usageSums: Pick<UsageSums, "byTool"> },
  { tenantId, environment, since, now }: AskedTools,
) {
  const floorToHour = (at: Temporal.Instant) => at.round({ smallestUnit: "hour", roundingMode: "floor" });
  const [from, to] = [floorToHour(since), floorToHour(now.add({ hours: 1 }))];
  const sums = (await usageSums.byTool(tenantId, environment, { from, to, tool: undefined })).slice(0, MOST_GROUPS);
  const last = await usageRecords.lastByTool(
    tenantId,
    environment,
    sums.map(({ tool }) => tool),
  );
  const groups = sums.map(({ tool, calls, priceMicro }) => {
    return { name: tool, keyName: null, calls, priceMicro, lastAt: last.get(tool) ?? since };
  });
  return { groups, counted: 0n };
}

const readUsageGroups = defineRoute({
  id: "read_usage_groups",
  method: "GET",
  path: "/api/usage/groups",
  tag: "usage",
  summary: "Sum usage by tool, key or person",
  description: `Totals of the last days' records in the environment of the key, the most expensive first, at most ${MOST_GROUPS}. Whole hours are counted. By key and by person, a period that began before the update that brought these sums has at most its newest ${MOST_GROUPED} records.`,
  scope: "usage:read",
  query: z.object({
    by: z.enum(["tool", "key", "person"]).describe("Default: tool").exactOptional(),
    days: z
      .string()
      .refine(isDays, { message: `must be a whole number from 1 to ${MOST_DAYS}` })
      .meta({ type: "integer", minimum: 1, maximum: MOST_DAYS, default: DEFAULT_DAYS })
      .exactOptional(),
  }),
  answers: {
    200: {
      description: "The totals.",
      schema: z.object({
        groups: z.array(
          z.object({
            name: z.string().nullable().describe("A tool, a key's id, or a user's; null: calls that no key has paid"),
            keyName: wordsOfOthers("The key's name, where name is a key or its own user").nullable(),
            calls: z.number(),
            priceMicroUsdc: MicroUsdc,
            lastAt: Time,
          }),
        ),
        isComplete: z.boolean().describe("false: there were more records than are counted"),
      }),
    },
  },
  errors: {},
  async run({ principal: { tenantId, environment }, query }, { reads, clock }: { reads: Reads; clock: Clock }) {
    const { by = "tool", days = String(DEFAULT_DAYS) } = query;
    const since = clock.now().subtract({ hours: Number(days) * 24 });
    const asked = { by, since, most: MOST_GROUPED, groups: MOST_GROUPS };
    const found = await reads(tenantId, async ({ usageRecords, usageSums, payerSums }) => {
      if (by === "tool") {
        return await groupByTool({ usageRecords, usageSums }, { tenantId, environment, since, now: clock.now() });
      }
      const groups = await payerSums.group(tenantId, environment, { by, since, groups: MOST_GROUPS });
      return groups === undefined ? await usageRecords.group(tenantId, environment, asked) : { groups, counted: 0n };
    });
    const groups = found.groups.map(({ name, keyName, calls, priceMicro, lastAt }) => ({
      name,
      keyName,
      calls: Number(calls),
      priceMicroUsdc: priceMicro.toString(),
      lastAt: lastAt.toString(),
    }));
    return { groups, isComplete: found.counted < BigInt(MOST_GROUPED) };
  },
});

const KEY_HOURS = 24;

const readKeyHours = defineRoute({
  id: "read_key_hours",
  method: "GET",
  path: "/api/usage/key-hours",
  tag: "usage",
  summary: "Count the last day's calls by key and hour",
  description: `The charged calls of each key in the environment of the key that asks, in each of the last ${KEY_HOURS} hours (UTC), the current one included. At most the newest ${MOST_GROUPED} records are counted.`,
  scope: "usage:read",
  answers: {
    200: {
      description: "The counts.",
      schema: z.object({
        beginsAt: Time.describe("Of the first hour"),
        keys: z
          .array(
            z.object({
              keyId: z.string(),
              calls: z
                .array(z.number())
                .readonly()
                .describe(`One number for each of the ${KEY_HOURS} hours, oldest first`),
            }),
          )
          .describe("Keys without a call are omitted"),
        isComplete: z.boolean().describe("false: there were more records than are counted"),
      }),
    },
  },
  errors: {},
  async run({ principal: { tenantId, environment } }, { reads, clock }: { reads: Reads; clock: Clock }) {
    const now = clock.now().round({ smallestUnit: "hour", roundingMode: "floor" });
    const since = now.subtract({ hours: KEY_HOURS - 1 });
    const { hours, counted } = await reads(tenantId, ({ usageRecords }) =>
      usageRecords.countByKeyAndHour(tenantId, environment, { since, most: MOST_GROUPED }),
    );
    const keys = [...Map.groupBy(hours, ({ keyId }) => keyId)].map(([keyId, some]) => {
      const calls = Array.from({ length: KEY_HOURS }, () => 0);
      for (const { beginsAt, calls: count } of some) {
        const at = beginsAt.since(since).total("hours");
        if (at >= 0 && at < KEY_HOURS) calls[at] = Number(count);
      }
      return { keyId, calls };
    });
    return { beginsAt: since.toString(), keys, isComplete: counted < BigInt(MOST_GROUPED) };
  },
});

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

const UsageAnswer = z.object({
  records: z.array(Shown).describe("Newest first"),
  nextCursor: NextCursor,
  totals: Spending,
});

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
    "The tenant's usage records in the environment of the key, newest first, and the used part of its monthly cap.",
  scope: "usage:read",
  query: z.object({
    ...pageQuery(z.string().regex(/^use_[0-9A-Z]{26}$/, CURSOR_MESSAGE)),
    tool: z
      .string()
      .regex(/^[a-z0-9_]{1,64}$/, "must be a tool's name")
      .describe("Only records of this tool")
      .exactOptional(),
    ...callFilters,
  }),
  answers: { 200: { description: "One page of records.", schema: UsageAnswer } },
  errors: {},
  async run({ principal: { tenantId, environment }, query }, { usage, reads, clock }: UsageRoutePorts) {
    const period = formatMonth(clock.now());
    const [{ shown, nextCursor }, totals] = await Promise.all([
      readPage(
        query,
        (limit) => {
          const { cursor: before, tool, traceId, runId } = query;
          const page = { before, limit, tool, traceId, runId };
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

const failedCalls = defineRoute({
  id: "read_failed_calls",
  method: "GET",
  path: "/api/calls",
  tag: "usage",
  summary: "List failed calls",
  description:
    "The tenant's refused and failed calls in the environment of the key, newest first, without their arguments, and previews that were asked for and refused (surface preview). The newest 1000 are kept. Requests that were refused before a tool was known, for example because of a rate limit, are not included.",
  scope: "usage:read",
  query: z.object({
    outcome: z
      .literal("failed")
      .describe("Refused or failed calls (the default); `GET /api/usage` lists the others")
      .exactOptional(),
    ...pageQuery(FailedCallCursor),
    ...failedCallFilters,
  }),
  answers: {
    200: {
      description: "One page of calls.",
      schema: FailedCallPage,
    },
  },
  errors: {},
  async run({ principal, query: { outcome: _, ...query } }, ports: FailedCallPorts) {
    return await readFailedCalls(ports, principal, query);
  },
});

export const usageRoutes = [readUsage, readUsageSums, readUsageGroups, readKeyHours, failedCalls];

function describeRecord(record: UsageRecord): z.output<typeof Shown> {
  return {
    ...record,
    listPriceMicroUsdc: record.listPriceMicroUsdc.toString(),
    priceMicroUsdc: record.priceMicroUsdc.toString(),
    createdAt: record.createdAt.toString(),
  };
}
