import { CHAIN_AWAY, Failure } from "../../../domain/errors.ts";
import type { Micro } from "../../../domain/money.ts";
import { tokenSymbols } from "../../../domain/tokens.ts";
import { type ByChain, type Chains, isSameChain } from "../../../kernel/contracts/by-chain.ts";
import type { ChainKey } from "../../../ports/chain/chain-key.ts";
import type { ChainTransaction } from "../../../ports/chain/chain-transactions.ts";
import type { OpenedChain } from "../../../ports/chain/opened-chain.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Log } from "../../../ports/log.ts";
import type { Stores } from "../context.ts";
import { appointMinter } from "../development/appoint-minter.ts";
import { mint } from "../development/mint-operation.ts";
import type { ChainIndexer } from "../following/index-chain.ts";
import type { TransactionIntent } from "../sending/chain-transactions.ts";
import type { ChainSubmitter } from "../sending/submit-chain.ts";

export interface ChainOpenerParts {
  chains: Chains;
  submitters: ByChain<ChainSubmitter>;
  indexers: ByChain<ChainIndexer>;
  stores: Stores;
  clock: Clock;
  processId: string;
  log: Log;
}

interface UsedChain {
  opened: OpenedChain;
  submitter: ChainSubmitter;
  indexer: ChainIndexer;
}

/** In `performance.now()`. */
interface Use {
  untilMilliseconds: number;
  heldUntilMilliseconds: number;
}

/** Every tenant has so much of each token on a further development chain. */
const TEST_MONEY: Micro = 10_000_000_000n;
/** How long a chain is read after it was used: longer than the pause between two comparisons with the books. */
const READ_AFTER_USE_MILLISECONDS = 45_000;
const END_LIMIT_MILLISECONDS = 15_000;
/** Renewed while something is in flight, so that a chain makes room soon after that. */
const LONGEST_HOLD_MILLISECONDS = 60_000;
const RENEW_MILLISECONDS = 30_000;
const AGAIN_SECONDS = 5;

/**
 * Opens development chains when they are first used, with everything that money needs there. What it starts for a chain asks its node
 * only while somebody uses it: a chain that nobody uses is parked.
 */
export class ChainOpener {
  readonly #parts: ChainOpenerParts;
  readonly #home: ChainKey | undefined;
  readonly #opening = new Map<string, Promise<UsedChain | undefined>>();
  readonly #ready = new Map<string, UsedChain>();
  readonly #uses = new Map<string, Use>();
  readonly #equipping = new Map<string, Promise<void>>();
  readonly #equipped = new Set<string>();
  /** The last blocks of parked chains: those that need no look at the books, and those that were not in the books at the last look. */
  readonly #settledTips = new Map<string, bigint>();
  readonly #unreadTips = new Map<string, bigint>();

  constructor(parts: ChainOpenerParts) {
    this.#parts = parts;
    const sandbox = parts.chains.home("sandbox");
    this.#home = sandbox?.development === undefined ? undefined : sandbox.chain.key;
  }

