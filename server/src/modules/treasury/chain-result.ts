import { z } from "zod";
import { Provenance } from "../../domain/schemas.ts";
import type { Chain } from "../../ports/chain/chain.ts";
import type { Clock } from "../../ports/clock.ts";

/** Part of every result that is read from a chain. */
export const ChainResult = Provenance.extend({
  chainId: z.number(),
  sandbox: z.boolean().describe("True: development money on a development chain"),
});

/** Part of every result of a write to a chain. */
export const ChainWrite = ChainResult.extend({ txHash: z.string(), status: z.literal("confirmed") });

export function chainProvenance(chain: Chain, clock: Clock) {
  const sandbox = chain.environment === "sandbox";
  return {
    source: sandbox ? "embedded-devnet" : `eip155:${chain.chainId}`,
    sourceLevel: sandbox ? ("embedded" as const) : ("live" as const),
    asOf: clock.now().toString(),
    sandbox,
  };
}
