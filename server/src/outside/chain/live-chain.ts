import {
  ChainSetupError,
  checkCrossChain,
  checkEscrowRoles,
  createEvmChain,
  deriveAddress,
  readIdentity,
  refuseWellKnownKey,
} from "../../adapters/evm/index.ts";
import { ConfigError } from "../../config/config.ts";
import { CHAIN_AWAY, Failure } from "../../domain/errors.ts";
import { type Hex, type TokenSymbol, tokenSymbols } from "../../domain/tokens.ts";
import { createFurtherEscrows } from "../../modules/chain/store-further-escrows.ts";
import { hasTripsInEscrow } from "../../modules/escrow/records/store-adopt-escrow.ts";
import type { BoundChain, ChainContracts } from "../../ports/chain/bound-chains.ts";
import { nameEvmChain } from "../../ports/chain/chain-key.ts";
import type { OpenedChain } from "../../ports/chain/opened-chain.ts";
import { safeConfirmations } from "../confirmations.ts";
import {
  bindChain,
  type ChainClient,
  type ChainParts,
  createChainClient,
  openChain,
  storeContracts,
} from "./open-chain.ts";

export interface LiveChainOptions extends ChainParts {
  contracts: ChainContracts;
  /** Undefined: the safe number for the chain. */
  confirmations: number | undefined;
  relayerKey: Hex;
  /** A chain besides the home chain, which the node must have. Undefined: the home chain. */
  further?: { chainId: number };
  /** How long to wait for a node that lags behind the one asked before a restart. */
  lagPatienceMilliseconds?: number;
}

const LIVE_LAG_PATIENCE_MILLISECONDS = 5_000;

/** Throws a one-line ConfigError if the configuration does not match the chain, or the database belongs to another chain. */
export async function openLiveChain(options: LiveChainOptions): Promise<OpenedChain> {
  const parts = createChainClient(options, false);
  const { client, boundChains, wallets, chainTransactions } = parts;
  const { clock, relayerKey, further, lagPatienceMilliseconds = LIVE_LAG_PATIENCE_MILLISECONDS } = options;
  const contracts = lowerContracts(options.contracts);
  const environment = "production";
  const findKnown = () =>
    further === undefined
      ? boundChains.findHome(environment)
      : boundChains.get({ environment, chain: nameEvmChain(further.chainId) });
  const open = async () => {
    refuseWellKnownKey(relayerKey);
    const { genesisHash, chainId } = await readIdentity(client);
    if (further !== undefined && further.chainId !== chainId) {
      throw new ConfigError(`Not started: the node at CHAIN_RPC_URL has chain id ${chainId}, not ${further.chainId}.`);
    }
    if ((await boundChains.findHome("sandbox"))?.genesisHash === genesisHash) {
      throw new ConfigError(
        "Not started: CHAIN_RPC_URL is this deployment's development chain. Set it to the live one.",
      );
    }
    // Before anything is stored: a configuration mistake must not bind the database to another chain.
    const current = sinceWhen(contracts, await findKnown());
    const confirmations = options.confirmations ?? safeConfirmations(chainId);
    const { tokens, crossChain = {} } = current;
    const domain = await checkCrossChain({ client, chainId, tokens, relayer: deriveAddress(relayerKey) }, crossChain);
    const chain = await createEvmChain({ environment, client, contracts: current, confirmations, clock, domain });
    await checkEscrowRoles(client, contracts.escrow, { operator: deriveAddress(relayerKey) });
    const state = await bindChain(parts, {
      environment,
      isHome: further === undefined,
      what: "the live chain (CHAIN_RPC_URL)",
      lagPatienceMilliseconds,
    });
    const stored = state.contracts?.tokens;
    // A token can be added later; one with money in the ledger stays.
    const isAnother = (token: TokenSymbol) =>
      stored?.[token] !== undefined && stored[token] !== contracts.tokens[token];
    if (stored !== undefined && tokenSymbols.some(isAnother)) {
      throw new ConfigError(
        `Not started: this database's money is in the tokens ${Object.values(stored).join(" and ")}, not in what CHAIN_USDC and CHAIN_EURC say. Set them back, or use another database.`,
      );
    }
    await requireNoTrips(parts, state, contracts.escrow);
    await requireNoFurther(parts, state, contracts.escrow);
    const relayer = await wallets.adopt(chain.key, "relayer", relayerKey);
    if (deriveAddress(relayerKey) !== relayer.address) {
      throw new ConfigError(
        `Not started: CHAIN_RELAYER_KEY_FILE does not contain the key of ${relayer.address}, which signed this database's pending transactions. Put that key back.`,
      );
    }
    const collection = await wallets.ensure(chain.key, "collection");
    await checkEscrowRoles(client, contracts.escrow, { serviceFeeRecipient: collection.address });
    await storeContracts(parts, chain, current, state.contracts);
    const opened = await openChain(parts, options, { chain, relayer, isLive: true });
    await chainTransactions.raiseNonce(relayer.id, await opened.sender.relayerNonce());
    const { address } = relayer;
    options.log.info({ chainId: chain.chainId, relayer: address, gas: await opened.sender.gasBalance() }, "live chain");
    return opened;
  };
  return await explained(open, further === undefined);
}

