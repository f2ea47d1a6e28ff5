import { readEpochMilliseconds } from "../../domain/ids.ts";
import type { ChannelRecord, RecordFilter, RecordSource } from "../../ports/channel-records.ts";
import type { Reads } from "./context.ts";
import type { FailedCallLog } from "./failed-call-log.ts";
import { FAILED_CALL_PREFIX } from "./failed-calls.ts";

const USAGE_PREFIX = "use_";
/** A run's calls have its id and the step as their key. */
const RUN_KEY = /^(run_[0-9A-Z]{26}):/;

/** Every call of a tool is a delivery in, by MCP or by the other ways of the web. Its place in the list is its id's time. */
export function callRecords({
  reads,
  failedCallLog,
}: {
  reads: Reads;
  failedCallLog: Pick<FailedCallLog, "written">;
}): RecordSource {
  return {
    channels: ["web", "mcp"],
    knowsTrips: false,
    async list({ tenantId, environment }, filter) {
      await failedCallLog.written();
      const [paid, failed] = await Promise.all([
        wants(filter, "done")
          ? reads(tenantId, ({ usageRecords }) =>
              usageRecords.list(tenantId, environment, {
                ...toPage(USAGE_PREFIX, filter),
                tool: undefined,
                between: { from: filter.from, to: filter.until },
              }),
            )
          : [],
        wants(filter, "refused")
          ? reads(tenantId, ({ failedCalls }) =>
              failedCalls.list(tenantId, environment, {
                ...toPage(FAILED_CALL_PREFIX, filter),
                from: filter.from,
                until: filter.until,
              }),
            )
          : [],
      ]);
      return [...paid.map(describePaid), ...failed.map(describeFailed)];
    },
  };
}

const wants = ({ state }: RecordFilter, own: "done" | "refused"): boolean => state === undefined || state === own;

/** Ids of both tables are compared without their prefixes, which say the table. */
function toPage(prefix: string, { before, channel, traceId, limit }: RecordFilter) {
  return {
    before: before === undefined ? undefined : prefix + before.id.slice(before.id.lastIndexOf("_") + 1),
    limit,
    traceId,
    isMcp: channel === "mcp",
  };
}

interface ShownCall {
  id: string;
  tool: string | null;
  traceId: string;
}

function describeCall({ id, tool, traceId }: ShownCall) {
  const at = Temporal.Instant.fromEpochMilliseconds(readEpochMilliseconds(id));
  return { id, direction: "in" as const, what: tool ?? "a tool that does not exist", attempts: 1, traceId, at };
}

function describePaid({
  latencyMs,
  idempotencyKey,
  ...call
}: ShownCall & { latencyMs: number; idempotencyKey: string | null }): ChannelRecord {
  const runId = RUN_KEY.exec(idempotencyKey ?? "")?.[1];
  return { ...describeCall(call), state: "done", latencyMs, runId };
}

function describeFailed({ code, runId, ...call }: ShownCall & { code: string; runId: string | null }): ChannelRecord {
  return { ...describeCall(call), state: "refused", problem: code, runId: runId ?? undefined };
}
