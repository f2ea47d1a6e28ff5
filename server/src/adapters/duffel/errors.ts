import { z } from "zod";
import { Failure, invalidInput } from "../../domain/errors.ts";
import type { HttpFailure } from "../../platform/http-client/http-failure.ts";
import {
  CHANGE_INPUT_BY_FIELD,
  CODE_BY_SUBJECT,
  CODE_BY_SUPPLIER_CODE,
  DETAIL,
  INPUT_BY_FIELD,
  MISSING,
  REFUSED,
  SUBJECT_FIELD,
  type Subject,
  type SupplierCode,
  WITH_INPUTS,
} from "./error-codes.ts";

/**
 * Maps the supplier's failures to the codes of the ports (`error-codes.ts` has the tables). The supplier's text never reaches a
 * `detail`: it goes into `cause`, for the log. A commit (it creates or pays something) is judged more strictly than a read:
 * only an answer that certainly says "nothing was done" is a refusal, everything else is `outcome_unknown`.
 */

/** Some codes are numbers; a value that is not text must not hide the rest of the error. */
const Said = z
  .union([z.string(), z.number().transform(String)])
  .nullish()
  .catch(null);

const SupplierErrorBody = z.object({
  meta: z.object({ request_id: Said }).nullish().catch(null),
  errors: z.array(
    z.object({
      type: Said,
      code: Said,
      title: Said,
      message: Said,
      source: z.unknown().optional(),
    }),
  ),
});
type ErrorEntry = z.infer<typeof SupplierErrorBody>["errors"][number];

/** For the log only: the supplier's answer. */
export class SupplierError extends Error {
  readonly status: number;
  readonly requestId: string | undefined;
  readonly errors: readonly ErrorEntry[];

  constructor(status: number, requestId: string | undefined, errors: readonly ErrorEntry[], cause?: unknown) {
    const said = errors.map((entry) => `${entry.code ?? entry.type ?? "?"}: ${entry.message ?? entry.title ?? ""}`);
    super(`supplier answered ${status} ${said.join("; ")}`.trim(), cause === undefined ? undefined : { cause });
    this.name = "SupplierError";
    this.status = status;
    this.requestId = requestId;
    this.errors = errors;
  }
}

export function decodeSupplierError(status: number, requestId: string | undefined, body: Buffer): SupplierError {
  let value: unknown;
  try {
    value = JSON.parse(body.toString("utf8"));
  } catch {
    return new SupplierError(status, requestId, []);
  }
  const parsed = SupplierErrorBody.safeParse(value);
  if (!parsed.success) return new SupplierError(status, requestId, []);
  return new SupplierError(status, requestId ?? parsed.data.meta?.request_id ?? undefined, parsed.data.errors);
}

