import { Failure } from "../../domain/errors.ts";
import type { Micro } from "../../domain/money.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { ChainKey } from "../../ports/chain/chain-key.ts";
import type { UnifiedBalance } from "../../ports/chain/unified-balance.ts";
import type { Environment } from "../../ports/identity.ts";
import type { GatewayBalance } from "../ledger/index.ts";
import type { Ports } from "./context.ts";
import { findGateway } from "./gateway-chains.ts";

type ReadingPorts = Pick<Ports, "usableChains" | "gatewayEvents"> & {
  stores: Pick<Ports["stores"], "gatewayBooks" | "ledger" | "wallets">;
};
type Operator = Pick<UnifiedBalance, "readBalances" | "readDomains">;

/** A chain on which the tenant may have money in the Gateway. */
export interface AskedChain {
  key: ChainKey;
  domain: number;
  address: Hex;
  /** Whether it is asked even where the books say that nothing is there: a parked chain is not woken for that. */
  isHome: boolean;
}

/** The contract's view, at the block up to which the books go. */
interface OnChain {
  total: Micro;
  booked: Micro;
  withdrawalBlock: bigint;
}

interface AtOperator {
  available: Micro;
  /** The last block that this includes. Undefined: it does not say. */
  height: bigint | undefined;
}

export interface ChainBalance extends AskedChain {
  available: Micro;
  /** Deposited, and not final for the operator yet. */
  pending: Micro;
  withdrawing: Micro;
  inFlight: Micro;
  withdrawalBlock: bigint | undefined;
  /** When the books were last brought up to date. Undefined: never, as there was nothing. */
  readAt: Temporal.Instant | undefined;
  /** The amounts are those of the books, as the chain or the operator gives no answer. */
  stale: { chain: boolean; operator: boolean };
  /** Amounts that the contract or the operator gives, where they differ. */
  differing: { onChain?: Micro; atOperator?: Micro };
}

const NOTHING: GatewayBalance = { available: 0n, reserved: 0n, withdrawing: 0n };

/** The tenant's balances by the books, compared with the contracts and with the operator. */
export async function readChainBalances(
  ports: ReadingPorts,
  operator: Operator | undefined,
  tenant: { tenantId: string; environment: Environment },
  asked: readonly AskedChain[],
): Promise<readonly ChainBalance[]> {
  const { ledger, gatewayBooks } = ports.stores;
  const before = await ledger.inGateway(tenant);
  const [views, told] = await Promise.all([
    Promise.all(
      asked.map(async (one) => {
        const isEmpty = sumBalance(before.get(one.key.chain) ?? NOTHING) === 0n;
        return isEmpty && !one.isHome ? ("not asked" as const) : await readOnChain(ports, tenant.tenantId, one);
      }),
    ),
    askOperator(operator, asked),
  ]);
  const booked = await ledger.inGateway(tenant);
  return await Promise.all(
    asked.map(async (one, index) => {
      const view = views[index];
      const { available, reserved, withdrawing } = booked.get(one.key.chain) ?? NOTHING;
      const at = told?.get(one.domain);
      const purse = { ...one.key, tenantId: tenant.tenantId, token: "USDC" } as const;
      const late = at?.height === undefined ? 0n : await gatewayBooks.depositedAfter(purse, at.height);
      const pending = late < available ? late : available;
      const onChain = typeof view === "object" ? view : undefined;
      const counted = available - pending;
      return {
        ...one,
        available: counted,
        pending,
        withdrawing,
        inFlight: reserved,
        withdrawalBlock: withdrawing === 0n ? undefined : onChain?.withdrawalBlock,
        readAt: (await gatewayBooks.reading(one.key))?.at,
        stale: { chain: view === undefined, operator: at === undefined },
        differing: {
          ...(onChain === undefined || onChain.total === onChain.booked ? {} : { onChain: onChain.total }),
          ...(at === undefined || at.available === counted ? {} : { atOperator: at.available }),
        },
      };
    }),
  );
}

const sumBalance = ({ available, reserved, withdrawing }: GatewayBalance): Micro => available + reserved + withdrawing;

/** Undefined: the chain does not answer. */
async function readOnChain(
  { usableChains, gatewayEvents, stores }: ReadingPorts,
  tenantId: string,
  { key, address }: AskedChain,
): Promise<OnChain | "not asked" | undefined> {
  try {
    const { chain } = usableChains.at(key.chain);
    const gateway = findGateway(chain);
    if (gateway === undefined) return "not asked";
    await gatewayEvents.catchUp(chain, (await chain.head()).number);
    const custody = await stores.gatewayBooks.custody(key);
    if (custody === undefined) return "not asked";
    const [deposit] = await chain.gateway.deposits(gateway.wallet, [address], custody.block);
    if (deposit === undefined) return undefined;
    const total = deposit.available + deposit.withdrawing;
    return { total, booked: custody.tenants.get(tenantId) ?? 0n, withdrawalBlock: deposit.withdrawalBlock };
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/** By domain. Undefined: there is no operator, or it gives no clear answer. */
async function askOperator(
  operator: Operator | undefined,
  asked: readonly AskedChain[],
): Promise<ReadonlyMap<number, AtOperator> | undefined> {
  if (operator === undefined) return undefined;
  try {
    const heights = new Map((await operator.readDomains()).map((one) => [one.domain, one.processedHeight]));
    const found = new Map<number, AtOperator>();
    for (const [address, some] of Map.groupBy(asked, (one) => one.address)) {
      const domains = some.flatMap(({ domain }) => (heights.has(domain) ? [domain] : []));
      if (domains.length === 0) continue;
      for (const [domain, available] of await operator.readBalances(address, domains)) {
        found.set(domain, { available, height: heights.get(domain) });
      }
    }
    return found;
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