  /** Whether it is a development chain that has to be opened. */
  serves(key: ChainKey): boolean {
    const { onDemand } = this.#parts.chains;
    return [...onDemand, ...(this.#home === undefined ? [] : [this.#home])].some((one) => isSameChain(one, key));
  }

  /** The amount of each token that the tenant gets on the chain at the first use. Undefined: none. */
  testMoneyAt(key: ChainKey): Micro | undefined {
    const isFurther = this.#home === undefined || !isSameChain(key, this.#home);
    return isFurther && this.serves(key) ? TEST_MONEY : undefined;
  }

  /** Undefined: it does not answer. Rejects with Failure `chain_unavailable` if it did before, or if there is no room for it. */
  async open(key: ChainKey): Promise<UsedChain | undefined> {
    const used = this.#ready.get(key.chain) ?? (await once(this.#opening, key.chain, () => this.#prepare(key)));
    if (used?.opened.development?.parking === undefined) return used;
    this.#use(key, READ_AFTER_USE_MILLISECONDS);
    // Starts a parked node.
    await used.opened.chain.head();
    return used;
  }

  /** Gives the tenant a wallet and test money on a further chain, once. */
  async equip(key: ChainKey, { submitter }: UsedChain, tenantId: string): Promise<void> {
    const name = `${key.chain} ${tenantId}`;
    if (this.#equipped.has(name) || (this.#home !== undefined && isSameChain(key, this.#home))) return;
    await once(this.#equipping, name, async () => {
      const { address: to } = await this.#parts.stores.wallets.ensure(key, "treasury", tenantId);
      await this.#carryOut(
        submitter,
        tokenSymbols.map((token) => ({
          ...key,
          idempotencyKey: `development-money:${tenantId}:${token}`,
          tenantId,
          callId: null,
          purpose: "development_money",
          operation: mint.of({ token, to, amount: TEST_MONEY }),
          result: undefined,
        })),
      );
      this.#equipped.add(name);
    });
  }

  /** Keeps a chain running, and reads it, while something is in flight on it. */
  async hold(key: ChainKey, until: Temporal.Instant): Promise<void> {
    const { chains, clock, processId } = this.#parts;
    const parking = chains.at(key)?.development?.parking;
    const left = until.epochMilliseconds - clock.now().epochMilliseconds;
    if (parking === undefined || left <= 0) return;
    const milliseconds = Math.min(left, LONGEST_HOLD_MILLISECONDS);
    const use = this.#use(key, milliseconds);
    const now = performance.now();
    // One that ends earlier must not shorten it.
    if (use.heldUntilMilliseconds >= now + Math.min(milliseconds, RENEW_MILLISECONDS)) return;
    await parking.hold(processId, Math.ceil(milliseconds / 1_000));
    use.heldUntilMilliseconds = now + milliseconds;
  }

  /** The further chains that are used now. */
  listUsed(): readonly ChainKey[] {
    const now = performance.now();
    return this.#parts.chains.onDemand.filter(({ chain }) => (this.#uses.get(chain)?.untilMilliseconds ?? 0) > now);
  }

  /** Opens every further chain with transactions that have not ended, so that they do, also after a restart. */
  async openForRows(): Promise<void> {
    if (this.#home === undefined) return;
    const { chainTransactions } = this.#parts.stores;
    for (const chain of await chainTransactions.listOpenBeside(this.#home)) {
      const key = { environment: this.#home.environment, chain };
      if (!this.serves(key)) continue;
      const used = await this.#openIfPossible(key, "transactions wait until their chain can be opened");
      if (used === undefined) continue;
      await this.hold(key, this.#parts.clock.now().add({ milliseconds: LONGEST_HOLD_MILLISECONDS }));
      used.submitter.wake();
    }
  }

  /**
   * Opens the further chains that nobody uses and whose last blocks are not in the books: a process died before it had read them, or
   * somebody else has sent a transaction. A block counts as unread at the second look, as another process may be reading it.
   */
  async openUnread(): Promise<void> {
    if (this.#home === undefined) return;
    const { chains, stores } = this.#parts;
    const { environment } = this.#home;
    const used = new Set(this.listUsed().map(({ chain }) => chain));
    const tips = [...(await chains.readTips())].filter(
      ([chain, tip]) => !used.has(chain) && tip !== (this.#settledTips.get(chain) ?? 0n),
    );
    if (tips.length === 0) return;
    const indexed = await stores.boundChains.listIndexed(environment);
    for (const [chain, tip] of tips) {
      if ((indexed.get(chain) ?? tip) >= tip) this.#settledTips.set(chain, tip);
      else if (this.#unreadTips.get(chain) !== tip) this.#unreadTips.set(chain, tip);
      // Again after its use, if the database or the node was away all the time.
      else await this.#openIfPossible({ environment, chain }, "blocks wait until their chain can be opened");
    }
  }

  /** Reads new blocks of the chains that are used. Asking for the last block is no use of a chain. */
  async readUsed(): Promise<void> {
    for (const key of this.listUsed()) {
      const used = this.#ready.get(key.chain);
      if (used === undefined) continue;
      try {
        const tip = await used.opened.development?.parking?.readTip();
        if (tip === used.indexer.readTo) continue;
        while (await used.indexer.runOnce());
      } catch (error) {
        if (!(error instanceof Failure) || error.code !== CHAIN_AWAY) throw error;
      }
    }
  }

  async stop(): Promise<void> {
    const further = [...this.#ready.values()].filter(({ opened }) => opened.development?.parking !== undefined);
    await Promise.all(further.map(({ submitter }) => submitter.stop()));
  }

  async #prepare(key: ChainKey): Promise<UsedChain | undefined> {
    const { chains, submitters, indexers } = this.#parts;
    const opened = await chains.open(key);
    const submitter = submitters.at(key);
    const indexer = indexers.at(key);
    if (opened === undefined || submitter === undefined || indexer === undefined) return undefined;
    const used = { opened, submitter, indexer };
    if (opened.development?.parking !== undefined) {
      while (await indexer.runOnce());
      submitter.start();
    }
    await this.#carryOut(submitter, listDuties(opened));
    this.#ready.set(key.chain, used);
    return used;
  }

  async #openIfPossible(key: ChainKey, otherwise: string): Promise<UsedChain | undefined> {
    try {
      return await this.open(key);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#parts.log.warn({ err: error, chain: key.chain }, otherwise);
      return undefined;
    }
  }

  #use({ chain }: ChainKey, milliseconds: number): Use {
    const use = this.#uses.get(chain) ?? { untilMilliseconds: 0, heldUntilMilliseconds: 0 };
    use.untilMilliseconds = Math.max(use.untilMilliseconds, performance.now() + milliseconds);
    this.#uses.set(chain, use);
    return use;
  }

  /** Stores the transactions, of which each happens once, and waits for their ends. */
  async #carryOut(submitter: ChainSubmitter, intents: readonly TransactionIntent[]): Promise<void> {
    if (intents.length === 0) return;
    const { stores } = this.#parts;
    const stored = await stores.transaction(async ({ chainTransactions }) => {
      const rows: ChainTransaction[] = [];
      for (const intent of intents) rows.push(await chainTransactions.enqueue(intent));
      return rows;
    });
    submitter.wake();
    const deadline = performance.now() + END_LIMIT_MILLISECONDS;
    for (const row of stored) {
      const end = row.state === "confirmed" ? row : await submitter.waitForEnd(row.id, deadline - performance.now());
      if (end?.state === "confirmed") continue;
      throw new Failure(CHAIN_AWAY, {
        detail: "The chain is not ready yet. Nothing was done; call again later.",
        retryAfterSeconds: AGAIN_SECONDS,
        cause: new Error(`${row.idempotencyKey} is ${end?.state ?? "open"}: ${end?.failure}`),
      });
    }
  }
}

/** The issuer of the chain's tokens does this once, so that contracts can mint and the swap pool has money. */
function listDuties({ chain: { key }, development }: OpenedChain): readonly TransactionIntent[] {
  const { appointments = [], inventory = [] } = development ?? {};
  const shared = { ...key, tenantId: null, callId: null, purpose: "cross_chain_setup", result: undefined };
  return [
    ...appointments.map((appointment) => ({
      ...shared,
      idempotencyKey: `appoint:${appointment.token}:${appointment.minter}`,
      operation: appointMinter.of(appointment),
    })),
    ...inventory.map((money) => ({
      ...shared,
      idempotencyKey: `inventory:${money.token}:${money.to}`,
      operation: mint.of(money),
    })),
  ];
}

/** Work that runs once at a time for each name: whoever comes meanwhile waits for the same. */
async function once<Result>(
  running: Map<string, Promise<Result>>,
  name: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const mine = running.get(name) ?? work().finally(() => running.delete(name));
  running.set(name, mine);
  return await mine;
}
