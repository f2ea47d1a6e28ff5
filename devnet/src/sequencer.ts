import { errorText } from "../../server/src/embedded/embedded-error.ts";
import type { ChainKeeper } from "./chain-keeper.ts";
import { BLOCK_GAS_LIMIT } from "./genesis.ts";
import { createHeldTransactions } from "./held.ts";
import { failure, INTERNAL_ERROR, INVALID_PARAMS, REJECTED, type RpcAnswer, type RpcCall } from "./json-rpc.ts";
import { blockOf, type Queued, quantityOf, queuedCountOf, queuedOf, resultOf } from "./node-answers.ts";
import type { NodeLane } from "./node-lane.ts";
import { bytesOf, gasLimitOf, hashOf, TRANSACTION_LIMIT_BYTES } from "./raw-transaction.ts";
import { checkMined, EMPTY_POOL, mineCalls, sendOf } from "./recover.ts";
import { LogFullError } from "./write-ahead-log.ts";

/**
 * Half of the block's limit: above it the fee of the next block would rise, and a busy chain would price its users out. One
 * transaction may ask for more and then has a block of its own.
 */
const GROUP_GAS = BLOCK_GAS_LIMIT / 2;
const GROUP_LIMIT = 500;
const HELD_LIMIT = 1_024;
const QUEUE_LIMIT = 10_000;
/** Idle for this long, a snapshot disturbs nobody. */
const IDLE_MS = 500;

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

/** Groups signed transactions into blocks. */
export interface Sequencer {
  /** Answers once the transaction is in a block that survives a kill, or is refused. */
  send(raw: unknown): Promise<RpcAnswer>;
  /** Finishes the group under way; what waits is refused. */
  stop(): Promise<void>;
}

/**
 * The order of things is what makes every acknowledged transaction durable and every replay identical: the node takes the group into
 * its empty pool and refuses what it must; what it took is logged, in the same order, and synced; only then it is mined; only then
 * anybody is answered; and the pool is emptied. So a block depends on nothing but the state before it and its record.
 *
 * @param onBroken the chain's state is unknown: end this process, the next start restores it from the log.
 */
