import { setTimeout as delay } from "node:timers/promises";
import { CHAIN_AWAY, Failure } from "../../domain/errors.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { CarriedOut, ChainEndings } from "../../kernel/chain-ending.ts";
import type { ChainReceipt } from "../../ports/chain.ts";
import type { ChainSigning, ChainSubmission, ChainTransaction } from "../../ports/chain-transactions.ts";
import { type FinishingPorts, finishCarriedOut, finishReverted } from "./finish-chain.ts";
import { createLauncher, DEFAULT_CHAIN_TIMING, type LaunchPorts, mayGoOn } from "./launch-chain.ts";
import { createTurnLoop, type Turn } from "./turn-loop.ts";

export interface ChainSubmitterOptions extends LaunchPorts, FinishingPorts {
  /** What else changes in the transaction that stores an end, by purpose. */
  endings?: ChainEndings;
}

export interface ChainSubmitter extends ChainSubmission {
  /** One turn over everything that is open; how many still are. Rejects when the network or the database is away. */
  runOnce(): Promise<number>;
  start(): void;
  /** Resolves when what is stored then and woken at once is taken up at once, or that takes long. */
  room(): Promise<void>;
  stop(): Promise<void>;
}

/** Waiting callers look for themselves so often, in case another process brings the end about. */
const LOOK_MS = 250;
const OPEN_AT_ONCE = 500;
const SIGNED_AT_ONCE = 32;
const SENT_AT_ONCE = 16;
/** Also so many are finished in one database transaction. */
const RECEIPTS_AT_ONCE = 32;

/**
 * Brings every stored operation to its end: signs it, broadcasts it, reads its receipt and closes the books. Safe in several
 * processes at once and after a crash between any two steps: each step is taken under the row's state, what is signed is never
 * signed again under another nonce while it can still be in a block, and a second broadcast is harmless.
 */
