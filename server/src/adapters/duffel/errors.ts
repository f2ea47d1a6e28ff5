import { z } from "zod";
import { Failure, invalidInput } from "../../domain/errors.ts";
import type { HttpFailure } from "../../outbound/http-failure.ts";

/**
 * The supplier's ways to fail, turned into the codes of `ports/flights.ts`. Nothing the supplier wrote reaches a `detail`:
 * its text goes into `cause`, for the log. A commit (it makes or pays something) is judged harder than a read: only an
 * answer that says "nothing was done" counts as a refusal, everything else is `outcome_unknown`.
 */

/** What a request was about; decides what a 404 or a refusal means to the caller. */
export type Subject =
  | "search"
  | "offer"
  | "booking"
  | "order"
  | "payment"
  | "cancellation"
  | "credit"
  | "customer"
  | "airport"
  | "stay";

const SupplierErrorBody = z.object({
  meta: z.object({ request_id: z.string().nullish() }).nullish(),
  errors: z.array(
    z.object({
      type: z.string().nullish(),
      code: z.string().nullish(),
      title: z.string().nullish(),
      message: z.string().nullish(),
      source: z.unknown().optional(),
    }),
  ),
});
type ErrorEntry = z.infer<typeof SupplierErrorBody>["errors"][number];

/** For the log only: what the supplier answered. */
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

const DETAIL = {
  provider_timeout: "The supplier did not answer in time and nothing was booked. Try again.",
  provider_unavailable: "The supplier cannot be used at the moment and nothing was booked. Try again later.",
  outcome_unknown:
    "The request was sent to the supplier and its outcome is not known yet. It is being looked up; do not book again until that is done.",
  offer_not_found: "The supplier does not know this offer. Search again and use an offer id from the result.",
  offer_expired: "The offer or its price hold is no longer available. Search again and choose a new offer.",
  price_changed: "The price has changed since the offer was read. Read the offer again and confirm the new price.",
  order_not_found: "The supplier does not know this order.",
  booking_rejected:
    "The supplier refused the booking and nothing was made. Check the traveler details or choose another offer.",
  hold_not_available: "This offer cannot be held; it has to be paid at once.",
  service_not_available: "An extra service that was asked for is not available for this offer.",
  credit_not_applicable: "The airline credit cannot be used for this offer.",
} as const;
export type SupplierCode = keyof typeof DETAIL;

