import { z } from "zod";
import { Failure } from "../../../domain/errors.ts";
import { newTransferId } from "../../../domain/ids.ts";
import { formatDecimal, type Micro } from "../../../domain/money.ts";
import { StoredInteger } from "../../../domain/stored-fields.ts";
import {
  advanceBridge,
  defineTransferKind,
  followStep,
  keyOfStep,
  type Transfer,
  type TransferMove,
  type TransferParts,
} from "../../cross-chain/index.ts";
import type { Parts } from "../context.ts";
import { openPool } from "../open-pool.ts";
import { QUOTE_SECONDS, quoteErrors, quoteSwap } from "../quote.ts";
import { readReceived } from "../read-received.ts";
import { swap } from "../swap-operation.ts";

export const SWAP_AND_BRIDGE = "swap_and_bridge";
export const BRIDGED_SWAP_PURPOSE = "bridged_swap";

const SWAP_STEP = "swap";
const STOPPED_AGAIN_MILLISECONDS = 10_000;

/** The members that the swap keeps with a transfer. */
const SwapDetail = z.object({ minimum: StoredInteger });

/** The least of the other token that the caller was shown: with less, the money stays what it is. */
export function writeMinimum(minimum: Micro): Transfer["detail"] {
  return { swap: z.encode(SwapDetail, { minimum }) };
}

export function readMinimum({ detail }: Pick<Transfer, "detail">): Micro | undefined {
  return SwapDetail.safeParse(detail.swap).data?.minimum;
}

export type SwapAndBridgeParts = TransferParts & Pick<Parts, "fx">;

/** USDC of a tenant's wallet on another chain, exchanged into EURC where it arrives. */
export const swapAndBridgeKind = (parts: SwapAndBridgeParts) =>
  defineTransferKind({
    kind: SWAP_AND_BRIDGE,
    async advance(transfer) {
      if (transfer.status !== "minted") return await advanceBridge(parts, transfer, "minted");
      const hasBegun = transfer.steps.some(({ step }) => step === SWAP_STEP);
      return hasBegun ? await followSwap(parts, transfer) : await beginSwap(parts, transfer);
    },
  });

async function beginSwap(parts: SwapAndBridgeParts, transfer: Transfer): Promise<TransferMove> {
  const { stores, clock, portsFor } = parts;
  const { tenantId, environment, recipient, received: amount, id } = transfer;
  const minimum = readMinimum(transfer);
  const ports = portsFor(environment);
  if (amount === null || minimum === undefined) throw new Error(`the transfer ${id} has no amounts to swap`);
  if (ports === undefined) {
    throw new Failure("chain_not_available", { detail: `The ${environment} environment is switched off.` });
  }
  const pool = await openPool({ chain: ports.chain, usableChains: ports.usableChains, stores });
  const { key } = pool.chain;
  const quote = await quoteSwap(parts, environment, pool.terms, { token: "USDC", amount }).catch((error: unknown) => {
    if (error instanceof Failure && isOfPool(error)) return error;
    throw error;
  });
  if (quote instanceof Failure) return keepDollars(transfer, quote.detail ?? quote.code);
  const { amountOut } = quote;
  if (amountOut < minimum) {
    const [paid, least] = [formatDecimal(amountOut), formatDecimal(minimum)];
    return keepDollars(transfer, `The pool would pay ${paid} EURC now, less than the ${least} EURC that were shown.`);
  }
  if ((await stores.boundChains.get(key))?.stoppedBecause !== undefined) {
    const because = "Payments are stopped. The swap follows once they resume.";
    return { kind: "wait", because, milliseconds: STOPPED_AGAIN_MILLISECONDS };
  }
  const purse = { ...key, tenantId, token: "USDC" } as const;
  if ((await stores.ledger.balance(purse)).available < amount) {
    return keepDollars(transfer, "The wallet now has less than that available.");
  }
  const now = clock.now();
  const transactionId = newTransferId(now);
  return {
    kind: "move",
    to: "minted",
    change: { steps: [...transfer.steps, { step: SWAP_STEP, chain: key.chain, transactionId, txHash: null }] },
    async apply({ chainTransactions, ledger }) {
      await chainTransactions.enqueue({
        ...key,
        id: transactionId,
        idempotencyKey: keyOfStep(id, SWAP_STEP),
        tenantId,
        // The outcome of a call follows from its burn.
        callId: null,
        purpose: BRIDGED_SWAP_PURPOSE,
        operation: swap.of({
          token: "USDC",
          amount,
          from: recipient,
          pool: pool.address,
          rate: quote.poolRate,
          minimum,
          deadline: BigInt(Math.floor(now.epochMilliseconds / 1000) + QUOTE_SECONDS),
        }),
        result: undefined,
      });
      await ledger.send(purse, amount, transactionId);
    },
    stored: () => pool.submission.wake(),
  };
}

async function followSwap(parts: SwapAndBridgeParts, transfer: Transfer): Promise<TransferMove> {
  const { transaction, steps } = await followStep(parts, transfer, SWAP_STEP);
  if (transaction.state === "reverted") {
    return keepDollars({ ...transfer, steps }, `The pool refused the swap (${transaction.failure ?? "reverted"}).`);
  }
  const { hash } = transaction;
  const ports = parts.portsFor(transfer.environment);
  if (transaction.state !== "confirmed" || hash === undefined || ports === undefined) return { kind: "wait" };
  const input = swap.read(transaction.operation);
  if (input === undefined) throw new Error(`the transaction ${hash} is no swap`);
  const received = await readReceived(ports.chain, hash, { ...input, toToken: "EURC" });
  return { kind: "move", to: "completed", change: { steps, received } };
}

/** Nothing is lost and nothing is undone without the caller: the answer says where the money is. */
function keepDollars(transfer: Transfer, why: string): TransferMove {
  const amount = formatDecimal(transfer.received ?? 0n);
  const waiting = `The money was bridged but not swapped: ${amount} USDC are in your treasury wallet. ${why} Swap them with swap_tokens, or keep them as USDC.`;
  return { kind: "move", to: "failed", change: { steps: transfer.steps, receivedToken: "USDC", waiting } };
}

function isOfPool({ code }: Failure): boolean {
  return code === "invalid_input" || Object.hasOwn(quoteErrors, code);
}
