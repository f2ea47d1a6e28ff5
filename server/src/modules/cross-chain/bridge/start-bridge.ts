import { newId, newTransferId } from "../../../domain/ids.ts";
import type { Micro } from "../../../domain/money.ts";
import type { Hex, TokenSymbol } from "../../../domain/tokens.ts";
import type { Clock } from "../../../ports/clock.ts";
import { mismatch, refuseStopped } from "../../treasury/index.ts";
import type { Ports, Stores } from "../context.ts";
import { keyOfStep, readTransferId, type Transfer } from "../transfers.ts";
import { BURN_PURPOSE } from "./bridge-legs.ts";
import type { BridgeTerms } from "./bridge-terms.ts";
import { burn } from "./burn-operation.ts";

type OpenChain = Awaited<ReturnType<Ports["usableChains"]["open"]>>;

interface AskedBridge {
  kind: string;
  tenantId: string;
  callId: string;
  source: OpenChain;
  target: OpenChain;
  amount: Micro;
}

interface BridgeRequest extends AskedBridge {
  /** The tenant's wallet on the source, and who receives on the target. */
  from: Hex;
  recipient: Hex;
  receivedToken: TokenSymbol;
  terms: BridgeTerms;
  detail: Transfer["detail"];
}

interface StartingPorts {
  stores: Stores;
  clock: Clock;
}

/**
 * Stores a transfer with its burn, deducts the money from the available balance and marks the call as undecided until it is burned, in one transaction.
 * Throws Failure as `sendOut` does.
 */
export async function startBridge({ stores, clock }: StartingPorts, request: BridgeRequest): Promise<Transfer> {
  const { kind, tenantId, callId, source, target, from, recipient, amount, terms, detail, receivedToken } = request;
  const { environment, chain } = source.chain.key;
  const now = clock.now();
  const id = newId("xfr_", now.epochMilliseconds);
  const transactionId = newTransferId(now);
  const { destinationDomain, maxFee, minFinality, expectedSeconds } = terms;
  const input = { token: "USDC" as const, from, amount, destinationDomain, recipient, maxFee, minFinality };
  const started = await stores.transaction(async ({ transfers, chainTransactions, ledger, effects }) => {
    const { transfer, isNew } = await transfers.insert({
      id,
      tenantId,
      environment,
      idempotencyKey: `${kind}:${callId}`,
      callId,
      kind,
      fromChain: chain,
      toChain: target.chain.key.chain,
      token: "USDC",
      recipient,
      amount,
      fee: null,
      received: null,
      receivedToken,
      steps: [{ step: "burn", chain, transactionId, txHash: null }],
      detail,
      expectedBy: now.add({ seconds: expectedSeconds }),
    });
    if (!isNew) return transfer;
    const stored = await chainTransactions.enqueue({
      environment,
      chain,
      id: transactionId,
      idempotencyKey: keyOfStep(id, "burn"),
      tenantId,
      callId,
      purpose: BURN_PURPOSE,
      operation: burn.of(input),
      result: { transferId: id },
    });
    refuseStopped(stored);
    await ledger.send({ tenantId, environment, chain, token: "USDC" }, amount, transactionId);
    await effects.open(callId);
    return transfer;
  });
  source.submission.wake();
  return started;
}

/** The transfer of an earlier call with the same Idempotency-Key. Throws `idempotency_mismatch` if it was another one. */
export async function findStartedBridge(
  { chainTransactions, transfers }: Pick<Stores, "chainTransactions" | "transfers">,
  { tenantId, callId, source, amount, kind, target }: AskedBridge,
): Promise<Transfer | undefined> {
  const { key } = source.chain;
  const stored = await chainTransactions.findOfRequest(key, callId);
  const id = stored === undefined ? undefined : readTransferId(stored.idempotencyKey);
  if (id === undefined) return undefined;
  const found = await transfers.find({ tenantId, environment: key.environment }, id);
  const isSame = found?.kind === kind && found.amount === amount && found.toChain === target.chain.key.chain;
  if (!isSame) throw mismatch();
  return found;
}
