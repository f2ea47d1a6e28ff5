import type { Chains } from "../../../kernel/contracts/by-chain.ts";
import { isDatabaseAway } from "../../../platform/database/transient.ts";
import type { Chain } from "../../../ports/chain/chain.ts";
import type { ChainKey } from "../../../ports/chain/chain-key.ts";
import type { GatewayEvent } from "../../../ports/chain/gateway-reader.ts";
import type { Log } from "../../../ports/log.ts";
import { findWalletOwner } from "../../chain/index.ts";
import type { Stores } from "../context.ts";
import type { OwnedEvent } from "./gateway-books.ts";

declare module "../../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    readonly "gateway.gatewayEvents": GatewayEvents;
  }
}
declare module "../../../kernel/contracts/tool.ts" {
  interface ModulePorts {
    "gateway.gatewayEvents": GatewayEvents;
  }
}

interface ReaderOptions {
  chains: Pick<Chains, "keys" | "onDemand" | "at">;
  /** Opens a further development chain. */
  open(key: ChainKey): Promise<unknown>;
  stores: Stores;
  log: Log;
}

type GatewayEvents = ReturnType<typeof createGatewayEvents>;

/** Behind one address may be several nodes, and a lagging one lacks events of the newest blocks. */
const LIVE_LAG_BLOCKS = 20n;
const ASK_AGAIN_MILLISECONDS = 30_000;

const nameKey = ({ environment, chain }: ChainKey): string => `${environment} ${chain}`;

