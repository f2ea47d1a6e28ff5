import { z } from "zod";
import { parseDecimal } from "../../domain/money.ts";

/** Kinds of values in the supplier's answers, and its ids. */

/** Callers give ids: what cannot be one must not become another path, nor one that is too long to be sent. */
const SUPPLIER_ID = /^[A-Za-z0-9_-]{1,128}$/;

export function isSupplierId(id: string): boolean {
  return SUPPLIER_ID.test(id);
}

export const Text = z.string().min(1);

export const Amount = z.string().refine((text) => parseDecimal(text) !== undefined, { message: "no decimal amount" });

/** What is paid, or given back when it is below zero. */
export const SignedAmount = z
  .string()
  .refine((text) => parseDecimal(text.replace(/^-/, "")) !== undefined, { message: "no decimal amount" });

export const Currency = z.string().regex(/^[A-Z]{3}$/);

/** A moment as ISO 8601 with an offset. One that comes without is in UTC, as the supplier says that all of its moments are. */
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

/** Local time at an airport; the supplier writes it without an offset, and one that has an offset all the same is cut. */
export const LocalDateTime = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/)
  .transform((text) => text.replace(/^(.{16}(?::\d{2})?).*$/, "$1"));

/** An ISO 8601 duration, as whole minutes. */
export const Minutes = z.string().transform((text, context) => {
  try {
    return Math.round(Temporal.Duration.from(text).total("minutes"));
  } catch {
    context.addIssue({ code: "custom", message: "no duration" });
    return z.NEVER;
  }
});

/** Accepts both forms in which the supplier's numbers come. */
export const Count = z.coerce.number().int().nonnegative();

/** What only describes a thing must not hide the thing: null where it is missing or does not fit. */
export function described<Schema extends z.ZodType>(schema: Schema) {
  return schema
    .nullish()
    .catch(null)
    .transform((value) => value ?? null);
}

/** A list of what only describes: empty where it is missing, and without those in it that do not fit. */
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
