import type { Archive } from "./archive.ts";
import type { ChainKeeper } from "./chain-keeper.ts";
import { errorText } from "./error-text.ts";
import { BLOCK_GAS_LIMIT } from "./genesis.ts";
import { createHeldTransactions } from "./held.ts";
import { failure, INTERNAL_ERROR, INVALID_PARAMS, REJECTED, type RpcAnswer, type RpcCall } from "./json-rpc.ts";
import {
  parseBlock,
  parseQuantity,
  parseQueued,
  parseQueuedCount,
  type Queued,
  requireResult,
} from "./node-answers.ts";
import type { NodeLane } from "./node-lane.ts";
import { hashTransaction, parseBytes, readGasLimit, TRANSACTION_LIMIT_BYTES } from "./raw-transaction.ts";
import { buildSend, checkMined, EMPTY_POOL, mineCalls } from "./recover.ts";
import type { Renewal } from "./renewal.ts";
import { LogFullError } from "./write-ahead-log.ts";

/**
 * Half of the block's limit: above it the fee of the next block would rise, and a busy chain would price its users out. One
 * transaction may ask for more and then has a block of its own.
 */
const GROUP_GAS = BLOCK_GAS_LIMIT / 2;
const GROUP_LIMIT = 500;
const HELD_LIMIT = 1_024;
const QUEUE_LIMIT = 10_000;
/** Idle for this long, a snapshot or a fresh node disturbs nobody. */
const IDLE_MILLISECONDS = 500;

interface Waiting {
  raw: string;
  bytes: Buffer;
  gas: number;
  settle(answer: RpcAnswer): void;
}

interface Accepted {
  item: Waiting;
  hash: string;
}

const refuseEarly = (item: Waiting, nonce: number): void =>
  item.settle(failure(REJECTED, `nonce too high: transactions of this sender before nonce ${nonce} are missing`));

interface SequencerParts {
  /** The node that answers now. */
  node: { readonly lane: NodeLane };
  chain: ChainKeeper;
  archive: Pick<Archive, "findPlace">;
  renewal: Pick<Renewal, "isWanted" | "isDue" | "renew">;
}

/**
 * Groups signed transactions into blocks. The order of steps makes every acknowledged transaction durable and every
 * replay identical: the node takes the group into its empty pool and refuses invalid ones; the accepted ones are logged
 * in the same order and synced; only then are they mined and answered; and the pool is emptied. So a block depends only
 * on the state before it and its record.
 */
export class Sequencer {
  readonly #parts: SequencerParts;
  readonly #timing: { nowMilliseconds(): number; holdMilliseconds: number };
  readonly #running: Promise<void>;
  readonly #queue: Waiting[] = [];
  readonly #inFlight = new Map<string, Promise<RpcAnswer>>();
  readonly #held = createHeldTransactions<Waiting>(HELD_LIMIT);
  #wake = (): void => undefined;
  #stopping = false;

  /** @param onBroken the chain's state is unknown: end this process, the next start restores it from the log. */
  constructor(
    parts: SequencerParts,
    timing: { nowMilliseconds(): number; holdMilliseconds: number },
    onBroken: (reason: string) => void,
  ) {
    this.#parts = parts;
    this.#timing = timing;
    this.#running = this.#run().catch((error) => onBroken(errorText(error)));
  }

  /** Answers once the transaction is in a block that survives a kill, or is refused. */
  async send(value: unknown): Promise<RpcAnswer> {
    const bytes = parseBytes(value);
    if (bytes === undefined) return failure(INVALID_PARAMS, "A signed transaction must be 0x and hexadecimal digits.");
    if (bytes.length > TRANSACTION_LIMIT_BYTES)
      return failure(REJECTED, "oversized data: a transaction has at most 128 KiB");
    if (this.#stopping) return failure(INTERNAL_ERROR, "The chain is stopping.");
    const raw = `0x${bytes.toString("hex")}`;
    const twin = this.#inFlight.get(raw);
    if (twin !== undefined) return twin;
    if (this.#queue.length >= QUEUE_LIMIT) return failure(REJECTED, "txpool is full");
    return this.#enqueue(raw, bytes);
  }

  /** Finishes the current group; waiting transactions are refused. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#wake();
    await this.#running;
  }

  #takeGroup(): Waiting[] {
    let gas = 0;
    let count = 0;
    for (const { gas: more } of this.#queue) {
      if (count > 0 && (gas + more > GROUP_GAS || count >= GROUP_LIMIT)) break;
      gas += more;
      count += 1;
    }
    return this.#queue.splice(0, count);
  }

  /** One that is in the chain already is a success told twice. */
  async #refuse({ bytes, settle }: Waiting, answer: RpcAnswer): Promise<void> {
    const hash = hashTransaction(bytes);
    const receipt = requireResult(await this.#parts.node.lane.call("eth_getTransactionReceipt", hash));
    const isMined = receipt !== null || this.#parts.archive.findPlace(hash) !== undefined;
    settle(isMined ? { result: hash } : answer);
  }

  /** Offers the group to the node's pool, which is empty. */
  async #offer(group: readonly Waiting[]): Promise<Accepted[]> {
    const poolStatus: RpcCall = { method: "txpool_status", params: [] };
    const answers = await this.#parts.node.lane.calls([...group.map(({ raw }) => buildSend(raw)), poolStatus]);
    const accepted: Accepted[] = [];
    for (const [index, item] of group.entries()) {
      const answer = answers[index] ?? failure(INTERNAL_ERROR, "The node did not answer.");
      if ("result" in answer && typeof answer.result === "string") accepted.push({ item, hash: answer.result });
      else await this.#refuse(item, answer);
    }
    if (parseQueuedCount(answers.at(-1)) === 0) return accepted;
    const queued = new Map(
      parseQueued(await this.#parts.node.lane.call("txpool_content")).map((one) => [one.hash, one]),
    );
    return accepted.filter(({ item, hash }) => {
      const early = queued.get(hash);
      if (early !== undefined) this.#hold(item, early);
      return early === undefined;
    });
  }

  #hold(item: Waiting, { from, nonce }: Queued): void {
    const deadlineMilliseconds = performance.now() + this.#timing.holdMilliseconds;
    if (!this.#held.add({ item, from, nonce, deadlineMilliseconds })) refuseEarly(item, nonce);
  }

  /** Transactions that became valid go first. */
  async #releaseHeld(): Promise<void> {
    const senders = this.#held.senders();
    const counts = await this.#parts.node.lane.calls(
      senders.map((from) => ({ method: "eth_getTransactionCount", params: [from, "latest"] })),
    );
    this.#queue.unshift(...senders.flatMap((from, index) => this.#held.takeReady(from, parseQuantity(counts[index]))));
  }