export const createSequencer = (
  lane: NodeLane,
  chain: ChainKeeper,
  { nowMs, holdMs }: { nowMs(): number; holdMs: number },
  onBroken: (reason: string) => void,
): Sequencer => {
  const queue: Waiting[] = [];
  const inFlight = new Map<string, Promise<RpcAnswer>>();
  const held = createHeldTransactions<Waiting>(HELD_LIMIT);
  let wake = (): void => undefined;
  let stopping = false;

  const takeGroup = (): Waiting[] => {
    let gas = 0;
    let count = 0;
    for (const { gas: more } of queue) {
      if (count > 0 && (gas + more > GROUP_GAS || count >= GROUP_LIMIT)) break;
      gas += more;
      count += 1;
    }
    return queue.splice(0, count);
  };

  /** One that is in the chain already is a success told twice. */
  const refuse = async ({ bytes, settle }: Waiting, answer: RpcAnswer): Promise<void> => {
    const hash = hashOf(bytes);
    const receipt = resultOf(await lane.call("eth_getTransactionReceipt", hash));
    settle(receipt === null ? answer : { result: hash });
  };

  /** Offers the group to the node's pool, which is empty. */
  const offer = async (group: readonly Waiting[]): Promise<Accepted[]> => {
    const poolStatus: RpcCall = { method: "txpool_status", params: [] };
    const answers = await lane.calls([...group.map(({ raw }) => sendOf(raw)), poolStatus]);
    const accepted: Accepted[] = [];
    for (const [index, item] of group.entries()) {
      const answer = answers[index] ?? failure(INTERNAL_ERROR, "The node gave no answer.");
      if ("result" in answer && typeof answer.result === "string") accepted.push({ item, hash: answer.result });
      else await refuse(item, answer);
    }
    if (queuedCountOf(answers.at(-1)) === 0) return accepted;
    const queued = new Map(queuedOf(await lane.call("txpool_content")).map((one) => [one.hash, one]));
    return accepted.filter(({ item, hash }) => {
      const early = queued.get(hash);
      if (early !== undefined) hold(item, early);
      return early === undefined;
    });
  };

  const refuseEarly = (item: Waiting, nonce: number): void =>
    item.settle(failure(REJECTED, `nonce too high: transactions of this sender before nonce ${nonce} are missing`));

  const hold = (item: Waiting, { from, nonce }: Queued): void => {
    const deadlineMs = performance.now() + holdMs;
    if (!held.add({ item, from, nonce, deadlineMs })) refuseEarly(item, nonce);
  };

  /** What became possible goes first. */
  const releaseHeld = async (): Promise<void> => {
    const senders = held.senders();
    const counts = await lane.calls(
      senders.map((from) => ({ method: "eth_getTransactionCount", params: [from, "latest"] })),
    );
    queue.unshift(...senders.flatMap((from, index) => held.takeReady(from, quantityOf(counts[index]))));
  };

  const mine = async (accepted: readonly Accepted[]): Promise<void> => {
    const record = chain.nextRecord(
      accepted.map(({ item }) => item.raw),
      Math.floor(nowMs() / 1_000),
    );
    try {
      await chain.log(record);
    } catch (error) {
      if (!(error instanceof LogFullError)) throw error;
      resultOf(await lane.call(EMPTY_POOL.method, ...EMPTY_POOL.params));
      const refusal = failure(INTERNAL_ERROR, `The chain's log cannot be written (${error.message}).`);
      for (const { item } of accepted) item.settle(refusal);
      return;
    }
    const [mined, tip, emptied] = await lane.calls(mineCalls(record.timestamp));
    resultOf(mined);
    resultOf(emptied);
    const block = blockOf(tip);
    checkMined(block, record);
    chain.advance(record, block);
    const inBlock = new Set(block.transactions);
    for (const { item, hash } of accepted) {
      const dropped = failure(
        REJECTED,
        "transaction dropped: replaced, or not valid after the earlier ones of its block",
      );
      item.settle(inBlock.has(hash) ? { result: hash } : dropped);
    }
  };

  const runGroup = async (): Promise<void> => {
    const accepted = await offer(takeGroup());
    if (accepted.length > 0) await mine(accepted);
    else resultOf(await lane.call(EMPTY_POOL.method, ...EMPTY_POOL.params));
    if (held.nextDeadlineMs() !== undefined) await releaseHeld();
  };

  /** Until something is sent or a deadline passes; true when nothing came. */
  const rest = (limitMs: number | undefined): Promise<boolean> =>
    new Promise((resolve) => {
      const timer = limitMs === undefined ? undefined : setTimeout(() => resolve(true), limitMs);
      wake = () => {
        clearTimeout(timer);
        resolve(false);
      };
    });

  const restOrSnapshot = async (): Promise<void> => {
    const deadlineMs = held.nextDeadlineMs();
    const untilDeadlineMs = deadlineMs === undefined ? undefined : Math.max(0, deadlineMs - performance.now());
    const wantsSnapshot = chain.isSnapshotDue("idle");
    const isIdle = await rest(wantsSnapshot ? Math.min(IDLE_MS, untilDeadlineMs ?? IDLE_MS) : untilDeadlineMs);
    if (isIdle && wantsSnapshot) await chain.takeSnapshot(lane);
  };

  const run = async (): Promise<void> => {
    while (!stopping) {
      for (const { item, nonce } of held.takeOverdue(performance.now())) refuseEarly(item, nonce);
      if (queue.length === 0) await restOrSnapshot();
      else await runGroup();
      if (chain.isSnapshotDue("busy")) await chain.takeSnapshot(lane);
    }
    const refusal = failure(INTERNAL_ERROR, "The chain is stopping: look the transaction up and send it again.");
    for (const item of queue.splice(0)) item.settle(refusal);
    for (const { item } of held.takeAll()) item.settle(refusal);
  };
  const running = run().catch((error) => onBroken(errorText(error)));

  const enqueue = (raw: string, bytes: Buffer): Promise<RpcAnswer> => {
    const gas = gasLimitOf(bytes) ?? GROUP_GAS;
    const answered = new Promise<RpcAnswer>((settle) => void queue.push({ raw, bytes, gas, settle }));
    inFlight.set(raw, answered);
    void answered.then(() => inFlight.delete(raw));
    wake();
    return answered;
  };

  return {
    async send(value) {
      const bytes = bytesOf(value);
      if (bytes === undefined) return failure(INVALID_PARAMS, "A signed transaction is 0x and hexadecimal digits.");
      if (bytes.length > TRANSACTION_LIMIT_BYTES)
        return failure(REJECTED, "oversized data: a transaction has at most 128 KiB");
      if (stopping) return failure(INTERNAL_ERROR, "The chain is stopping.");
      const raw = `0x${bytes.toString("hex")}`;
      const twin = inFlight.get(raw);
      if (twin !== undefined) return twin;
      if (queue.length >= QUEUE_LIMIT) return failure(REJECTED, "txpool is full");
      return enqueue(raw, bytes);
    },
    async stop() {
      stopping = true;
      wake();
      await running;
    },
  };
};