/** The blocks from which the ledger covers contracts that were added later. */
function sinceWhen(contracts: ChainContracts, known: BoundChain | undefined): ChainContracts {
  const before = known?.contracts;
  if (known === undefined || before === undefined) return contracts;
  const escrowSince = before.escrow === contracts.escrow ? before.escrowSince : undefined;
  const isFirstEurc = before.tokens.EURC === undefined && contracts.tokens.EURC !== undefined;
  const eurcSince = isFirstEurc ? Number(known.indexed.number) : before.eurcSince;
  return {
    ...contracts,
    ...(escrowSince === undefined ? {} : { escrowSince }),
    ...(eurcSince === undefined ? {} : { eurcSince }),
  };
}

/** Trips stay in the contract that holds their money. */
async function requireNoTrips(
  { db }: Pick<ChainClient, "db">,
  bound: BoundChain,
  escrow: Hex | undefined,
): Promise<void> {
  const before = bound.contracts?.escrow;
  if (before === undefined || before === escrow || !(await hasTripsInEscrow(db, bound, before))) return;
  throw new ConfigError(
    `Not started: trips of this database have money in the escrow ${before}, which CHAIN_ESCROW does not name. Set it back until they are over.`,
  );
}

/** The ledger has one account for the escrow of all tenants, and others for those of single ones. */
async function requireNoFurther(
  { db, clock }: Pick<ChainClient, "db" | "clock">,
  bound: BoundChain,
  escrow: Hex | undefined,
): Promise<void> {
  if (escrow === undefined || (await createFurtherEscrows(db, clock).find(bound, escrow)) === undefined) return;
  throw new ConfigError(
    `Not started: CHAIN_ESCROW names ${escrow}, which \`npm run chain -- allow-escrow\` has given to one tenant. Name another escrow.`,
  );
}

/** Every address of it in lower case. */
function lowerContracts<Value>(contracts: Value): Value {
  const lower = (_: string, value: unknown) => (typeof value === "string" ? value.toLowerCase() : value);
  return JSON.parse(JSON.stringify(contracts, lower));
}

/** A further chain may be away: the service starts without it. */
async function explained<Result>(work: () => Promise<Result>, mustAnswer: boolean): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ChainSetupError) throw new ConfigError(`Not started: ${error.message}`);
    if (mustAnswer && error instanceof Failure && error.code === CHAIN_AWAY) {
      throw new ConfigError("Not started: the live chain does not answer. Check CHAIN_RPC_URL and start again.");
    }
    throw error;
  }
}
