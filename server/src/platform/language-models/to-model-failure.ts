import { APICallError, InvalidResponseDataError, NoOutputGeneratedError, StreamProviderError } from "ai";
import { ModelFailure, type ModelFailureCode } from "../../ports/language-model.ts";
import { AnswerTooLarge } from "./bounded-fetch.ts";

/** Requests that fail now and may succeed later; 529 is Anthropic's code for an overloaded service. */
const TEMPORARY: ReadonlySet<number> = new Set([408, 409, 425, 429]);
const LONGEST_RETRY_SECONDS = 3_600;

/** The vendor's text and the request never leave this function: they hold what the traveler said. */
export function toModelFailure(name: string, error: unknown): ModelFailure {
  if (error instanceof ModelFailure) return error;
  if (isTooLarge(error)) return new ModelFailure("model_nonsense", `${name} answered far too much`);
  if (APICallError.isInstance(error)) return describeRefusal(name, error);
  if (isReportedInStream(error))
    return new ModelFailure("model_unavailable", `${name} reported an error within its answer`);
  // Both say that the stream ended before its end marker.
  if (NoOutputGeneratedError.isInstance(error) || InvalidResponseDataError.isInstance(error)) return describeCut(name);
  return new ModelFailure("model_nonsense", `${name} sent an answer that cannot be read`);
}

const describeCut = (name: string): ModelFailure =>
  new ModelFailure("model_unavailable", `${name} broke off its answer`);

/** Such as an overload that came after the answer had begun. */
const isReportedInStream = (error: unknown): boolean => StreamProviderError.isInstance(error);

function describeRefusal(name: string, { statusCode, responseHeaders }: APICallError): ModelFailure {
  if (statusCode === undefined) return new ModelFailure("model_unavailable", `${name} cannot be reached`);
  // The answer began well and broke off.
  if (statusCode < 300) return describeCut(name);
  const code: ModelFailureCode =
    statusCode >= 500 || TEMPORARY.has(statusCode) ? "model_unavailable" : "model_misconfigured";
  const retryAfterSeconds = readRetryAfter(responseHeaders?.["retry-after"]);
  const details = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return new ModelFailure(code, `${name} answered with status ${statusCode}`, details);
}

/** Seconds or an HTTP date. */
function readRetryAfter(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = /^\d{1,9}$/u.test(text) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1_000);
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), LONGEST_RETRY_SECONDS);
}

function isTooLarge(error: unknown): boolean {
  let cause = error;
  for (let depth = 0; depth < 5 && cause instanceof Error; depth += 1) {
    if (cause instanceof AnswerTooLarge) return true;
    cause = cause.cause;
  }
  return false;
}
