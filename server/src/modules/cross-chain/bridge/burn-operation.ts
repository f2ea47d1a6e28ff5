import { encodeAbiParameters, encodeFunctionData, keccak256, pad, parseAbiParameters, zeroHash } from "viem";
import { z } from "zod";
import { StoredAddress, StoredInteger, StoredToken } from "../../../domain/stored-fields.ts";
import type { Hex } from "../../../domain/tokens.ts";
import { signedBurnsAbi } from "../../../generated/contracts/signed-burns.ts";
import { defineChainOperation } from "../../../kernel/contracts/chain-operation.ts";
import { requireToken } from "../../../ports/chain/chain.ts";
import type { OperationCall, OperationSite, TokenAuthorization } from "../../../ports/chain/chain-operation.ts";

const Burn = z.strictObject({
  token: StoredToken,
  from: StoredAddress,
  amount: StoredInteger,
  destinationDomain: z.int().min(0),
  recipient: StoredAddress,
  maxFee: StoredInteger,
  minFinality: z.int(),
});

type BurnCall = OperationCall<z.output<typeof Burn>>;

/** Burns money of one of our wallets, to be minted on another chain. The wallet signs it and needs no gas. */
export const burn = defineChainOperation({
  kind: "bridge_burn",
  input: Burn,
  authorize,
  encode(call, signature) {
    const { from, validAfter, validBefore } = authorize(call);
    const data = encodeFunctionData({
      abi: signedBurnsAbi,
      functionName: "depositForBurnWithAuthorization",
      args: [burnTerms(call), from, validAfter, validBefore, signature],
    });
    return { to: requireSignedBurns(call.site), data };
  },
  gasCeiling: () => ({ gas: 400_000n }),
  outcome: {
    outgoing: ({ from, amount }) => ({ from, amount }),
    isMovedBy: (input, { from, amount }) => from === input.from && amount === input.amount,
  },
});

function burnTerms({ input, nonce, site }: BurnCall) {
  return {
    token: requireToken(site.chain, input.token).address,
    amount: input.amount,
    destinationDomain: input.destinationDomain,
    mintRecipient: pad(input.recipient, { size: 32 }),
    // Anybody may deliver the message: with a named caller, money would be lost with that caller's key.
    destinationCaller: zeroHash,
    maxFee: input.maxFee,
    minFinalityThreshold: input.minFinality,
    transferId: nonce,
  };
}

function authorize(call: BurnCall): TokenAuthorization {
  const { token, from, amount } = call.input;
  const signedBurns = requireSignedBurns(call.site);
  return {
    kind: "token",
    primaryType: "ReceiveWithAuthorization",
    token,
    from,
    to: signedBurns,
    value: amount,
    validAfter: 0n,
    validBefore: call.deadline,
    nonce: authorizationNonce(signedBurns, call),
  };
}

/** Matches SignedBurns.authorizationNonce. */
function authorizationNonce(signedBurns: Hex, call: BurnCall): Hex {
  return keccak256(
    encodeAbiParameters(
      parseAbiParameters(
        "uint256, address, address, (address token, uint256 amount, uint32 destinationDomain, bytes32 mintRecipient, bytes32 destinationCaller, uint256 maxFee, uint32 minFinalityThreshold, bytes32 transferId)",
      ),
      [BigInt(call.site.chain.chainId), signedBurns, call.input.from, burnTerms(call)],
    ),
  );
}

function requireSignedBurns({ chain: { crossChain, chainId } }: OperationSite): Hex {
  const address = crossChain.bridge?.signedBurns;
  if (address === undefined) throw new Error(`chain ${chainId} has no contract for signed burns`);
  return address;
}
