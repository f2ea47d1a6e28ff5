import { z } from "zod";
import { defineTenantEvent } from "../../kernel/contracts/events.ts";

const Transfer = z.object({
  transferId: z.string().describe("For read_transaction"),
  kind: z.string(),
  fromChain: z.string(),
  toChain: z.string(),
  token: z.string().describe("The token that was sent"),
  amountSent: z.string(),
  amountReceived: z.string().optional(),
});

const example = {
  transferId: "xfr_01KAJ2M5Q6R7S8T9V0W1X2Y3Z4",
  kind: "bridge",
  fromChain: "Base_Sepolia",
  toChain: "Arc_Testnet",
  token: "USDC",
  amountSent: "25.00",
  amountReceived: "24.99",
};

export const transferEvents = [
  defineTenantEvent({
    type: "transfer.completed",
    summary: "A transfer between chains has arrived.",
    data: Transfer,
    example,
  }),
  defineTenantEvent({
    type: "transfer.failed",
    summary: "A transfer between chains failed, and no money left its chain.",
    data: Transfer,
    example: { ...example, amountReceived: undefined },
  }),
];