export function failure(code: SupplierCode, cause?: unknown, retryAfterSeconds?: number): Failure {
  return new Failure(code, {
    detail: DETAIL[code],
    ...(cause === undefined ? {} : { cause }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

const Pointer = z.object({ pointer: z.string().nullish(), field: z.string().nullish() });

function findPointer(entry: ErrorEntry): string {
  const source = Pointer.safeParse(entry.source);
  return source.success ? (source.data.pointer ?? source.data.field ?? "") : "";
}

/**
 * A 4xx answer. `otherwise`: its meaning if the supplier's code is unknown; `airline`: the same if the error is the airline's
 * own, which does not tell what the airline did.
 */
function refusal(error: SupplierError, subject: Subject, otherwise: SupplierCode, airline: SupplierCode): Failure {
  for (const entry of error.errors) {
    const code = CODE_BY_SUBJECT[subject]?.get(entry.code ?? "") ?? CODE_BY_SUPPLIER_CODE.get(entry.code ?? "");
    if (code !== undefined) return failure(code, error);
  }
  if (error.status === 404) return failure(MISSING[subject], error);
  if (error.errors.some(({ type }) => type === "airline_error")) return failure(airline, error);
  const pointer = error.errors.map(findPointer).find((text) => text !== "") ?? "";
  if (SUBJECT_FIELD[subject]?.test(pointer)) return failure(MISSING[subject], error);
  if (WITH_INPUTS.has(subject)) {
    const refused = refusedInput(error, subject, pointer);
    if (refused !== undefined) return refused;
    return failure(REFUSED[subject] ?? "provider_unavailable", error);
  }
  if (subject === "change_confirmation" && /(^|\/)payment\b/.test(pointer)) return failure("price_changed", error);
  if (/(^|\/)services\b/.test(pointer)) return failure("service_not_available", error);
  if (/airline_credit/.test(pointer)) return failure("credit_not_applicable", error);
  return failure(otherwise, error);
}

const PLACE_INPUTS: ReadonlySet<string> = new Set(["origin", "destination"]);

function inputName(subject: Subject, pointer: string): string {
  const names = subject === "change_request" ? CHANGE_INPUT_BY_FIELD : INPUT_BY_FIELD;
  return pointer.split(/[/.]/).reduceRight((found, part) => (found === "" ? (names.get(part) ?? "") : found), "");
}

/** Undefined: the refusal is not about a caller's value. */
function refusedInput(error: SupplierError, subject: Subject, pointer: string): Failure | undefined {
  const path = inputName(subject, pointer);
  const isValidation = error.errors.some((entry) => entry.type === "validation_error");
  if (!isValidation || path === "") return undefined;
  const expected = PLACE_INPUTS.has(path)
    ? ": it requires the IATA code of an airport or city with scheduled flights"
    : "";
  return invalidInput([{ path, message: `the supplier does not accept this value${expected}` }]);
}

/** A product that the operator's account lacks is refused in plain text, without the usual errors, or by its code. */
export function isNotEnabled({ status, errors }: SupplierError): boolean {
  return status === 403 && errors.every(({ code }) => code === "unavailable_feature");
}

function notEnabled(cause: SupplierError): Failure {
  return new Failure("provider_unavailable", {
    detail:
      "The supplier has not enabled this product for the operator's account, so nothing was done. Calling again will not help until the operator has it enabled.",
    cause,
  });
}

/** An unsuccessful answer to a read. */
export function failedRead(error: SupplierError, subject: Subject, retryAfter?: number): Failure {
  const { status } = error;
  if (status === 504 || status === 408) return failure("provider_timeout", error, retryAfter);
  if (status === 429 || status >= 500) return failure("provider_unavailable", error, retryAfter);
  if (isNotEnabled(error)) return notEnabled(error);
  if (status === 401 || status === 403 || status < 400) return failure("provider_unavailable", error);
  return refusal(error, subject, REFUSED[subject] ?? MISSING[subject], "provider_unavailable");
}

/**
 * An unsuccessful answer to a commit. Certain to have had no effect: 503, 502 with `order_not_created`, and 4xx except 408,
 * which a proxy may send after forwarding the request.
 */
export function failedCommit(error: SupplierError, subject: Subject, retryAfter?: number): Failure {
  const { status } = error;
  if (status === 503 || status === 429) return failure("provider_unavailable", error, retryAfter);
  if (status === 502 && error.errors.some((entry) => entry.code === "order_not_created"))
    return refusal(error, subject, REFUSED[subject] ?? "booking_rejected", "outcome_unknown");
  if (status < 400 || status >= 500 || status === 408) return failure("outcome_unknown", error);
  if (isNotEnabled(error)) return notEnabled(error);
  // An airline's refusal of the request, with whichever status the supplier forwards it.
  const isAirline = error.errors.some(({ type }) => type === "airline_error");
  if ((status === 401 || status === 403) && !isAirline) return failure("provider_unavailable", error);
  return refusal(error, subject, REFUSED[subject] ?? "booking_rejected", "outcome_unknown");
}

/** A read without a complete answer. */
export function lostRead(lost: HttpFailure): Failure {
  return failure(
    lost.problem === "timeout" || lost.problem === "aborted" ? "provider_timeout" : "provider_unavailable",
    lost,
  );
}

/** A commit without a complete answer. */
export function lostCommit(lost: HttpFailure): Failure {
  if (lost.delivery === "unanswered") return failure("outcome_unknown", lost);
  return failure(
    lost.problem === "timeout" || lost.problem === "aborted" ? "provider_timeout" : "provider_unavailable",
    lost,
  );
}

export function hasSupplierCode(error: unknown, code: string): boolean {
  const cause = error instanceof Failure ? error.cause : undefined;
  return cause instanceof SupplierError && cause.errors.some((entry) => entry.code === code);
}
