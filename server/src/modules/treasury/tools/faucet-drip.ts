import { z } from "zod";
import { Failure } from "../../../domain/errors.ts";
import { type Hex, type TokenSymbol, tokenSymbols } from "../../../domain/tokens.ts";
import { final } from "../../../kernel/contracts/call-plan.ts";
import type { Chain } from "../../../ports/chain/chain.ts";
import { ChainWrite, chainProvenance } from "../chain-result.ts";
import { defineTool } from "../context.ts";
import { drip } from "../drip-operation.ts";
import { FreeRecipient, requireAddress, Token } from "../input.ts";
import { requireMoving, requireUnblocked, sendOut, sendOutErrors } from "../send-out.ts";
import { toToolAnswer } from "../tool-answer.ts";

const HUB = "ARC-TESTNET";

// The faucet's money does not come from a wallet.
const { insufficient_balance: _, ...sendErrors } = sendOutErrors;

const errors = {
  ...sendErrors,
  chain_not_available: "There is no faucet on this chain. Ask for ARC-TESTNET with a sandbox key.",
  faucet_cooldown: "This address received this token recently. Ask again after the number of seconds in the answer.",
} as const;

const Output = ChainWrite.extend({ to: z.string(), token: z.enum(tokenSymbols), blockchain: z.string() });

export const faucetDrip = defineTool({
  name: "faucet_drip",
  title: "Drip from the faucet",
  summary: "Send development USDC or EURC to an address, for testing. It is worth nothing.",
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
  errors,
  example: () => ({ address: "0x00000000000000000000000000000000000a11ce" }),

  // The faucet's money has no owner.
  plan: () => ({ movements: [], irreversible: [final("the faucet's gift")] }),

  async probe({ address, token, blockchain }, { chain, stores }) {
    await checkDrip(chain, { to: requireAddress(address), token, blockchain });
    await requireMoving(stores.boundChains, chain.key);
  },

  async run(input, { chain, submission, stores, clock, caller: { tenantId }, call }) {
    const { token, blockchain } = input;
    const to = requireAddress(input.address);
    await checkDrip(chain, { to, token, blockchain });
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
      // Another drip to this address was in a block first.
      if (error instanceof Failure && error.code === "transfer_reverted") await requireCooled(chain, token, to);
      throw error;
    });
    return toToolAnswer(answer, Output);
  },
});

async function checkDrip(
  chain: Chain,
  { to, token, blockchain }: { to: Hex; token: TokenSymbol; blockchain: string },
): Promise<void> {
  if (blockchain !== HUB || chain.faucet === undefined) {
    throw new Failure("chain_not_available", { detail: errors.chain_not_available, extra: { blockchain } });
  }
  await requireUnblocked(chain, token, to);
  await requireCooled(chain, token, to);
}

async function requireCooled(chain: Chain, token: TokenSymbol, to: Hex): Promise<void> {
  const waitSeconds = await chain.faucetWaitSeconds(token, to);
  if (waitSeconds === 0) return;
  throw new Failure("faucet_cooldown", {
    detail: errors.faucet_cooldown,
    extra: { waitSeconds },
    retryAfterSeconds: waitSeconds,
  });
}
