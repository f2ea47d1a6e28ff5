import { z } from "zod";
import { findNamedChain, nameInAnswers } from "../../../domain/chains/named-chains.ts";
import { formatDecimal, type Micro } from "../../../domain/money.ts";
import { DecimalAmount } from "../../../domain/schemas.ts";
import { ChainName } from "../../../ports/chain/chain-key.ts";
import { defineTool, type Ports } from "../context.ts";
import { gatewayChainNames, resolveGatewayChain } from "../gateway-chains.ts";
import { type AskedChain, type ChainBalance, readChainBalances } from "../read-balances.ts";

const Stale = z.object({ chain: z.boolean(), operator: z.boolean(), since: z.string().nullable() });

const ChainAmounts = z.object({
  chain: ChainName,
  chainId: z.int(),
  available: DecimalAmount.describe("Available to gateway_transfer now"),
  pending: DecimalAmount.describe("Deposited, not final yet"),
  withdrawing: DecimalAmount,
  withdrawableAtBlock: z.string().optional(),
  inFlight: DecimalAmount.describe("In transit to another chain"),
  stale: Stale.optional().describe("Chains that did not answer; their amounts are as recorded at since"),
  differs: z
    .object({ onChain: DecimalAmount.optional(), atOperator: DecimalAmount.optional() })
    .optional()
    .describe("Chains where the contract's total or the Gateway operator's available amount differs from the record"),
});

export const gatewayBalance = defineTool({
  name: "gateway_balance",
  title: "Read the Gateway balance",
  summary: "Show your USDC in the Gateway, the unified balance across chains. For wallets, see check_treasury.",
  area: "treasury",
  effect: "read",
  price: 500n,
  payableWithoutKey: false,
  uses: ["usableChains", "gatewayEvents", "unifiedBalance", "stores", "clock", "chain"],
  input: z.strictObject({}),
  output: z.object({
    available: DecimalAmount,
    total: DecimalAmount.describe("Including pending, withdrawing and in transit"),
    chains: z.array(ChainAmounts).readonly(),
    asOf: z.string(),
    sandbox: z.boolean().describe("True: development money, on emulated chains that have the ids of real ones"),
  }),
  errors: {},
  example: () => ({}),

  async run(_input, ports) {
    const { unifiedBalance, clock, caller } = ports;
    const { environment } = caller;
    const asked = await listChains(ports, caller);
    const balances: ChainBalance[] = [];
    for (const [network, some] of Map.groupBy(asked, ({ name }) => findNamedChain(name)?.network)) {
      const operator = network === undefined ? undefined : unifiedBalance.of(environment, network);
      balances.push(...(await readChainBalances(ports, operator, caller, some)));
    }
    const sum = (amount: (balance: ChainBalance) => Micro): string =>
      formatDecimal(balances.reduce((total, one) => total + amount(one), 0n));
    return {
      available: sum(({ available }) => available),
      total: sum(({ available, pending, withdrawing, inFlight }) => available + pending + withdrawing + inFlight),
      chains: gatewayChainNames.flatMap((name) => {
        const known = findNamedChain(name);
        const balance = balances.find(({ key }) => key.chain === resolveGatewayChain(name));
        return known === undefined || balance === undefined
          ? []
          : [{ chain: nameInAnswers(name), chainId: known.chainId, ...describeBalance(balance) }];
      }),
      asOf: clock.now().toString(),
      sandbox: environment === "sandbox",
    };
  },
});

/** Those on which the tenant has a wallet: the others were never used, and have nothing. */
async function listChains(
  { chain: home, stores }: Pick<Ports, "chain" | "stores">,
  { tenantId, environment }: { tenantId: string; environment: "sandbox" | "production" },
): Promise<readonly (AskedChain & { name: string })[]> {
  const found = await Promise.all(
    gatewayChainNames.map(async (name) => {
      const key = { environment, chain: resolveGatewayChain(name) };
      const wallet = await stores.wallets.findTreasury(key, tenantId);
      const domain = findNamedChain(name)?.domain;
      if (wallet === undefined || domain === undefined) return [];
      return [{ name, key, domain, address: wallet.address, isHome: key.chain === home.key.chain }];
    }),
  );
  return found.flat();
}

function describeBalance({ stale, differing, withdrawalBlock, readAt, ...balance }: ChainBalance) {
  const { onChain, atOperator } = differing;
  return {
    available: formatDecimal(balance.available),
    pending: formatDecimal(balance.pending),
    withdrawing: formatDecimal(balance.withdrawing),
    inFlight: formatDecimal(balance.inFlight),
    ...(withdrawalBlock === undefined ? {} : { withdrawableAtBlock: withdrawalBlock.toString() }),
    ...(stale.chain || stale.operator ? { stale: { ...stale, since: readAt?.toString() ?? null } } : {}),
    ...(onChain === undefined && atOperator === undefined
      ? {}
      : {
          differs: {
            ...(onChain === undefined ? {} : { onChain: formatDecimal(onChain) }),
            ...(atOperator === undefined ? {} : { atOperator: formatDecimal(atOperator) }),
          },
        }),
  };
}
