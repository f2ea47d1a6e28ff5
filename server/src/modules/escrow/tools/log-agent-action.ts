import { z } from "zod";
import { MicroAmount, requireMicro } from "../../../domain/micro-amount.ts";
import { formatDecimal } from "../../../domain/money.ts";
import { DecimalAmount } from "../../../domain/schemas.ts";
import { planOrRefusal } from "../../../kernel/contracts/call-plan.ts";
import { ChainWrite, chainProvenance } from "../../treasury/index.ts";
import { toStepAnswer } from "../bookings/booking-answer.ts";
import { defineTool } from "../context.ts";
import { budgetErrors, stepErrors, tripStateErrors } from "../errors.ts";
import { checkEscrow } from "../escrows/trip-escrow.ts";
import { EscrowAddress, randomHash, readHash } from "../input.ts";
import { planTripStep } from "../step-machine/plan-step.ts";
import { takeTripStep } from "../step-machine/take-trip-step.ts";

const ActionType = z.enum(["search", "chat", "hold", "commit", "other"]);

/** The plan does not depend on the id, which is new in every call. */
const NO_ID = `0x${"0".repeat(64)}` as const;

const Output = ChainWrite.extend({
  tripId: z.string(),
  actionId: z.string(),
  actionType: ActionType,
  feeUsdc: DecimalAmount,
});

export const logAgentAction = defineTool({
  name: "log_agent_action",
  title: "Log an agent's action",
  summary: "Record on chain what an agent did for a trip; a fee goes from the trip's free budget to your treasury.",
  area: "escrow",
  effect: "spend",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["chain", "submission", "stores", "clock", "random"],
  input: z.strictObject({
    tripId: z.string(),
    actionType: ActionType.default("other"),
    feeMicroUsdc: MicroAmount.default("0").describe("Whole micro-USDC"),
    escrowAddress: EscrowAddress,
  }),
  output: Output,
  errors: { ...stepErrors, ...tripStateErrors, ...budgetErrors },
  example: (_today, { tripId }) => ({ tripId, actionType: "search" as const, feeMicroUsdc: "250000" }),

  plan: ({ tripId, actionType, feeMicroUsdc, escrowAddress }, { stores, chain, clock, caller }) =>
    planOrRefusal(async () => {
      await checkEscrow({ chain, stores }, { tenantId: caller.tenantId, escrowAddress, tripId });
      const action = { name: "log", actionId: NO_ID, actionType, fee: requireMicro(feeMicroUsdc) } as const;
      return await planTripStep({ stores, chain, clock, caller }, tripId, action);
    }),

  async run(input, { chain, submission, stores, clock, random, caller: { tenantId }, call, fail }) {
    await checkEscrow({ chain, stores }, { ...input, tenantId });
    const tripId = readHash(input.tripId);
    if (tripId === undefined) throw fail("trip_not_found");
    const { actionType } = input;
    const fee = requireMicro(input.feeMicroUsdc);
    const actionId = randomHash(random);
    const answer = await takeTripStep(
      { chain, submission, stores, clock },
      {
        tenantId,
        callId: call.id,
        tripId,
        action: { name: "log", actionId, actionType, fee },
        result: { tripId, actionId, actionType, feeUsdc: formatDecimal(fee), ...chainProvenance(chain, clock) },
      },
    );
    return toStepAnswer(answer, Output);
  },
});
