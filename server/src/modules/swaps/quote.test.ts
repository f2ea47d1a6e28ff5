import fc from "fast-check";
import { expect, it } from "vitest";
import { embeddedRates } from "../../../test/support/rates.ts";
import { tokenSymbols } from "../../domain/tokens.ts";
import type { PoolTerms } from "../../ports/chain/swap-pool.ts";
import { systemClock } from "../../ports/clock.ts";
import { quoteSwap } from "./quote.ts";
import { otherToken } from "./swap-operation.ts";

const RATE = 1_141_500n;
const UNIT = 1_000_000n;
const BASIS_POINTS = 10_000n;

/** As SwapPool.amountOutFor computes it. */
const amountOutFor = (token: string, amount: bigint, spread: bigint) =>
  token === "EURC"
    ? (amount * RATE * (BASIS_POINTS - spread)) / (UNIT * BASIS_POINTS)
    : (amount * UNIT * (BASIS_POINTS - spread)) / (RATE * BASIS_POINTS);

it("quotes what the pool pays, and the largest amount for which its inventory lasts", async () => {
  const amounts = fc.bigInt({ min: 10n, max: 10n ** 15n });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...tokenSymbols),
      amounts,
      amounts,
      fc.bigInt({ min: 0n, max: 500n }),
      async (token, available, mostPerSwap, spreadBps) => {
        const side = { mostPerSwap, available };
        const terms: PoolTerms = {
          isPaused: false,
          quoter: "0x",
          spreadBps,
          leastRate: 1n,
          mostRate: 10n ** 19n,
          tokens: { USDC: side, EURC: side },
        };
        const ports = { fx: embeddedRates, clock: systemClock };
        const quote = (amount: bigint) => quoteSwap(ports, "sandbox", terms, { token, amount });
        const { amountOut, most, toToken } = await quote(5n);
        expect(toToken).toBe(otherToken(token));
        expect(amountOut).toBe(amountOutFor(token, 5n, spreadBps));
        expect((await quote(most)).amountOut).toBeLessThanOrEqual(available);
        if (most < mostPerSwap) expect(amountOutFor(token, most + 1n, spreadBps)).toBeGreaterThan(available);
        await expect(quote(most + 1n)).rejects.toMatchObject({ code: "swap_amount_too_large" });
      },
    ),
  );
});
