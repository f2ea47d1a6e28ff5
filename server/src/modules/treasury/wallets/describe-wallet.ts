import { nameChain } from "../../../domain/chains/named-chains.ts";
import { formatDecimal } from "../../../domain/money.ts";
import { tokenSymbols } from "../../../domain/tokens.ts";
import type { AccountFacts } from "../../../kernel/contracts/account.ts";
import type { Chains } from "../../../kernel/contracts/by-chain.ts";
import type { Environment } from "../../../ports/identity.ts";
import { listChainNames } from "../../chain/index.ts";
import type { Stores } from "../context.ts";

export const OTHER_CHAINS_NOTE =
  "The first call that names another chain opens your wallet there; it is shown here from then on.";

/** The tenant's wallet by the service's ledger, with the holds for open bookings. */
export async function describeWallet(
  { wallets, ledger, boundChains }: Pick<Stores, "wallets" | "ledger" | "boundChains">,
  chains: Pick<Chains, "keys" | "onDemand">,
  { tenantId, environment }: { tenantId: string; environment: Environment },
): Promise<AccountFacts> {
  const home = await boundChains.findHome(environment);
  if (home === undefined) throw new Error(`the ${environment} environment has no chain`);
  const [wallet, owned, ...purses] = await Promise.all([
    wallets.findTreasury(home, tenantId),
    chains.onDemand.length === 0 ? [] : wallets.listTreasuryChains(environment, tenantId),
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
  const configured = chains.keys.flatMap((key) => (key.environment === environment ? [key.chain] : []));
  const otherChains = [...new Set([...configured, ...owned])].filter((chain) => chain !== home.chain);
  const opensMore = chains.onDemand.some((key) => key.environment === environment);
  const isStopped = home.stoppedBecause !== undefined;
  return {
    facts: {
      wallet: {
        address: wallet?.address ?? null,
        ...Object.fromEntries(purses),
        ...(otherChains.length === 0 ? {} : { otherChains: otherChains.map(nameChain) }),
        otherChainsNote: opensMore ? OTHER_CHAINS_NOTE : null,
        chainNames: listChainNames(chains, environment),
      },
    },
    missing: isStopped
      ? [
          {
            what: "Payments are stopped on this network.",
            how: "The operator has to examine the difference with npm run books.",
            page: "operating",
          },
        ]
      : [],
  };
}
