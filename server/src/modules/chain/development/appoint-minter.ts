import { encodeFunctionData } from "viem";
import { z } from "zod";
import { StoredAddress, StoredInteger, StoredToken } from "../../../domain/stored-fields.ts";
import { stablecoinAbi } from "../../../generated/contracts/stablecoin.ts";
import { defineChainOperation } from "../../../kernel/contracts/chain-operation.ts";
import { requireToken } from "../../../ports/chain/chain.ts";

/** Lets a contract mint and burn a token of the development chain, whose master minter is the relayer. */
export const appointMinter = defineChainOperation({
  kind: "appoint_minter",
  input: z.strictObject({ token: StoredToken, minter: StoredAddress, allowance: StoredInteger }),
  encode({ input: { token, minter, allowance }, site }) {
    const data = encodeFunctionData({ abi: stablecoinAbi, functionName: "configureMinter", args: [minter, allowance] });
    return { to: requireToken(site.chain, token).address, data };
  },
  gasCeiling: () => ({ gas: 150_000n }),
  outcome: { tookEffect: () => true },
});