export function failure(code: SupplierCode, cause?: unknown, retryAfterSeconds?: number): Failure {
  return new Failure(code, {
    detail: DETAIL[code],
    ...(cause === undefined ? {} : { cause }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

/** The supplier's error codes that mean one thing wherever they appear. */
const CODE_BY_SUPPLIER_CODE: ReadonlyMap<string, SupplierCode> = new Map<string, SupplierCode>([
  ["offer_no_longer_available", "offer_expired"],
  ["offer_expired", "offer_expired"],
  ["offer_request_expired", "offer_expired"],
  ["past_payment_required_by_date", "offer_expired"],
  ["price_changed", "price_changed"],
  ["payment_amount_does_not_match_order_amount", "price_changed"],
  ["payment_amount_does_not_match_offer_amount", "price_changed"],
  ["payment_currency_does_not_match_order_currency", "price_changed"],
  ["payment_currency_does_not_match_offer_currency", "price_changed"],
  ["invalid_order_create_type", "hold_not_available"],
  ["ineligible_airline_credit", "credit_not_applicable"],
  ["airline_credit_not_found", "credit_not_applicable"],
  // The operator's account at the supplier is short; the caller can do nothing about it.
  ["insufficient_balance", "provider_unavailable"],
  ["rate_limit_exceeded", "provider_unavailable"],
  ["order_not_created", "provider_unavailable"],
]);

/** What "not found" means, by what the request was about. */
const MISSING: Readonly<Record<Subject, SupplierCode>> = {
  search: "provider_unavailable",
  offer: "offer_not_found",
  booking: "offer_not_found",
  order: "order_not_found",
  payment: "order_not_found",
  cancellation: "order_not_found",
  credit: "credit_not_applicable",
  customer: "provider_unavailable",
  airport: "provider_unavailable",
  stay: "provider_unavailable",
};

const Pointer = z.object({ pointer: z.string().nullish(), field: z.string().nullish() });

function pointerOf(entry: ErrorEntry): string {
  const source = Pointer.safeParse(entry.source);
  return source.success ? (source.data.pointer ?? source.data.field ?? "") : "";
}

/** A 4xx answer. `otherwise` is what it means when the supplier's code says nothing that we know. */
function refusal(error: SupplierError, subject: Subject, otherwise: SupplierCode): Failure {
  for (const entry of error.errors) {
    const code = CODE_BY_SUPPLIER_CODE.get(entry.code ?? "");
    if (code !== undefined) return failure(code, error);
  }
  if (error.status === 404) return failure(MISSING[subject], error);
  const pointer = error.errors.map(pointerOf).find((text) => text !== "") ?? "";
  if (WITH_INPUTS.has(subject)) return refusedInput(error, pointer);
  if (subject === "booking" && /(^|\/)selected_offers\b/.test(pointer)) return failure("offer_not_found", error);
  if (/(^|\/)services\b/.test(pointer)) return failure("service_not_available", error);
  if (/airline_credit/.test(pointer)) return failure("credit_not_applicable", error);
  if (subject === "cancellation") return new Failure(otherwise, { detail: CANCELLATION_REFUSED, cause: error });
  return failure(otherwise, error);
}

const CANCELLATION_REFUSED = "The supplier refused to cancel the order; it stands as before. Read it again.";

/** Requests made of a caller's own arguments, so that a refused field can be named to the caller. */
const WITH_INPUTS: ReadonlySet<Subject> = new Set(["search", "airport", "stay", "customer"]);

/** A supplier's field and how callers call it. The last path part that is known here wins. */
const INPUT_BY_FIELD: ReadonlyMap<string, string> = new Map([
  ["origin", "origin"],
  ["destination", "destination"],
  ["departure_date", "departureDate"],
  ["cabin_class", "cabinClass"],
  ["passengers", "passengers"],
  ["fare_type", "leisureFareTypes"],
  ["loyalty_programme_accounts", "loyaltyProgrammeAccounts"],
  ["private_fares", "privateFares"],
  ["airline_credit_ids", "airlineCreditIds"],
  ["check_in_date", "checkInDate"],
  ["check_out_date", "checkOutDate"],
  ["location", "location"],
  ["guests", "guests"],
  ["rooms", "rooms"],
  ["email", "email"],
  ["phone_number", "phoneNumber"],
  ["given_name", "givenName"],
  ["family_name", "familyName"],
]);

function inputName(pointer: string): string {
  return pointer
    .split(/[/.]/)
    .reduceRight((found, part) => (found === "" ? (INPUT_BY_FIELD.get(part) ?? "") : found), "");
}

function refusedInput(error: SupplierError, pointer: string): Failure {
  const path = inputName(pointer);
  const isValidation = error.errors.some((entry) => entry.type === "validation_error");
  if (!isValidation || path === "") return failure("provider_unavailable", error);
  return invalidInput([{ path, message: "the supplier does not accept this value" }]);
}

/** An answered read that is not a success. */
export function failedRead(error: SupplierError, subject: Subject, retryAfter?: number): Failure {
  const { status } = error;
  if (status === 504 || status === 408) return failure("provider_timeout", error, retryAfter);
  if (status === 429 || status >= 500) return failure("provider_unavailable", error, retryAfter);
  if (status === 401 || status === 403 || status < 400) return failure("provider_unavailable", error);
  return refusal(error, subject, MISSING[subject]);
}

/**
 * An answered commit that is not a plain success. Certain that nothing was made: 503, 502 with `order_not_created`, and 4xx
 * but 408, which a proxy sends after it passed the request on.
 */
export function failedCommit(error: SupplierError, subject: Subject, retryAfter?: number): Failure {
  const { status } = error;
  if (status === 503 || status === 429) return failure("provider_unavailable", error, retryAfter);
  if (status === 502 && error.errors.some((entry) => entry.code === "order_not_created"))
    return refusal(error, subject, "booking_rejected");
  if (status < 400 || status >= 500 || status === 408) return failure("outcome_unknown", error);
  if (status === 401 || status === 403) return failure("provider_unavailable", error);
  return refusal(error, subject, "booking_rejected");
}

/** No whole answer to a read. */
export function lostRead(lost: HttpFailure): Failure {
  return failure(
    lost.problem === "timeout" || lost.problem === "aborted" ? "provider_timeout" : "provider_unavailable",
    lost,
  );
}

/** No whole answer to a commit. */
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
