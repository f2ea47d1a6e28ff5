import { type BridgeNetwork, findChainById, findNamedChain } from "../../domain/chains/named-chains.ts";
import { CHAIN_AWAY, Failure } from "../../domain/errors.ts";
import type { Micro } from "../../domain/money.ts";
import type { ByChain, Chains } from "../../kernel/contracts/by-chain.ts";
import type { Chain } from "../../ports/chain/chain.ts";
import { type ChainKey, nameEvmChain } from "../../ports/chain/chain-key.ts";
import type { ChainSubmission } from "../../ports/chain/chain-transactions.ts";
import { NO_ROOM, type OpenedChain } from "../../ports/chain/opened-chain.ts";
import type { Environment } from "../../ports/identity.ts";
import type { Stores } from "./context.ts";
import type { ChainOpener } from "./opening/chain-opener.ts";

declare module "../../kernel/contracts/tool.ts" {
  interface ModulePorts {
    "chain.usableChains": UsableChains;
  }
}

/** A chain that answers, with its part of this process that sends. */
interface UsableChain {
  readonly chain: Chain;
  readonly submission: ChainSubmission;
  /** As the interface names it, otherwise by CAIP-2. */
  readonly name: string;
  readonly chainId: number;
  /** Its number in the bridge and the Gateway; undefined: it has none. */
  readonly domain: number | undefined;
  /** Which attestation service and which Gateway know it. */
  readonly network: BridgeNetwork;
  /** A development chain with a real chain's id: answers say so. */
  readonly isEmulated: boolean;
}

/** The chains of the caller's environment, for tools that name one. */
export interface UsableChains {
  /** By CAIP-2: the home chain first, also those that do not answer now. Without development chains that are opened on demand. */
  readonly names: readonly string[];
  /** Whether there are development chains that are opened on demand. */
  readonly opensMore: boolean;
  /** `names`, and the development chains on which the tenant has a wallet. */
  listWithWallet(tenantId: string): Promise<readonly string[]>;
  /** By CAIP-2. Throws Failure `chain_not_available`: retryable if the chain is configured and does not answer. */
  at(name: string): { chain: Chain; submission: ChainSubmission };
  /**
   * By CAIP-2 or a name of the interface. A development chain starts when it is first used, with its contracts. The tenant, if given,
   * has a wallet there, and on a development chain test money. Throws Failure `chain_not_available`, retryable if it may work later.
   */
  open(name: string, tenantId?: string): Promise<UsableChain>;
  /** By CAIP-2: what the tenant's wallet there gets of each token at its first use. Undefined: nothing, as it is no further development chain. */
  testMoneyAt(name: string): Micro | undefined;
  /** Keeps a development chain running while something is in flight on it. */
  hold(name: string, until: Temporal.Instant): Promise<void>;
}

interface UsableParts {
  chains: Chains;
  stores: Pick<Stores, "wallets">;
  submitters: ByChain<ChainSubmission>;
  chainOpener: ChainOpener;
}

const AGAIN_SECONDS = 10;
/** Networks of the interface that are none of the EVM. */
const OTHER_NETWORKS: ReadonlySet<string> = new Set(["Solana", "Solana_Devnet", "SOL", "SOL-DEVNET"]);

export function createUsableChains(
  { chains, stores, submitters, chainOpener }: UsableParts,
  environment: Environment,
): UsableChains {
  const names = chains.keys.filter((key) => key.environment === environment).map(({ chain }) => chain);

  function find(name: string) {
    const key = { environment, chain: name };
    const opened = chains.at(key);
    const submission = submitters.at(key);
    if (opened !== undefined && submission !== undefined) return { opened, submission };
    throw names.includes(name) ? refuseSilentChain(name) : refuseUnknownChain(name, names);
  }

  /** The development chain, opened. */
  async function openDevelopment(key: ChainKey, tenantId: string | undefined) {
    const used = await chainOpener.open(key);
    if (used === undefined) throw refuseSilentChain(key.chain);
    if (tenantId !== undefined) await chainOpener.equip(key, used, tenantId);
    return { opened: used.opened, submission: used.submitter };
  }

  const opensMore = chains.onDemand.some((key) => key.environment === environment);
  return {
    names,
    opensMore,
    async listWithWallet(tenantId) {
      if (!opensMore) return names;
      return [...new Set([...names, ...(await stores.wallets.listTreasuryChains(environment, tenantId))])];
    },
    at(name) {
      const { opened, submission } = find(name);
      return { chain: opened.chain, submission };
    },
    async open(name, tenantId) {
      const key = resolveName(name, environment);
      try {
        const found = chainOpener.serves(key) ? await openDevelopment(key, tenantId) : find(key.chain);
        return describeChain(found.opened, found.submission);
      } catch (error) {
        throw error instanceof Failure && error.code === CHAIN_AWAY ? refuseSilentChain(name, error) : error;
      }
    },
    testMoneyAt: (name) => chainOpener.testMoneyAt({ environment, chain: name }),
    hold: (name, until) => chainOpener.hold(resolveName(name, environment), until),
  };
}

function describeChain({ chain, isLive }: OpenedChain, submission: ChainSubmission): UsableChain {
  const { chainId, crossChain } = chain;
  const known = findChainById(chainId);
  return {
    chain,
    submission,
    name: known?.name ?? chain.key.chain,
    chainId,
    domain: crossChain.domain,
    network: known?.network ?? "mainnet",
    isEmulated: !isLive,
  };
}

/** A name of the interface, or one by CAIP-2. */
function resolveName(name: string, environment: Environment): ChainKey {
  const known = findNamedChain(name);
  if (known === undefined && OTHER_NETWORKS.has(name)) {
    throw new Failure("chain_not_available", {
      detail: `${name} is not supported: the service has wallets and contracts on EVM chains only. Nothing was done.`,
    });
  }
  return { environment, chain: known === undefined ? name : nameEvmChain(known.chainId) };
}

function refuseSilentChain(name: string, cause?: Failure): Failure {
  const why =
    cause?.detail === NO_ROOM
      ? `The chain ${name} has no room to run: ${NO_ROOM.charAt(0).toLowerCase()}${NO_ROOM.slice(1)}`
      : `The chain ${name} does not answer at the moment.`;
  return new Failure("chain_not_available", {
    detail: `${why} Nothing was done; call again later.`,
    retryAfterSeconds: AGAIN_SECONDS,
    cause,
  });
}

function refuseUnknownChain(name: string, names: readonly string[]): Failure {
  return new Failure("chain_not_available", {
    detail: `This service does not use the chain ${name}. It uses ${names.join(", ")}. Nothing was done.`,
  });
}

/** The names of the interface by which callers of the environment can name chains. A chain without such a name has its CAIP-2 id. */
export function listChainNames({ keys, onDemand }: Pick<Chains, "keys" | "onDemand">, environment: Environment) {
  return [...keys, ...onDemand].flatMap((key) =>
    key.environment === environment
      ? [findChainById(Number(key.chain.replace(/^eip155:/, "")))?.name ?? key.chain]
      : [],
  );
}
