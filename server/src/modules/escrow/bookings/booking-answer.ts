import { z } from "zod";
import { DecimalAmount } from "../../../domain/schemas.ts";
import { Replayed } from "../../../kernel/contracts/tool.ts";
import { ChainWrite } from "../../treasury/index.ts";
import { bookingErrors, commitErrors, stepErrors, tripStateErrors } from "../errors.ts";
import type { StepAnswer } from "../step-machine/take-step.ts";

/** Part of every result of a step of a booking. */
export const BookingWrite = ChainWrite.extend({
  bookingId: z.string(),
  tripId: z.string(),
  state: z.enum(["reserved", "committed", "confirmed", "settled", "cancelled"]),
});

export const WaitingAmount = DecimalAmount.optional().describe(
  "The part whose payout the token refused; the escrow keeps it for its recipient",
);

/** For tools that take a step of a booking to declare. */
export const bookingStepErrors = { ...stepErrors, ...bookingErrors } as const;

const { trip_expired } = tripStateErrors;
export const commitStepErrors = { ...bookingStepErrors, ...commitErrors, trip_expired } as const;

/** Another tool's step becomes this call's own answer, with its own usage record. */
export const asOwn = (answer: StepAnswer): StepAnswer => ({ ...answer, kind: "confirmed" });

/** Validates the stored result, which an earlier version may have written. */
export function toStepAnswer<Output extends z.ZodType>(
  { kind, result, firstCallId }: Pick<StepAnswer, "kind" | "result" | "firstCallId">,
  output: Output,
): z.output<Output> | Replayed<z.output<Output>> {
  const checked = output.parse(result);
  return kind === "replayed" && firstCallId !== null ? new Replayed(checked, firstCallId) : checked;
}
