import { z } from "zod";
import { Failure } from "../../../domain/errors.ts";
import { tokenSymbols } from "../../../domain/tokens.ts";
import { final } from "../../../kernel/plan.ts";
import { defineTool } from "../../../kernel/tool.ts";
import { ChainWrite, chainProvenance } from "../chain-result.ts";
import { drip } from "../drip-operation.ts";
import { FreeRecipient, readAddress, Token } from "../input.ts";
import { sendOut, sendOutErrors } from "../send-out.ts";
import { toToolAnswer } from "../tool-answer.ts";

const HUB = "ARC-TESTNET";

const Output = ChainWrite.extend({ to: z.string(), token: z.enum(tokenSymbols), blockchain: z.string() });

export const faucetDrip = defineTool({
  name: "faucet_drip",
  title: "Drip from the faucet",
  summary: "Give an address some development USDC or EURC. For trying things out: it is worth nothing.",
  advice: "Only on the development chain.",
  area: "treasury",
  effect: "write",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["chain", "submission", "stores", "clock"],
  input: z.strictObject({
    address: FreeRecipient.describe("0x address of a wallet or contract"),
    blockchain: z.enum([HUB, "ETH-SEPOLIA", "AVAX-FUJI", "MATIC-AMOY"]).default(HUB),
    token: Token,
  }),
  output: Output,
  errors: {
    ...sendOutErrors,
    chain_not_available: "There is no faucet on this chain. Ask for ARC-TESTNET with a sandbox key.",
    faucet_cooldown: "This address had this token not long ago. Ask again after the seconds that the answer names.",
  },
  example: () => ({ address: "0x00000000000000000000000000000000000a11ce" }),

  // The faucet's money is nobody's.
  plan: () => ({ movements: [], irreversible: [final("the faucet's gift")] }),

  async run(input, { chain, submission, stores, clock, caller: { tenantId }, call, fail }) {
    const { token, blockchain } = input;
    const to = readAddress(input.address);
    if (to === undefined) throw new Error("the schema has let a bad value through");
    if (blockchain !== HUB || chain.faucet === undefined) throw fail("chain_not_available", { extra: { blockchain } });
    if (await chain.isBlocked(token, to)) throw fail("recipient_blocked");
    const refuseWhileCooling = async () => {
      const waitSeconds = await chain.faucetWaitSeconds(token, to);
      if (waitSeconds > 0) throw fail("faucet_cooldown", { extra: { waitSeconds }, retryAfterSeconds: waitSeconds });
    };
    await refuseWhileCooling();
    const answer = await sendOut(
      { chain, submission, stores },
      {
        tenantId,
        callId: call.id,
        idempotencyKey: `faucet_drip:${call.id}`,
        purpose: "faucet_drip",
        operation: drip,
        input: { token, to },
        result: { to, token, blockchain, ...chainProvenance(chain, clock) },
      },
    ).catch(async (error: unknown) => {
      // Somebody else's drip to this address was in a block first.
      if (error instanceof Failure && error.code === "transfer_reverted") await refuseWhileCooling();
      throw error;
    });
    return toToolAnswer(answer, Output);
  },
});
