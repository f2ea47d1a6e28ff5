import { encodeFunctionData } from "viem";
import { z } from "zod";
import { StoredAddress, StoredToken } from "../../domain/stored-fields.ts";
import { faucetAbi } from "../../generated/contracts/faucet.ts";
import { defineChainOperation } from "../../kernel/contracts/chain-operation.ts";
import { requireToken } from "../../ports/chain/chain.ts";
import { NOBODY } from "../chain/index.ts";

/** The development chain's faucet gives its fixed amount of a token. */
export const drip = defineChainOperation({
  kind: "drip",
  input: z.strictObject({ token: StoredToken, to: StoredAddress }),
  encode({ input, site: { chain } }) {
    if (chain.faucet === undefined) throw new Error(`chain ${chain.chainId} has no faucet`);
    const args = [requireToken(chain, input.token).address, input.to] as const;
    return { to: chain.faucet, data: encodeFunctionData({ abi: faucetAbi, functionName: "drip", args }) };
  },
  gasCeiling: () => ({ gas: 230_000n }),
  outcome: { isMovedBy: (input, { from, to }) => from === NOBODY && to === input.to },
});