  async #mine(accepted: readonly Accepted[]): Promise<void> {
    const record = this.#parts.chain.nextRecord(
      accepted.map(({ item }) => item.raw),
      Math.floor(this.#timing.nowMilliseconds() / 1_000),
    );
    try {
      await this.#parts.chain.log(record);
    } catch (error) {
      if (!(error instanceof LogFullError)) throw error;
      requireResult(await this.#parts.node.lane.call(EMPTY_POOL.method, ...EMPTY_POOL.params));
      const refusal = failure(INTERNAL_ERROR, `The chain's log cannot be written (${error.message}).`);
      for (const { item } of accepted) item.settle(refusal);
      return;
    }
    const [mined, tip, emptied] = await this.#parts.node.lane.calls(mineCalls(record.timestamp));
    requireResult(mined);
    requireResult(emptied);
    const block = parseBlock(tip);
    checkMined(block, record);
    this.#parts.chain.advance(record, block);
    const inBlock = new Set(block.transactions);
    for (const { item, hash } of accepted) {
      const dropped = failure(
        REJECTED,
        "transaction dropped: replaced, or not valid after the earlier ones of its block",
      );
      item.settle(inBlock.has(hash) ? { result: hash } : dropped);
    }
  }

  async #runGroup(): Promise<void> {
    const accepted = await this.#offer(this.#takeGroup());
    if (accepted.length > 0) await this.#mine(accepted);
    else requireResult(await this.#parts.node.lane.call(EMPTY_POOL.method, ...EMPTY_POOL.params));
    if (this.#held.nextDeadlineMilliseconds() !== undefined) await this.#releaseHeld();
  }

  /** Until something is sent or a deadline passes; true when nothing came. */
  #rest(limitMilliseconds: number | undefined): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = limitMilliseconds === undefined ? undefined : setTimeout(() => resolve(true), limitMilliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve(false);
      };
    });
  }

  async #restOrTidy(): Promise<void> {
    const deadlineMilliseconds = this.#held.nextDeadlineMilliseconds();
    const untilDeadlineMilliseconds =
      deadlineMilliseconds === undefined ? undefined : Math.max(0, deadlineMilliseconds - performance.now());
    const { node, chain, renewal } = this.#parts;
    const wantsSnapshot = chain.isSnapshotDue("idle");
    const isIdle = await this.#rest(
      wantsSnapshot || renewal.isWanted()
        ? Math.min(IDLE_MILLISECONDS, untilDeadlineMilliseconds ?? IDLE_MILLISECONDS)
        : untilDeadlineMilliseconds,
    );
    if (!isIdle) return;
    if (renewal.isDue("idle")) await renewal.renew();
    else if (wantsSnapshot) await chain.takeSnapshot(node.lane);
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      for (const { item, nonce } of this.#held.takeOverdue(performance.now())) refuseEarly(item, nonce);
      if (this.#queue.length === 0) await this.#restOrTidy();
      else await this.#runGroup();
      if (this.#parts.renewal.isDue("busy")) await this.#parts.renewal.renew();
      else if (this.#parts.chain.isSnapshotDue("busy")) await this.#parts.chain.takeSnapshot(this.#parts.node.lane);
    }
    const refusal = failure(INTERNAL_ERROR, "The chain is stopping: look the transaction up and send it again.");
    for (const item of this.#queue.splice(0)) item.settle(refusal);
    for (const { item } of this.#held.takeAll()) item.settle(refusal);
  }

  #enqueue(raw: string, bytes: Buffer): Promise<RpcAnswer> {
    const gas = readGasLimit(bytes) ?? GROUP_GAS;
    const answered = new Promise<RpcAnswer>((settle) => void this.#queue.push({ raw, bytes, gas, settle }));
    this.#inFlight.set(raw, answered);
    void answered.then(() => this.#inFlight.delete(raw));
    this.#wake();
    return answered;
  }
}
