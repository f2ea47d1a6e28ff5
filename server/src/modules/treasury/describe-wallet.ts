import { formatDecimal } from "../../domain/money.ts";
import { tokenSymbols } from "../../domain/tokens.ts";
import type { AccountFacts } from "../../kernel/contracts/account.ts";
import type { ChainKey } from "../../ports/chain/chain-key.ts";
import type { Environment } from "../../ports/identity.ts";
import type { Stores } from "./context.ts";

/** The tenant's wallet by the service's ledger, with the holds for open bookings. */
export async function describeWallet(
  { wallets, ledger, boundChains }: Pick<Stores, "wallets" | "ledger" | "boundChains">,
  chains: readonly ChainKey[],
  { tenantId, environment }: { tenantId: string; environment: Environment },
): Promise<AccountFacts> {
  const home = await boundChains.findHome(environment);
  if (home === undefined) throw new Error(`the ${environment} environment has no chain`);
  const [wallet, ...purses] = await Promise.all([
    wallets.findTreasury(home, tenantId),
    ...tokenSymbols.map(async (token) => {
      const purse = { tenantId, environment, chain: home.chain, token };
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
  const otherChains = chains.flatMap((key) =>
    key.environment === environment && key.chain !== home.chain ? [key.chain] : [],
  );
  const isStopped = home.stoppedBecause !== undefined;
  return {
    facts: {
      wallet: {
        address: wallet?.address ?? null,
        ...Object.fromEntries(purses),
        ...(otherChains.length === 0 ? {} : { otherChains }),
      },
    },
    missing: isStopped
      ? [{ what: "Money is stopped on this network.", how: "The operator looks into the difference: npm run books." }]
      : [],
  };
}
