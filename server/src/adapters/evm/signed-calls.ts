import { encodeFunctionData, type LocalAccount } from "viem";
import type { Hex } from "../../domain/tokens.ts";
import { signedCallsAbi } from "../../generated/contracts/signed-calls.ts";

/** What somebody signs and lets `relayer` send in his name: SignedCalls.sol. */
export interface SignedCall {
  from: Hex;
  to: Hex;
  data: Hex;
  nonce: Hex;
  /** Unix seconds. */
  deadline: bigint;
  relayer: Hex;
}

const TYPES = {
  Call: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "data", type: "bytes" },
    { name: "nonce", type: "bytes32" },
    { name: "deadline", type: "uint256" },
    { name: "relayer", type: "address" },
  ],
} as const;

/** What the relayer sends to the forwarder. */
export async function signCall(
  account: LocalAccount,
  { chainId, forwarder }: { chainId: number; forwarder: Hex },
  call: SignedCall,
): Promise<Hex> {
  const signature = await account.signTypedData({
    domain: { name: "SignedCalls", version: "1", chainId, verifyingContract: forwarder },
    types: TYPES,
    primaryType: "Call",
    message: { ...call },
  });
  return encodeFunctionData({ abi: signedCallsAbi, functionName: "execute", args: [call, signature] });
}
