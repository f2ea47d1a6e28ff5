import { formatDecimal } from "../../domain/money.ts";
import { tokenSymbols } from "../../domain/tokens.ts";
import type { AccountFacts } from "../../kernel/contracts/account.ts";
import type { Environment } from "../../ports/identity.ts";
import type { Stores } from "./context.ts";

/** The tenant's wallet by the service's ledger, with the holds for open bookings. */
export async function describeWallet(
  { wallets, ledger, boundChains }: Pick<Stores, "wallets" | "ledger" | "boundChains">,
  { tenantId, environment }: { tenantId: string; environment: Environment },
): Promise<AccountFacts> {
  const [wallet, state, ...purses] = await Promise.all([
    wallets.findTreasury(environment, tenantId),
    boundChains.get(environment),
    ...tokenSymbols.map(async (token) => {
      const purse = { tenantId, environment, token };
      const { available, held, outgoing } = await ledger.balance(purse);
      const holds = held === 0n ? [] : await ledger.holds(purse);
      const amounts = {
        available: formatDecimal(available),
        held: formatDecimal(held),
        outgoing: formatDecimal(outgoing),
        holds: holds.map(({ reference, amount }) => ({ for: reference, amount: formatDecimal(amount) })),
      };
      return [token, amounts] as const;
    }),
  ]);
  const isStopped = state?.stoppedBecause !== undefined;
  return {
    facts: { wallet: { address: wallet?.address ?? null, ...Object.fromEntries(purses) } },
    missing: isStopped
      ? [{ what: "Money is stopped on this network.", how: "The operator looks into the difference: npm run books." }]
      : [],
  };
}