export function createChainSubmitter(options: ChainSubmitterOptions): ChainSubmitter {
  const { chain, operations, sender, stores, log } = options;
  const { chainTransactions } = stores;
  const timing = { ...DEFAULT_CHAIN_TIMING, ...options.timing };
  const launcher = createLauncher(options);
  const waiting = new Map<string, Set<(end: ChainTransaction | undefined) => void>>();
  const withdrawnAt = new Map<string, number>();
  /** What a turn works on, so that turns beside it leave it alone. */
  const inHand = new Set<string>();
  /** Steps that rows have taken: while they do, the next look comes at once. */
  let moves = 0;

  async function finish(transaction: ChainTransaction, receipt: ChainReceipt, failure?: string): Promise<void> {
    if (failure === undefined) {
      await finishAll([{ transaction, receipt }]);
      return;
    }
    const end = { state: "reverted", receipt, failure } as const;
    const isMine = await finishReverted(options, transaction, end, options.endings ?? {});
    forget(transaction);
    if (!isMine) return;
    const { id: transactionId, purpose } = transaction;
    log.warn({ transactionId, hash: receipt.hash, purpose, failure }, "chain transaction had no effect");
    const { hash, block } = receipt;
    announce({ ...transaction, state: "reverted", failure, hash, blockNumber: block.number });
  }

  async function finishAll(carriedOut: readonly CarriedOut[]): Promise<void> {
    const finished = await finishCarriedOut(options, carriedOut, options.endings ?? {});
    for (const { transaction } of carriedOut) forget(transaction);
    for (const { transaction, receipt } of finished) {
      log.info({ transactionId: transaction.id, hash: receipt.hash }, "chain transaction confirmed");
      const { hash, block } = receipt;
      announce({ ...transaction, state: "confirmed", failure: undefined, hash, blockNumber: block.number });
    }
  }

  function forget(transaction: ChainTransaction): void {
    launcher.forget(transaction);
    withdrawnAt.delete(transaction.id);
  }

  function announce(end: ChainTransaction): void {
    moves += 1;
    for (const wake of waiting.get(end.id) ?? []) wake(end);
  }

  async function findReceipt({ hash, earlierHashes }: ChainTransaction): Promise<ChainReceipt | undefined> {
    for (const candidate of [...(hash === undefined ? [] : [hash]), ...earlierHashes]) {
      const receipt = await chain.receipt(candidate);
      if (receipt !== undefined) return receipt;
    }
    return undefined;
  }

  /** Looks for the end of one that was broadcast. Answers one that was carried out, which is finished together with others. */
  async function settle(transaction: ChainTransaction, hash: Hex): Promise<CarriedOut | undefined> {
    if (transaction.step === "withdraw") {
      await settleWithdrawal(transaction, hash);
      return undefined;
    }
    const receipt = await findReceipt(transaction);
    if (receipt !== undefined && operations.of(transaction.operation).isCarriedOut(transaction.operation, receipt))
      return { transaction, receipt };
    if (receipt !== undefined) await settleWithoutEffect(transaction, hash, receipt);
    else if (await launcher.isLost(transaction, () => findReceipt(transaction))) await requeue(transaction, hash);
    return undefined;
  }

  async function settleWithoutEffect(transaction: ChainTransaction, hash: Hex, receipt: ChainReceipt): Promise<void> {
    const isEarlier = receipt.hash !== hash;
    // Asked before the authorization: had the later one used its nonce, its effect would be there.
    const mayHaveEffect = isEarlier && (await sender.relayerNonce()) <= (transaction.nonce ?? 0);
    const authorization = await sender.authorization(transaction);
    if (authorization.kind === "done") {
      log.warn({ transactionId: transaction.id }, "an operation was carried out by somebody else's transaction");
      await finish(transaction, authorization.receipt);
      return;
    }
    // Nothing keeps what was sent later from its effect: its own receipt decides.
    if (mayHaveEffect && authorization.kind === "none") return;
    const failure = await sender.explain(transaction, receipt);
    // What somebody else has signed is theirs to withdraw: it stays open until it expires, and can be tried again.
    const isOurs = operations.of(transaction.operation).outgoing(transaction.operation) !== undefined;
    const isOver = authorization.kind !== "open" || !isOurs;
    if (isOver) await finish(transaction, receipt, failure);
    else if (await chainTransactions.requeue(transaction.id, hash, "withdraw", failure)) {
      moves += 1;
      log.warn({ transactionId: transaction.id, failure }, "an operation had no effect and is withdrawn");
    }
  }

  /** Only when nobody can use the authorization any more is the operation's money given back. */
  async function settleWithdrawal(transaction: ChainTransaction, hash: Hex): Promise<void> {
    const authorization = await sender.authorization(transaction);
    if (authorization.kind === "done") {
      await finish(transaction, authorization.receipt);
      return;
    }
    const receipt = await findReceipt({ ...transaction, hash: undefined });
    if (authorization.kind === "void" && receipt !== undefined) {
      await finish(transaction, receipt, transaction.failure ?? "withdrawn");
      return;
    }
    const withdrawal = await chain.receipt(hash);
    if (authorization.kind === "void" && withdrawal !== undefined) {
      await finish(transaction, withdrawal, transaction.failure ?? "withdrawn");
    } else if (withdrawal !== undefined) {
      const since = withdrawnAt.get(transaction.id) ?? performance.now();
      withdrawnAt.set(transaction.id, since);
      if (performance.now() - since < timing.withdrawAgainMs) return;
      withdrawnAt.delete(transaction.id);
      await requeue(transaction, hash);
    } else if (await launcher.isLost(transaction, () => chain.receipt(hash))) await requeue(transaction, hash);
  }

  async function requeue(transaction: ChainTransaction, hash: Hex): Promise<void> {
    await chainTransactions.raiseNonce(sender.relayerWalletId, await sender.relayerNonce());
    const { id, step } = transaction;
    if (!(await chainTransactions.requeue(id, hash, step))) return;
    launcher.forget(transaction);
    log.warn({ transactionId: id, step, nonce: transaction.nonce }, "a chain transaction gets another nonce");
  }

  /** Over what no other turn has in hand. */
  async function takeTurn(): Promise<Turn> {
    const before = moves;
    const [listed, isStopped] = await Promise.all([
      chainTransactions.listOpen(chain.network, OPEN_AT_ONCE),
      launcher.isStopped(),
    ]);
    const open = listed.filter(({ id }) => !inHand.has(id));
    for (const { id } of open) inHand.add(id);
    try {
      await bringOn(open, isStopped);
      return { open: open.length, moved: moves > before };
    } finally {
      for (const { id } of open) inHand.delete(id);
    }
  }

  async function bringOn(open: readonly ChainTransaction[], isStopped: boolean): Promise<void> {
    const signed = open.filter(({ state }) => state === "signed");
    const queued = open.filter((one) => one.state === "queued" && (!isStopped || mayGoOn(operations, one)));
    signed.push(...(await signAll(queued.slice(0, SIGNED_AT_ONCE))));
    signed.sort((left, right) => (left.nonce ?? 0) - (right.nonce ?? 0));
    const away = await sendAll(signed);
    await settleAll(signed);
    if (away !== undefined) throw away;
  }

  async function signAll(queued: readonly ChainTransaction[]): Promise<readonly ChainTransaction[]> {
    if (queued.length === 0) return [];
    // Asked again, as it is later than what was listed.
    const [isStopped, ...prepared] = await Promise.all([
      launcher.isStopped(),
      ...queued.map(async (transaction) => ({
        signing: await eachAlone(transaction, () => launcher.prepare(transaction)),
        mayGoOn: mayGoOn(operations, transaction),
      })),
    ]);
    const admitted = prepared.filter((one) => !isStopped || one.mayGoOn);
    const signings = admitted.flatMap(({ signing }) => signing ?? []);
    if (signings.length === 0) return [];
    const fresh = await signTogether(queued, signings);
    moves += fresh.length;
    return fresh;
  }

  /** One by one where that fails: the one that cannot be signed must not keep the others. */
  async function signTogether(
    queued: readonly ChainTransaction[],
    signings: readonly ChainSigning[],
  ): Promise<readonly ChainTransaction[]> {
    try {
      return await launcher.sign(signings);
    } catch (error) {
      if (isNetworkAway(error) || options.isTransient(error)) throw error;
      const fresh: ChainTransaction[] = [];
      for (const transaction of queued) {
        const own = signings.filter(({ id }) => id === transaction.id);
        fresh.push(...((await eachAlone(transaction, () => launcher.sign(own))) ?? []));
      }
      return fresh;
    }
  }

  async function settleAll(signed: readonly ChainTransaction[]): Promise<void> {
    for (let index = 0; index < signed.length; index += RECEIPTS_AT_ONCE) {
      const some = signed.slice(index, index + RECEIPTS_AT_ONCE);
      const found = await Promise.all(
        some.map((transaction) =>
          eachAlone(transaction, async () =>
            transaction.hash === undefined ? undefined : await settle(transaction, transaction.hash),
          ),
        ),
      );
      const carriedOut = found.filter((one) => one !== undefined);
      if (carriedOut.length > 0) await finishTogether(carriedOut);
    }
  }

  /** One by one where that fails: the one that cannot be finished must not keep the others. */
  async function finishTogether(carriedOut: readonly CarriedOut[]): Promise<void> {
    try {
      await finishAll(carriedOut);
    } catch (error) {
      if (isNetworkAway(error) || options.isTransient(error)) throw error;
      for (const one of carriedOut) await eachAlone(one.transaction, () => finishAll([one]));
    }
  }

  /** Returns why not all could be sent: a node that takes transactions without saying so may still tell what became of them. */
  async function sendAll(signed: readonly ChainTransaction[]): Promise<Failure | undefined> {
    const send = (transaction: ChainTransaction): Promise<Failure | undefined> =>
      eachAlone(transaction, () => launcher.send(transaction)).then(
        () => undefined,
        (error: unknown) => {
          if (isNetworkAway(error)) return error;
          throw error;
        },
      );
    // In the order of their nonces, and yet together: a node answers when a block is made, and takes many into one.
    for (let index = 0; index < signed.length; index += SENT_AT_ONCE) {
      const answers = await Promise.all(signed.slice(index, index + SENT_AT_ONCE).map(send));
      const away = answers.find((answer) => answer !== undefined);
      if (away !== undefined) return away;
    }
    return undefined;
  }

  /** One row's trouble must not keep the others; a network that is away concerns them all. */
  async function eachAlone<Result>(
    transaction: ChainTransaction,
    work: () => Promise<Result>,
  ): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      if (isNetworkAway(error) || options.isTransient(error)) throw error;
      launcher.complain(transaction, error);
      return undefined;
    }
  }

  const loop = createTurnLoop({
    turn: takeTurn,
    timing,
    onFailure: (error) => log.warn({ err: error, network: chain.network }, "chain transactions wait"),
  });

  return {
    async runOnce() {
      const { open } = await takeTurn();
      const left = (await chainTransactions.listOpen(chain.network, 1)).length;
      return left === 0 ? 0 : Math.max(left, open);
    },
    start: loop.start,
    wake: loop.wake,
    room: loop.room,
    stop: loop.stop,
    async waitForEnd(id, timeoutMs) {
      const deadline = performance.now() + timeoutMs;
      const { promise, resolve } = Promise.withResolvers<ChainTransaction | undefined>();
      const wakers = waiting.get(id) ?? new Set();
      waiting.set(id, wakers.add(resolve));
      try {
        for (;;) {
          const transaction = await chainTransactions.get(id);
          if (transaction?.state === "confirmed" || transaction?.state === "reverted") return transaction;
          const left = deadline - performance.now();
          if (left <= 0) return undefined;
          const looking = new AbortController();
          const late = delay(Math.min(left, LOOK_MS), undefined, { signal: looking.signal }).catch(() => undefined);
          const end = await Promise.race([promise, late]);
          looking.abort();
          if (end !== undefined) return end;
        }
      } finally {
        wakers.delete(resolve);
        if (wakers.size === 0) waiting.delete(id);
      }
    },
  };
}

function isNetworkAway(error: unknown): error is Failure {
  return error instanceof Failure && error.code === CHAIN_AWAY;
}
