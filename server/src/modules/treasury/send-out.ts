import { Failure } from "../../domain/errors.ts";
import type { Hex, TokenSymbol } from "../../domain/tokens.ts";
import { type DefinedOperation, isSameOperation } from "../../kernel/contracts/chain-operation.ts";
import type { Transaction } from "../../kernel/contracts/stores.ts";
import { type Chain, requireToken } from "../../ports/chain/chain.ts";
import type { ChainKey } from "../../ports/chain/chain-key.ts";
import type { ChainSubmission, ChainTransaction, EndedTransaction } from "../../ports/chain/chain-transactions.ts";
import { type BoundChains, buildConfirmedResult } from "../chain/index.ts";
import type { Stores } from "./context.ts";

export interface SendOutPorts {
  stores: Stores;
  chain: Pick<Chain, "key" | "chainId" | "tokens">;
  submission: ChainSubmission;
}

export interface SendOutRequest<Input = unknown> {
  tenantId: string;
  callId: string;
  /**
   * The same key is the same operation, however often it is requested. With the call's id in it, each call is a new operation,
   * except for calls with an Idempotency-Key: a repetition finds the stored one.
   */
  idempotencyKey: string;
  /** For example a tool's name. */
  purpose: string;
  /** The money it moves leaves the tenant's treasury wallet. */
  operation: DefinedOperation<Input>;
  input: Input;
  /** The tool's answer without `txHash`, `chainId` and `status`. */
  result: Readonly<Record<string, unknown>>;
  /** How long the call waits; the operation continues without it. */
  waitMilliseconds?: number | undefined;
  /** Whether the operation stored under the same Idempotency-Key is the one requested now. Default: both do the same. */
  isSame?: ((earlier: ChainTransaction) => boolean) | undefined;
  /** Why it had no effect, if its contract has reasons of its own. */
  explainRevert?: ((end: ChainTransaction) => Failure | undefined) | undefined;
  /** Stores more in the same transaction. */
  alongside?(transaction: Transaction, stored: ChainTransaction): Promise<void>;
}

export type SendOutAnswer =
  | { kind: "confirmed"; transaction: ChainTransaction; result: Record<string, unknown> }
  /** An earlier call's operation with the same key: nothing was done now. */
  | { kind: "replayed"; transaction: ChainTransaction; result: Record<string, unknown>; firstCallId: string | null };

/** Clients commonly give up on a call after a minute. */
const WAIT_MILLISECONDS = 40_000;

/** Errors for tools that send. */
export const sendOutErrors = {
  chain_not_available:
    "This network does not have the token or the contract. Nothing was done. Use USDC, or a sandbox key.",
  insufficient_balance: "The wallet's available balance is too low. Add the missing amount and call again.",
  settlement_stopped:
    "Payments are stopped until the operator has resolved a difference in the ledger. No money was moved; call again later.",
  transfer_in_progress:
    "The transfer is stored and will be carried out; its outcome is not known yet. Do not send it again, except with the same Idempotency-Key.",
  transfer_reverted: "The chain refused the transfer. No money was moved; it is available again.",
  recipient_blocked: "The token's issuer blocks the sender or the recipient. No money was moved.",
} as const;

/** For tools that pay from the treasury wallet. */
export const payingErrors = {
  insufficient_balance: "The treasury wallet lacks money; missingUsdc says how much. Add at least that and call again.",
  settlement_stopped: sendOutErrors.settlement_stopped,
} as const;

/**
 * Deducts the money from the available balance, stores the operation and marks the call as undecided, in one transaction; the
 * submitter then executes it, even if this process dies. Throws Failure with a code of `sendOutErrors`.
 */
