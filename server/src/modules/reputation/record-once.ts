import { Failure } from "../../domain/errors.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { AgentRegistries } from "../../ports/chain/agent-registries.ts";
import type { Chain } from "../../ports/chain/chain.ts";
import type { ChainSubmission, ChainTransaction } from "../../ports/chain/chain-transactions.ts";
import { buildConfirmedResult } from "../chain/index.ts";
import type { SendOutAnswer } from "../treasury/index.ts";
import type { Aggregates, Stores } from "./context.ts";
import { registryErrors, registryWriteErrors } from "./errors.ts";
import { buildIntentKey, type RegistryPurpose } from "./registry-intents.ts";
import { type RegistryAction, registryEntry } from "./registry-operation.ts";

export interface RecordPorts {
  stores: Stores;
  chain: Pick<Chain, "chainId" | "key">;
  submission: ChainSubmission;
}

/** An entry that the registries take once, however often and by whomever it is requested. */
export interface RecordOnce<Stored extends { id: string }> {
  tenantId: string;
  callId: string;
  purpose: RegistryPurpose;
  /** Signs it. */
  from: Hex;
  action: RegistryAction;
  /** The tool's answer without `txHash`, `chainId` and `status`. */
  result: Readonly<Record<string, unknown>>;
  /** Stores the intent. Undefined: there is one already. */
  insert(aggregates: Aggregates): Promise<Stored | undefined>;
  /** The existing one; undefined: it has been removed again. */
  findEarlier(): Promise<Stored | undefined>;
  /** Throws when an earlier one, whose transaction has ended, differs from what this call requests. */
  requireSame(earlier: Stored, transaction: ChainTransaction): void;
  waitMilliseconds?: number | undefined;
}

/** Clients commonly give up on a call after a minute. */
const WAIT_MILLISECONDS = 40_000;
/** How often a call retries after the chain has refused the earlier entry. */
const MOST_ATTEMPTS = 3;

/**
 * Stores the record with its chain transaction's intent and marks the call as undecided, in one transaction; the submitter then
 * executes it, even if this process dies. Throws Failure with a code of `registryWriteErrors`.
 */
export async function recordOnce<Stored extends { id: string }>(
  ports: RecordPorts,
  request: RecordOnce<Stored>,
): Promise<SendOutAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    const own = await storeIntent(ports, request);
    const stored = own ?? (await request.findEarlier());
    const end = stored && (await awaitEnd(ports, request, stored.id));
    if (stored === undefined || end?.state === "reverted") {
      if (end !== undefined && (own !== undefined || attempt === MOST_ATTEMPTS)) throw refused(end);
      if (attempt === MOST_ATTEMPTS) throw inProgress();
      continue;
    }
    if (end === undefined) throw inProgress();
    if (own === undefined) request.requireSame(stored, end);
    const result = buildConfirmedResult(end, ports.chain.chainId, end.hash);
    return own === undefined
      ? { kind: "replayed", transaction: end, result, firstCallId: end.callId }
      : { kind: "confirmed", transaction: end, result };
  }
}

async function storeIntent<Stored extends { id: string }>(
  { stores, chain }: RecordPorts,
  { tenantId, callId, purpose, from, action, result, insert }: RecordOnce<Stored>,
): Promise<Stored | undefined> {
  return await stores.transaction(async (aggregates) => {
    const stored = await insert(aggregates);
    if (stored === undefined) return undefined;
    await aggregates.chainTransactions.enqueue({
      ...chain.key,
      idempotencyKey: buildIntentKey(purpose, stored.id),
      tenantId,
      callId,
      purpose,
      operation: registryEntry.of({ token: "USDC", from, action }),
      result,
    });
    await aggregates.effects.open(callId);
    return stored;
  });
}

/** Waits for a stored record's chain transaction to end. Undefined: timed out. */
export async function awaitEnd(
  { stores, chain, submission }: RecordPorts,
  {
    purpose,
    waitMilliseconds = WAIT_MILLISECONDS,
  }: { purpose: RegistryPurpose; waitMilliseconds?: number | undefined },
  id: string,
): Promise<ChainTransaction | undefined> {
  const transaction = await stores.chainTransactions.findByKey(chain.key, buildIntentKey(purpose, id));
  if (transaction === undefined) throw new Error(`${purpose} ${id} has no chain transaction`);
  submission.wake();
  return await submission.waitForEnd(transaction.id, waitMilliseconds);
}

export function requireRegistries({ agentRegistries }: Pick<Chain, "agentRegistries">): AgentRegistries {
  if (agentRegistries !== undefined) return agentRegistries;
  throw new Failure("chain_not_available", { detail: registryErrors.chain_not_available });
}

/** For validations, which a live chain may have no registry of. */
export function requireValidations(chain: Pick<Chain, "agentRegistries">) {
  const registries = requireRegistries(chain);
  const { validation } = registries.contracts;
  if (validation !== undefined) return { registries, validation };
  throw new Failure("chain_not_available", {
    detail: "This network has no registry of validations. Use a sandbox key.",
  });
}

export function inProgress(): Failure {
  return new Failure("step_in_progress", { detail: registryWriteErrors.step_in_progress, retryAfterSeconds: 10 });
}

function refused({ id, hash, failure }: ChainTransaction): Failure {
  return new Failure("registry_refused", {
    detail: registryWriteErrors.registry_refused,
    extra: { transactionId: id, txHash: hash },
    cause: new Error(failure ?? "reverted"),
  });
}
