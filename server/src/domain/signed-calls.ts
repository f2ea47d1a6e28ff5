import type { Hex } from "./tokens.ts";

/** A call that somebody signs and lets `relayer` send to the forwarder in their name: SignedCalls.sol. */
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

/** The EIP-712 message that `from` signs. */
export function signedCallMessage({ chainId, forwarder }: { chainId: number; forwarder: Hex }, call: SignedCall) {
  return {
    domain: { name: "SignedCalls", version: "1", chainId, verifyingContract: forwarder },
    types: TYPES,
    primaryType: "Call" as const,
    message: { ...call },
  };
}
