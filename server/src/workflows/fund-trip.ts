import { z } from "zod";
import { withSpellings } from "../domain/chains/named-chains.ts";
import { SourceChain } from "../domain/chains/source-chain.ts";
import { defineWorkflow, StepFailure } from "../kernel/contracts/workflow.ts";
import type { ToolMap } from "../modules/index.ts";
import type { Answer, Args, Steps } from "./tools.ts";

const Input = z.strictObject({
  fromChain: withSpellings(SourceChain),
  amount: z.string().describe("USDC to send from that chain; what arrives becomes the trip's budget"),
  expiresInDays: z.int().min(1).max(365).default(30),
  tripSummary: z.string().optional().describe("The guest reads it"),
  guestEmail: z.string().optional(),
});

const Arrived = z.object({ status: z.enum(["completed", "failed", "late"]) });

/** Longer than the chains and their bridge take on their worst days. */
const ARRIVAL_HOURS = 168;

type Transfer = NonNullable<Answer<"read_transaction">["transfer"]>;

export const fundTrip = defineWorkflow<typeof Input, ToolMap>({
  id: "service.fund_trip",
  version: 1,
  description:
    "Bridges USDC from your wallet on another chain to Arc and prefunds a trip with what arrives. It pauses while the transfer is in transit and continues by itself. The transfer cannot be recalled: if prefunding fails afterwards, the money is in your treasury wallet.",
  input: Input,
  steps: [
    { id: "bridge_to_arc", description: "The USDC leaves the other chain." },
    {
      id: "arrival",
      description:
        "The money has arrived. The service resolves it; failed: nothing has left; late: it has not arrived within a week.",
      resolvedBy: "service",
      resolution: Arrived,
    },
    { id: "read_transaction", description: "What has arrived." },
    { id: "prefund_trip", description: "It becomes the trip's budget." },
  ],
  async run({ fromChain, amount, ...trip }, steps) {
    const transfer = await bringMoney(steps, { fromChain, amount });
    const { amountReceived, transferId } = transfer;
    if (amountReceived === null) throw new Error("The transfer has arrived without an amount.");
    const funded = await steps.call("prefund_trip", { ...trip, budgetUsdc: amountReceived });
    const { tripId, codeNonce, budgetUsdc, expiresAt, emailSent, emailNote } = funded;
    const mailed = { emailSent, emailNote, guestLinkFrom: "unlock_claim returns the guest's link for this tripId" };
    return { tripId, codeNonce, budgetUsdc, expiresAt, ...mailed, transferId, fee: transfer.fee };
  },
});

/** Returns the transfer once its money is in the treasury wallet. */
async function bringMoney({ call, pause }: Steps, asked: Args<"bridge_to_arc">): Promise<Transfer> {
  const begun = await call("bridge_to_arc", asked);
  if (begun.status === "completed") return begun;
  const { status } = await pause({
    step: "arrival",
    reason: `${asked.amount} USDC are on their way to Arc, expected by ${begun.expectedBy}. The run continues by itself.`,
    resolution: Arrived,
    by: "service",
    shown: { transferId: begun.transferId },
    event: { name: "transfer_ended", subject: begun.transferId },
    timeoutHours: ARRIVAL_HOURS,
    onTimeout: { status: "late" },
  });
  if (status === "failed") throw new StepFailure("transfer_failed", "The transfer failed: no money has left.");
  const { transfer } = await call("read_transaction", { transferId: begun.transferId });
  if (transfer?.status === "completed") return transfer;
  throw new StepFailure(
    "transfer_late",
    `The money has not arrived within a week. It is not lost: read_transaction of ${begun.transferId} says why it is waiting. Prefund the trip once it has arrived.`,
  );
}
