import type { Outcome } from "../../kernel/contracts/charge.ts";

const LONGEST_STORED_FAILURE = 4_096;

/** A failure costs nothing, so its stored text is short: details about the caller's own arguments are cut first. */
export function failureText(outcome: Outcome & { ok: false }): string {
  const text = JSON.stringify(outcome);
  if (text.length <= LONGEST_STORED_FAILURE) return text;
  const { ok, code, detail } = outcome;
  return JSON.stringify({ ok, code, detail: detail?.slice(0, LONGEST_STORED_FAILURE) });
}

export function successText(result: unknown): string {
  return JSON.stringify({ ok: true, result });
}

/** Reads the outcome stored with an idempotency key. */
export function readOutcome(text: string | null): Outcome {
  const stored: unknown = text === null ? undefined : JSON.parse(text);
  if (typeof stored === "object" && stored !== null && "ok" in stored) {
    if (stored.ok === true && "result" in stored) return { ok: true, result: stored.result };
    if (stored.ok === false && "code" in stored && typeof stored.code === "string") {
      return { ...stored, ok: false, code: stored.code };
    }
  }
  throw new Error("A stored outcome is not readable.");
}
