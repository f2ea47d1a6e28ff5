import type { PublicClient } from "viem";
import type { Hex } from "../../../domain/tokens.ts";
import { settlementSplitterAbi } from "../../../generated/contracts/settlement-splitter.ts";
import { chainUnavailable, refusalIn } from "../client.ts";
import { ChainSetupError } from "../setup-error.ts";

const SAMPLE = { gross: 999_999n, commissionBps: 1_234n, serviceFeeBps: 567n };
const PARTS = { supplier: 819_901n, commission: 123_399n, serviceFee: 56_699n };

/**
 * Throws ChainSetupError for a contract that does not divide as our splitter does: every split through it would fail, with
 * money waiting.
 */
export async function checkSplitter(client: PublicClient, address: Hex, chainId: number): Promise<void> {
  const wrong = `The splitter at ${address} on chain ${chainId} is not the service's splitter contract: check CHAIN_SPLITTER, or leave it out.`;
  try {
    const { gross, commissionBps, serviceFeeBps } = SAMPLE;
    const parts = await client.readContract({
      address,
      abi: settlementSplitterAbi,
      functionName: "partsOf",
      args: [gross, commissionBps, serviceFeeBps],
    });
    const { supplier, commission, serviceFee } = PARTS;
    if (parts.supplier === supplier && parts.commission === commission && parts.serviceFee === serviceFee) return;
  } catch (error) {
    const isAnswered =
      refusalIn(error) !== undefined ||
      (error instanceof Error && /returned no data|out of bounds/.test(error.message));
    if (!isAnswered) throw chainUnavailable(error);
  }
  throw new ChainSetupError(wrong);
}
