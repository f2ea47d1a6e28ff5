import { z } from "zod";
import { formatMonth } from "../charging/index.ts";
import type { Usage } from "./usage.ts";

export const MicroUsdc = z.string().regex(/^\d+$/).describe("Micro-USDC: 1000000 is one USDC");

export const Spending = z.object({
  period: z.string().describe("YYYY-MM, the current month in UTC"),
  spentMicroUsdc: MicroUsdc,
  capMicroUsdc: MicroUsdc,
});

/** The month's costs so far, and the rest of the cap. */
export function describeSpending(
  { spentMicroUsdc: spent, capMicroUsdc: cap }: Awaited<ReturnType<Usage["totals"]>>,
  now: Temporal.Instant,
) {
  const left = cap > spent ? cap - spent : 0n;
  return {
    period: formatMonth(now),
    spentMicroUsdc: spent.toString(),
    capMicroUsdc: cap.toString(),
    leftMicroUsdc: left.toString(),
    resetsAt: nextMonth(now).toString(),
  };
}

function nextMonth(now: Temporal.Instant): Temporal.Instant {
  const month = now.toZonedDateTimeISO("UTC").toPlainDate().toPlainYearMonth().add({ months: 1 });
  return month.toPlainDate({ day: 1 }).toZonedDateTime("UTC").toInstant();
}
