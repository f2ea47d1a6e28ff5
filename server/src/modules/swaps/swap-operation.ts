import { encodeAbiParameters, encodeFunctionData, keccak256, parseAbiParameters } from "viem";
import { z } from "zod";
import { StoredAddress, StoredInteger, StoredToken } from "../../domain/stored-fields.ts";
import type { TokenSymbol } from "../../domain/tokens.ts";
import { swapPoolAbi } from "../../generated/contracts/swap-pool.ts";
import { defineChainOperation } from "../../kernel/contracts/chain-operation.ts";
import { requireToken } from "../../ports/chain/chain.ts";
import type { OperationCall, TokenAuthorization } from "../../ports/chain/chain-operation.ts";

const Swap = z.strictObject({
  /** The token that the wallet gives. */
  token: StoredToken,
  from: StoredAddress,
  pool: StoredAddress,
  amount: StoredInteger,
  /** US dollars for one euro, times 1e18. */
  rate: StoredInteger,
  /** The least of the other token that the wallet gets. */
  minimum: StoredInteger,
  /** Unix seconds. */
  deadline: StoredInteger,
});
type SwapInput = z.output<typeof Swap>;
type SwapCall = OperationCall<SwapInput>;

const QUOTE = [
  { name: "trader", type: "address" },
  { name: "tokenIn", type: "address" },
  { name: "amountIn", type: "uint256" },
  { name: "rate", type: "uint256" },
  { name: "expiresAt", type: "uint256" },
  { name: "quoteId", type: "bytes32" },
] as const;

export function otherToken(token: TokenSymbol): TokenSymbol {
  return token === "USDC" ? "EURC" : "USDC";
}

/**
 * Exchanges money of one of our wallets in the operator's pool. The wallet signs the amount together with the least that it
 * gets, the recipient and the deadline; the relayer signs the rate, as the pool's quoter.
 */
export const swap = defineChainOperation({
  kind: "swap",
  input: Swap,
  authorize,
  countersign: (call) => ({
    kind: "message",
    from: call.site.relayer,
    typedData: {
      domain: {
        name: "SwapPool",
        version: "1",
        chainId: call.site.chain.chainId,
        verifyingContract: call.input.pool,
      },
      types: { Quote: QUOTE },
      primaryType: "Quote",
      message: { ...buildQuote(call) },
    },
  }),
  encode(call, signature, countersignature) {
    const data = encodeFunctionData({
      abi: swapPoolAbi,
      functionName: "swapWithAuthorization",
      args: [buildQuote(call), countersignature, buildOrder(call), signature],
    });
    return { to: call.input.pool, data };
  },
  gasCeiling: () => ({ gas: 330_000n }),
  outcome: {
    outgoing: ({ from, amount }) => ({ from, amount }),
    isMovedBy: (input, { from, to, amount }) => from === input.from && to === input.pool && amount === input.amount,
  },
});

/** The same row has the same quote, which the pool takes once. */
function buildQuote({ input, nonce, site }: SwapCall) {
  const { from, amount, rate, deadline } = input;
  const tokenIn = requireToken(site.chain, input.token).address;
  return { trader: from, tokenIn, amountIn: amount, rate, expiresAt: deadline, quoteId: nonce };
}

/** The wallet itself gets the money. */
function buildOrder({ input: { from, minimum, deadline } }: SwapCall) {
  return { minAmountOut: minimum, recipient: from, deadline };
}

function authorize(call: SwapCall): TokenAuthorization {
  const { token, from, pool, amount, deadline } = call.input;
  return {
    kind: "token",
    primaryType: "ReceiveWithAuthorization",
    token,
    from,
    to: pool,
    value: amount,
    validAfter: 0n,
    validBefore: deadline,
    nonce: authorizationNonce(call),
  };
}

/** Matches SwapPool.authorizationNonce. */
function authorizationNonce(call: SwapCall) {
  return keccak256(
    encodeAbiParameters(
      parseAbiParameters(
        "uint256, address, (address trader, address tokenIn, uint256 amountIn, uint256 rate, uint256 expiresAt, bytes32 quoteId), (uint256 minAmountOut, address recipient, uint256 deadline)",
      ),
      [BigInt(call.site.chain.chainId), call.input.pool, buildQuote(call), buildOrder(call)],
    ),
  );
}