export async function sendOut<Input>(ports: SendOutPorts, request: SendOutRequest<Input>): Promise<SendOutAnswer> {
  const { stores, chain, submission } = ports;
  const { key, chainId } = chain;
  const earlier =
    (await stores.chainTransactions.findByKey(key, request.idempotencyKey)) ??
    (await stores.chainTransactions.findOfRequest(key, request.callId));
  const wanted = request.operation.of(request.input);
  const { isSame = ({ operation }) => isSameOperation(operation, wanted) } = request;
  if (earlier !== undefined && !isSame(earlier)) throw mismatch();
  if (earlier === undefined) {
    const outgoing = request.operation.outgoing(wanted);
    if (outgoing !== undefined) requireToken(chain, outgoing.token);
  }
  const stored = earlier ?? (await storeOperation(stores, key, request));
  const says = { inProgress, reverted: (end: ChainTransaction) => request.explainRevert?.(end) ?? reverted(end) };
  const end = await awaitEnd(submission, stored, says, request.waitMilliseconds);
  const result = buildConfirmedResult(end, chainId, end.hash);
  return end.callId === request.callId
    ? { kind: "confirmed", transaction: end, result }
    : { kind: "replayed", transaction: end, result, firstCallId: end.callId };
}

/** Submits a stored operation and waits for it. Throws if its end is not known in time or it had no effect. */
export async function awaitEnd(
  submission: ChainSubmission,
  stored: ChainTransaction,
  says: { inProgress(stored: ChainTransaction): Failure; reverted(end: ChainTransaction): Failure },
  waitMilliseconds = WAIT_MILLISECONDS,
): Promise<EndedTransaction> {
  submission.wake();
  // A queued row was read a moment ago.
  const end = await submission.waitForEnd(stored.id, waitMilliseconds, stored.state === "queued");
  if (end === undefined) throw says.inProgress(stored);
  if (end.state === "reverted") throw says.reverted(end);
  return end;
}

/** Throws `settlement_stopped` while money stands still on this chain. */
export async function requireMoving(boundChains: Pick<BoundChains, "isStopped">, chain: ChainKey): Promise<void> {
  refuseStopped({ isStopped: await boundChains.isStopped(chain) });
}

/** The same for an operation that was stored just now. The error rolls it back. */
export function refuseStopped({ isStopped }: { isStopped: boolean }): void {
  if (isStopped) throw new Failure("settlement_stopped", { detail: sendOutErrors.settlement_stopped });
}

/** Throws `recipient_blocked` if the token's issuer blocks the recipient. */
export async function requireUnblocked(chain: Pick<Chain, "isBlocked">, token: TokenSymbol, to: Hex): Promise<void> {
  if (!(await chain.isBlocked(token, to))) return;
  throw new Failure("recipient_blocked", { detail: sendOutErrors.recipient_blocked });
}

async function storeOperation<Input>(
  stores: Stores,
  { environment, chain }: ChainKey,
  request: SendOutRequest<Input>,
): Promise<ChainTransaction> {
  const { tenantId, callId, idempotencyKey, purpose, result } = request;
  const operation = request.operation.of(request.input);
  return await stores.transaction(async (aggregates) => {
    const { chainTransactions, ledger, effects } = aggregates;
    const stored = await chainTransactions.enqueue({
      environment,
      chain,
      idempotencyKey,
      tenantId,
      callId,
      purpose,
      operation,
      result,
    });
    // Another call with the same key was first, and has paid for it.
    if (stored.callId !== callId) return stored;
    refuseStopped(stored);
    const outgoing = request.operation.outgoing(operation);
    if (outgoing !== undefined) {
      await ledger.send({ tenantId, environment, chain, token: outgoing.token }, outgoing.amount, stored.id);
    }
    await request.alongside?.(aggregates, stored);
    await effects.open(callId);
    return stored;
  });
}

export function mismatch(): Failure {
  return new Failure("idempotency_mismatch", {
    detail:
      "This Idempotency-Key was used with another request whose outcome was not known yet. Use a new key for a new request.",
  });
}

function inProgress({ id, hash }: ChainTransaction): Failure {
  return new Failure("transfer_in_progress", {
    detail: sendOutErrors.transfer_in_progress,
    extra: { transactionId: id, ...(hash === undefined ? {} : { txHash: hash }) },
    retryAfterSeconds: 10,
  });
}

function reverted({ id, hash, failure }: ChainTransaction): Failure {
  const code = /blacklist|blocked/i.test(failure ?? "") ? "recipient_blocked" : "transfer_reverted";
  return new Failure(code, {
    detail: sendOutErrors[code],
    extra: { transactionId: id, txHash: hash },
    cause: new Error(failure ?? "reverted"),
  });
}
