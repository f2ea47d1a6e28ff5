import { encodeFunctionData } from "viem";
import { z } from "zod";
import { StoredAddress, StoredInteger, StoredToken } from "../../../domain/stored-fields.ts";
import type { Hex } from "../../../domain/tokens.ts";
import { stablecoinAbi } from "../../../generated/contracts/stablecoin.ts";
import { defineChainOperation } from "../../../kernel/contracts/chain-operation.ts";
import { requireToken } from "../../../ports/chain/chain.ts";

/** The source of newly minted money. */
export const NOBODY: Hex = "0x0000000000000000000000000000000000000000";

/** Mints money on the development chain, where the relayer is the tokens' issuer. */
export const mint = defineChainOperation({
  kind: "mint",
  input: z.strictObject({ token: StoredToken, to: StoredAddress, amount: StoredInteger }),
  encode({ input: { token, to, amount }, site }) {
    const data = encodeFunctionData({ abi: stablecoinAbi, functionName: "mint", args: [to, amount] });
    return { to: requireToken(site.chain, token).address, data };
  },
  gasCeiling: () => ({ gas: 130_000n }),
  outcome: {
    isMovedBy: (input, { from, to, amount }) => from === NOBODY && to === input.to && amount === input.amount,
  },
});
