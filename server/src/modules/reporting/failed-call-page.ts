import { z } from "zod";
import { Instant } from "../../domain/schemas.ts";
import type { FailedCall } from "../../kernel/contracts/failed-call.ts";
import { CURSOR_MESSAGE, NextCursor, readPage } from "../../kernel/contracts/page.ts";
import type { Reads } from "./context.ts";
import type { FailedCallLog } from "./failed-call-log.ts";
import type { FailedCallFilter, ListedFailedCall } from "./failed-calls.ts";
import { MicroUsdc } from "./spending.ts";

export const FailedCallCursor = z.string().regex(/^fail_[0-9A-Z]{26}$/, CURSOR_MESSAGE);

const TRACE_ID = /^[0-9a-f]{32}$/;
const RUN_ID = /^run_[0-9A-Z]{26}$/;

/** Filters of usage records and of failed calls, for tools and routes. Their form is checked and not published. */
export const callFilters = {
  traceId: z
    .string()
    .refine((text) => TRACE_ID.test(text), { message: "must be a trace id" })
    .optional(),
  runId: z
    .string()
    .refine((text) => RUN_ID.test(text), { message: "must be a run's id" })
    .optional(),
};

/** The filters, for the tool and the route. */
export const failedCallFilters = {
  tool: z
    .string()
    .regex(/^[a-z0-9_]{1,64}$/, "must be a tool's name")
    .optional(),
  code: z
    .string()
    .regex(/^[a-z0-9_]{1,64}$/, "must be an error code")
    .describe("Error code")
    .optional(),
  ...callFilters,
  from: Instant.describe("Inclusive. ISO 8601 with Z or an offset").optional(),
  until: Instant.describe("Exclusive. ISO 8601 with Z or an offset").optional(),
};

const FailedCallAnswer = z.object({
  id: z.string(),
  createdAt: z.string().meta({ format: "date-time" }),
  tool: z.string().nullable().describe("null: no tool has the called name"),
  surface: z.string().describe("dispatch, mcp, workflow, conversation or preview"),
  keyId: z.string(),
  keyName: z.string().nullable().describe("null: the key no longer exists"),
  code: z.string(),
  detail: z.string().nullable().describe("… stands for values of the arguments, which are not stored"),
  issuePaths: z
    .array(z.string())
    .readonly()
    .describe("Where the arguments were invalid; * stands for a name that the tool does not know"),
  traceId: z.string(),
  runId: z.string().nullable().describe("The run of a workflow that made the call"),
  priceMicroUsdc: MicroUsdc.describe("0: refused and failed calls cost nothing"),
});

export const FailedCallPage = z.object({ calls: z.array(FailedCallAnswer).readonly(), nextCursor: NextCursor });

interface Query extends Omit<FailedCallFilter, "from" | "until"> {
  cursor?: string | undefined;
  limit?: string | number;
  from?: string | undefined;
  until?: string | undefined;
}

export interface FailedCallPorts {
  failedCallLog: Pick<FailedCallLog, "written">;
  reads: Reads;
}

export async function readFailedCalls(
  { failedCallLog, reads }: FailedCallPorts,
  { tenantId, environment }: Pick<FailedCall, "tenantId" | "environment">,
  { cursor: before, tool, code, traceId, runId, from, until, ...page }: Query,
) {
  await failedCallLog.written();
  const filter = { tool, code, traceId, runId, from: toInstant(from), until: toInstant(until) };
  const { shown, nextCursor } = await readPage(
    page,
    (limit) =>
      reads(tenantId, ({ failedCalls }) => failedCalls.list(tenantId, environment, { ...filter, before, limit })),
    ({ id }) => id,
  );
  return { calls: shown.map(describe), nextCursor };
}

const toInstant = (text: string | undefined) => (text === undefined ? undefined : Temporal.Instant.from(text));

function describe({ at, price: _, ...call }: ListedFailedCall): z.output<typeof FailedCallAnswer> {
  return { ...call, createdAt: at.toString(), priceMicroUsdc: "0" };
}
