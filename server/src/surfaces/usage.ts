import { invalidInput } from "../domain/errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { Principal } from "../ports/identity.ts";
import type { Usage } from "../ports/usage.ts";

const DEFAULT_LIMIT = 50;
const MAXIMUM_LIMIT = 200;

/** `GET /api/usage?cursor=&limit=&tool=`: the tenant's records, newest first, and what it spent of its cap this month. */
export async function readUsage(options: {
  usage: Usage;
  principal: Principal;
  query: URLSearchParams;
  clock: Clock;
}): Promise<unknown> {
  const { usage, principal, query, clock } = options;
  const limit = readLimit(query.get("limit"));
  const period = clock.now().toString().slice(0, 7);
  const page = { before: readCursor(query.get("cursor")), limit: limit + 1, tool: readTool(query.get("tool")) };
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

function readLimit(text: string | null): number {
  if (text === null) return DEFAULT_LIMIT;
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MAXIMUM_LIMIT) return limit;
  throw invalidInput([{ path: "limit", message: `must be a whole number from 1 to ${MAXIMUM_LIMIT}` }]);
}

function readTool(text: string | null): string | undefined {
  if (text === null) return undefined;
  if (/^[a-z0-9_]{1,64}$/.test(text)) return text;
  throw invalidInput([{ path: "tool", message: "must be a tool's name" }]);
}

function readCursor(text: string | null): string | undefined {
  if (text === null) return undefined;
  if (/^use_[0-9A-Z]{26}$/.test(text)) return text;
  throw invalidInput([{ path: "cursor", message: "must be the nextCursor of the page before" }]);
}
