import { z } from "zod";
import { parseDecimal } from "../../domain/money.ts";

/** Types of the supplier's values, and its ids. */

/** Callers give ids: a malformed one must not change the path, and an overlong one must not be sent. */
const SUPPLIER_ID = /^[A-Za-z0-9_-]{1,128}$/;

export function isSupplierId(id: string): boolean {
  return SUPPLIER_ID.test(id);
}

export const Text = z.string().min(1);

export const Amount = z.string().refine((text) => parseDecimal(text) !== undefined, { message: "no decimal amount" });

/** An amount to pay, or a refund if negative. */
export const SignedAmount = z
  .string()
  .refine((text) => parseDecimal(text.replace(/^-/, "")) !== undefined, { message: "no decimal amount" });

export const Currency = z.string().regex(/^[A-Z]{3}$/);

/** An instant in ISO 8601 with an offset. Without an offset it is UTC, as documented by the supplier. */
export const Instant = z.string().transform((text, context) => {
  const instant = withOffset(text) ?? withOffset(`${text}Z`) ?? withOffset(`${text}T00:00:00Z`);
  if (instant !== undefined) return instant;
  context.addIssue({ code: "custom", message: "no instant" });
  return z.NEVER;
});

function withOffset(text: string): string | undefined {
  try {
    Temporal.Instant.from(text);
    return text;
  } catch {
    return undefined;
  }
}

/** Local time at an airport, without an offset; if the supplier sends one, it is cut. */
export const LocalDateTime = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/)
  .transform((text) => text.replace(/^(.{16}(?::\d{2})?).*$/, "$1"));

/** An ISO 8601 duration, in whole minutes. */
export const Minutes = z.string().transform((text, context) => {
  try {
    return Math.round(Temporal.Duration.from(text).total("minutes"));
  } catch {
    context.addIssue({ code: "custom", message: "no duration" });
    return z.NEVER;
  }
});

/** Accepts both forms of the supplier's numbers. */
export const Count = z.coerce.number().int().nonnegative();

/** A descriptive field must not invalidate the record: null if missing or malformed. */
export function described<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullable().default(null).catch(null);
}

/** A descriptive list: empty if missing, and without malformed items. */
export function describedList<Schema extends z.ZodType>(schema: Schema) {
  return z
    .array(z.unknown())
    .nullish()
    .catch(null)
    .transform((items) =>
      (items ?? []).flatMap((item) => {
        const parsed = schema.safeParse(item);
        return parsed.success ? [parsed.data] : [];
      }),
    );
}

/** Undefined if it is not JSON; no schema accepts that. */
export function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8"));
  } catch {
    return undefined;
  }
}

/** The paths at which an answer did not match, without their values. */
export function issuePaths(error: z.ZodError): string[] {
  return error.issues.slice(0, 10).map((issue) => `${issue.path.join(".")} ${issue.code}`);
}
