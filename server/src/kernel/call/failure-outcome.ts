import { Failure, statusByCode } from "../../domain/errors.ts";
import type { Log } from "../../ports/log.ts";
import type { Outcome, PendingCall } from "../contracts/charge.ts";

/** A declared code passes; what the service itself may say passes; everything else is `tool_failed`, and the log has the cause. */
export function failureOutcome(error: unknown, call: PendingCall, log: Log): Outcome & { ok: false } {
  if (error instanceof Failure) {
    if (Object.hasOwn(call.tool.errors, error.code) || Object.hasOwn(statusByCode, error.code)) {
      if (error.cause !== undefined)
        log.warn({ err: error.cause, code: error.code, traceId: call.traceId }, "tool failed");
      const detail = error.detail ?? call.tool.errors[error.code];
      return {
        ok: false,
        code: error.code,
        ...(detail === undefined ? {} : { detail }),
        ...(error.issues === undefined ? {} : { issues: error.issues }),
        ...(error.extra === undefined ? {} : { extra: error.extra }),
        ...(error.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: error.retryAfterSeconds }),
      };
    }
  }
  log.error({ err: error, tool: call.tool.name, traceId: call.traceId }, "undeclared failure of a tool");
  return {
    ok: false,
    code: "tool_failed",
    detail: "The tool failed in a way that it does not declare. The call was not charged. Report the trace id.",
  };
}