/** Reads the events of the wallet contracts into the books. Safe in several processes at once. */
export function createGatewayEvents(options: ReaderOptions) {
  const { chains, stores } = options;
  const { gatewayBooks, gatewayIntents, gatewayWithdrawals, boundChains, wallets } = stores;
  /** Chains whose Gateway nobody has used. */
  const unusedUntil = new Map<string, number>();
  const openBehind = createBehindOpener(options);

  /** Does nothing on a chain without a Gateway, or whose Gateway nobody has used. */
  async function readTo(chain: Chain, block: bigint): Promise<void> {
    const wallet = chain.crossChain.gateway?.wallet;
    const reading = wallet === undefined ? undefined : await gatewayBooks.reading(chain.key);
    if (wallet === undefined || reading === undefined || block <= reading.block) return;
    const events = await chain.gateway.events(wallet, reading.block + 1n, block);
    const unsettled = events.length === 0 ? [] : await gatewayIntents.listUnsettledDeposits(chain.key);
    const owned = await ownEvents(chain, events);
    // A deposit that looks like one of a transfer, in a transaction that is not known as its own yet, is read once it is settled.
    const unclear = owned.find(
      ({ event, reserved }) =>
        event.kind === "deposited" &&
        reserved === undefined &&
        event.sender === event.depositor &&
        unsettled.some(({ from, amount }) => from === event.depositor && amount === event.value),
    );
    const last = unclear === undefined ? block : unclear.event.blockNumber - 1n;
    if (last <= reading.block) return;
    let isFirst = true;
    try {
      await stores.transaction(async (aggregates) => {
        const known = owned.filter(({ event }) => event.blockNumber <= last);
        isFirst = await aggregates.gatewayBooks.advance(chain.key, reading.block, last, known);
        if (!isFirst) return;
        const burned = known.flatMap(({ transferId }) => transferId ?? []);
        await aggregates.gatewayIntents.markBurned(burned);
        await aggregates.transfers.wake(burned);
      });
    } catch (error) {
      if (!isDatabaseAway(error)) await stopChain(options, chain, error);
      throw error;
    }
    // Whoever was first may not have read as far.
    if (!isFirst) await readTo(chain, block);
  }

  async function ownEvents({ key }: Chain, events: readonly GatewayEvent[]): Promise<readonly OwnedEvent[]> {
    const byAddress = await wallets.findByAddress(
      key,
      events.map(({ depositor }) => depositor),
    );
    const listHashes = (kind: GatewayEvent["kind"]) =>
      events.flatMap((event) => (event.kind === kind ? [event.transactionHash] : []));
    const [withdrawals, deposits, intents] = await Promise.all([
      gatewayWithdrawals.findByHashes(key, listHashes("withdrawal_initiated")),
      gatewayIntents.findDeposits(key, listHashes("deposited")),
      gatewayIntents.findBySpecs(
        key,
        events.flatMap((event) => (event.kind === "burned" ? [event.specHash] : [])),
      ),
    ]);
    return events.flatMap((event): OwnedEvent[] => {
      const owner = findWalletOwner(byAddress.get(event.depositor));
      if (owner?.kind !== "treasury") return [];
      const { tenantId } = owner;
      if (event.kind === "burned") {
        const intent = intents.get(event.specHash);
        return [{ event, tenantId, reserved: intent?.reserved, transferId: intent?.transferId }];
      }
      const isReserved =
        (event.kind === "withdrawal_initiated" && withdrawals.has(event.transactionHash)) ||
        (event.kind === "deposited" && deposits.has(event.transactionHash));
      return [{ event, tenantId, reserved: isReserved ? event.value : undefined }];
    });
  }

  /** As far as the ledger has read the chain. Whether another process has begun is asked now and then. */
  async function readIndexed(chain: Chain): Promise<void> {
    const name = nameKey(chain.key);
    const at = performance.now();
    if (chain.crossChain.gateway === undefined || at < (unusedUntil.get(name) ?? 0)) return;
    if ((await gatewayBooks.reading(chain.key)) === undefined) {
      unusedUntil.set(name, at + ASK_AGAIN_MILLISECONDS);
      return;
    }
    const indexed = (await boundChains.get(chain.key))?.indexed.number;
    if (indexed === undefined) return;
    await readTo(chain, chain.environment === "sandbox" ? indexed : indexed - LIVE_LAG_BLOCKS);
  }

  return {
    /** From now on this chain is read. Call it before money can enter its Gateway. */
    async begin(chain: Chain): Promise<void> {
      if ((await gatewayBooks.reading(chain.key)) !== undefined) return;
      // Contracts of a development chain have no history but ours.
      const from = chain.environment === "sandbox" ? 0n : (await chain.head()).number;
      await gatewayBooks.begin(chain.key, from);
      unusedUntil.delete(nameKey(chain.key));
    },

    /** For an answer that should know of what happened up to that block. A live chain is read a little later. */
    async catchUp(chain: Chain, block: bigint | undefined): Promise<void> {
      if (block !== undefined && chain.environment === "sandbox") await readTo(chain, block);
    },

    /** Every chain that is open. One that does not answer keeps no other from being read. */
    async readAll(): Promise<void> {
      await openBehind();
      const opened = [...chains.keys, ...chains.onDemand].flatMap((key) => chains.at(key)?.chain ?? []);
      const outcomes = await Promise.allSettled(opened.map(readIndexed));
      const failure = outcomes.find((outcome) => outcome.status === "rejected");
      if (failure !== undefined) throw failure.reason;
    },
  };
}

async function stopChain(
  { stores, log }: Pick<ReaderOptions, "stores" | "log">,
  { key }: Chain,
  error: unknown,
): Promise<void> {
  const reason = "An event of the Gateway does not fit the books.";
  if (!(await stores.boundChains.stop(key, reason))) return;
  log.error({ err: error, network: key.environment, chain: key.chain }, reason);
}

/**
 * Opens the chains whose events are not in these books although their blocks are in the ledger, once after a start: a process may have
 * died between the two.
 */
function createBehindOpener({ chains, open, stores, log }: ReaderOptions): () => Promise<void> {
  let isDone = chains.onDemand.length === 0;
  return async () => {
    if (isDone) return;
    const behind = await stores.gatewayBooks.listBehind("sandbox");
    const closed = chains.onDemand.filter((key) => behind.includes(key.chain) && chains.at(key) === undefined);
    for (const outcome of await Promise.allSettled(closed.map(open))) {
      if (outcome.status === "fulfilled") continue;
      log.warn({ err: outcome.reason }, "events of the Gateway wait until their chain can be opened");
    }
    isDone = closed.every((key) => chains.at(key) !== undefined);
  };
}
