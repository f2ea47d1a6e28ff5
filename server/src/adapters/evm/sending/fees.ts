import type { PublicClient } from "viem";
import type { Hex } from "../../../domain/tokens.ts";
import { reach, refusalIn } from "../client.ts";
import { type Fees, nativeAmount } from "../native.ts";
import { isBusy } from "../rpc.ts";
import type { Payload } from "../signing/sign-operation.ts";

const FALLBACK_TIP_WEI = 1_000_000_000n;
const FEES_KEPT_MILLISECONDS = 1_000;
/** The gas of the cheapest transaction: no estimate is lower. */
export const LEAST_GAS = 21_000n;
/** The gas limit of a transaction under EIP-7825. */
const MOST_GAS = 2n ** 24n;

const larger = (one: bigint, other: bigint): bigint => (one > other ? one : other);

/** Twice the base fee, so that a transaction outlasts a few full blocks; the excess is not charged. */
export function createFeeReader(client: PublicClient): () => Promise<Fees> {
  let kept: { at: number; fees: Promise<Fees> } | undefined;

  async function read(): Promise<Fees> {
    return await reach(async () => {
      const [block, tip] = await Promise.all([client.getBlock({ blockTag: "latest" }), readTip(client)]);
      const baseFee = block.baseFeePerGas ?? 0n;
      return { maxFeePerGas: nativeAmount(baseFee * 2n + tip), maxPriorityFeePerGas: nativeAmount(tip) };
    });
  }

  return () => {
    const now = performance.now();
    if (kept === undefined || now - kept.at > FEES_KEPT_MILLISECONDS) {
      const fees = read();
      const entry = { at: now, fees };
      kept = entry;
      fees.catch(() => {
        if (kept === entry) kept = undefined;
      });
    }
    return kept.fees;
  };
}

async function readTip(client: PublicClient): Promise<bigint> {
  try {
    return BigInt(await client.request({ method: "eth_maxPriorityFeePerGas" }));
  } catch (error) {
    if (refusalIn(error) === undefined) throw error;
    return FALLBACK_TIP_WEI;
  }
}

/**
 * The ceiling on the development chain; on a live one, the node's estimate plus 20 %. A call that would revert is sent with the
 * ceiling all the same: only a block can tell that it does.
 */
export async function chooseGas(client: PublicClient, from: Hex, payload: Payload, live: boolean): Promise<bigint> {
  const { gas: ceiling, bound } = payload.ceiling;
  if (!live) return ceiling;
  return await reach(async () => {
    try {
      const { to, data, authorizationList } = payload;
      const estimate = await client.estimateGas({
        account: from,
        to,
        data,
        ...(authorizationList && { authorizationList }),
      });
      const gas = (estimate * 12n) / 10n;
      if (bound === "most" && gas > ceiling) return ceiling;
      if (bound === "least") return larger(ceiling, gas < MOST_GAS ? gas : MOST_GAS);
      return gas < LEAST_GAS ? LEAST_GAS : gas;
    } catch (error) {
      const refusal = refusalIn(error);
      if (refusal === undefined || isBusy(refusal)) throw error;
      return ceiling;
    }
  });
}
