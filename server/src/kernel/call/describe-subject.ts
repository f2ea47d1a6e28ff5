import { currentSubject, type TraceSubject } from "../../domain/trace.ts";
import type { Invocation } from "../contracts/invocation.ts";
import { isPayer } from "./caller.ts";

const LONGEST_ID = 80;

/** For whom and for what a call is made. Undefined: no tenant owns it. The conversation is that of the turn around it. */
export function describeSubject({ principal, args, runId }: Invocation): TraceSubject | undefined {
  if (isPayer(principal)) return undefined;
  const { tenantId, environment } = principal;
  const around = currentSubject();
  const isWithin = around?.tenantId === tenantId;
  return {
    tenantId,
    environment,
    tripId: readTripId(args) ?? (isWithin ? around.tripId : undefined),
    runId: runId ?? (isWithin ? around.runId : undefined),
    conversationId: isWithin ? around.conversationId : undefined,
  };
}

/** Before the arguments are validated, which may be anything. */
function readTripId(args: unknown): string | undefined {
  if (typeof args !== "object" || args === null || !("tripId" in args)) return undefined;
  const { tripId } = args;
  return typeof tripId === "string" && tripId.length <= LONGEST_ID ? tripId : undefined;
}
