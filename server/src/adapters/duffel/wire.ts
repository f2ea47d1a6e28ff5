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

export const Instant = z.string().refine(
  (text) => {
    try {
      Temporal.Instant.from(text);
      return true;
    } catch {
      return false;
    }
  },
  { message: "no instant" },
);

const LOCAL_DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$/;
/** Local time at an airport; the supplier writes it without an offset. */
export const LocalDateTime = z.string().regex(LOCAL_DATE_TIME);

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
