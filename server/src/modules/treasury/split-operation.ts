import { encodeAbiParameters, encodeFunctionData, keccak256, parseAbiParameters } from "viem";
import { z } from "zod";
import { StoredAddress, StoredBasisPoints, StoredInteger, StoredToken } from "../../domain/stored-fields.ts";
import type { Hex } from "../../domain/tokens.ts";
import { settlementSplitterAbi } from "../../generated/contracts/settlement-splitter.ts";
import { defineChainOperation } from "../../kernel/contracts/chain-operation.ts";
import type { Chain } from "../../ports/chain/chain.ts";
import { requireToken } from "../../ports/chain/chain.ts";
import type { OperationCall, TokenAuthorization } from "../../ports/chain/chain-operation.ts";

const Split = z.strictObject({
  token: StoredToken,
  from: StoredAddress,
  supplier: StoredAddress,
  gross: StoredInteger,
  commissionBps: StoredBasisPoints,
  serviceFeeBps: StoredBasisPoints,
});

type SplitCall = OperationCall<z.output<typeof Split>>;

/** Splits money from one of our wallets between a supplier, the wallet's own commission and the service's fee. */
export const split = defineChainOperation({
  kind: "split",
  input: Split,
  authorize,
  encode(call, signature) {
    const { from, validAfter, validBefore } = authorize(call);
    const data = encodeFunctionData({
      abi: settlementSplitterAbi,
      functionName: "splitWithAuthorization",
      args: [splitTerms(call), from, validAfter, validBefore, signature],
    });
    return { to: requireSplitter(call.site.chain), data };
  },
  gasCeiling: () => ({ gas: 330_000n }),
  outcome: {
    outgoing: ({ from, gross }) => ({ from, amount: gross }),
    isMovedBy: (input, { from, amount }) => from === input.from && amount === input.gross,
  },
});

function splitTerms({ input, nonce, site }: SplitCall) {
  return {
    token: requireToken(site.chain, input.token).address,
    supplier: input.supplier,
    // The payer's commission returns to its wallet.
    commissionRecipient: input.from,
    serviceFeeRecipient: site.feeRecipient,
    gross: input.gross,
    commissionBps: input.commissionBps,
    serviceFeeBps: input.serviceFeeBps,
    settlementId: nonce,
  };
}

function authorize(call: SplitCall): TokenAuthorization {
  const { token, from, gross } = call.input;
  const splitter = requireSplitter(call.site.chain);
  return {
    kind: "token",
    primaryType: "ReceiveWithAuthorization",
    token,
    from,
    to: splitter,
    value: gross,
    validAfter: 0n,
    validBefore: call.deadline,
    nonce: authorizationNonce(splitter, call),
  };
}

/** Matches SettlementSplitter.authorizationNonce. */
function authorizationNonce(splitter: Hex, call: SplitCall): Hex {
  return keccak256(
    encodeAbiParameters(
      parseAbiParameters(
        "uint256, address, address, (address token, address supplier, address commissionRecipient, address serviceFeeRecipient, uint256 gross, uint16 commissionBps, uint16 serviceFeeBps, bytes32 settlementId)",
      ),
      [BigInt(call.site.chain.chainId), splitter, call.input.from, splitTerms(call)],
    ),
  );
}

function requireSplitter({ splitter, chainId }: Pick<Chain, "splitter" | "chainId">): Hex {
  if (splitter === undefined) throw new Error(`chain ${chainId} has no splitter`);
  return splitter;
}
