import { newId, newTransferId } from "../../../domain/ids.ts";
import { formatDecimal, type Micro } from "../../../domain/money.ts";
import type { Hex } from "../../../domain/tokens.ts";
import { keyOfStep, type Transfer } from "../../cross-chain/index.ts";
import { refuseStopped, requireMoving } from "../../treasury/index.ts";
import type { Ports } from "../context.ts";
import { requireGateway } from "../gateway-chains.ts";
import { deposit } from "../operations/deposit.ts";
import { writeDetail } from "./transfer-detail.ts";
import { DEPOSIT_PURPOSE, GATEWAY } from "./transfer-kind.ts";

type OpenChain = Awaited<ReturnType<Ports["usableChains"]["open"]>>;

interface TransferRequest {
  tenantId: string;
  callId: string;
  source: OpenChain;
  target: OpenChain;
  from: Hex;
  recipient: Hex;
  amount: Micro;
  /** The most that the operator may take on top. */
  maxFee: Micro;
}

const EMULATED_SECONDS = 30;
const LIVE_SECONDS = 60;
/** Until a deposit is final for the operator. */
const DEPOSIT_SECONDS = 20 * 60;

export function expectSeconds({ isEmulated }: Pick<OpenChain, "isEmulated">, hasDeposit: boolean): number {
  return isEmulated ? EMULATED_SECONDS : LIVE_SECONDS + (hasDeposit ? DEPOSIT_SECONDS : 0);
}

/**
 * Stores a transfer and sets its money aside in one transaction: what the Gateway has available, and the rest as a deposit out of the
 * wallet. Throws Failure as `sendOut` does.
 */
export async function startTransfer(
  { stores, clock, random, gatewayEvents }: Pick<Ports, "stores" | "clock" | "random" | "gatewayEvents">,
  { tenantId, callId, source, target, from, recipient, amount, maxFee }: TransferRequest,
): Promise<Transfer> {
  const { environment, chain } = source.chain.key;
  const { wallet } = requireGateway(source.chain);
  const purse = { environment, chain, tenantId, token: "USDC" } as const;
  const now = clock.now();
  const id = newId("xfr_", now.epochMilliseconds, random);
  const depositId = newTransferId(now);
  await requireMoving(stores.boundChains, source.chain.key);
  await gatewayEvents.begin(source.chain);
  const started = await stores.transaction(async (aggregates) => {
    const need = amount + maxFee;
    const reserved = await aggregates.gatewayBooks.reserve(purse, need, id);
    const missing = need - reserved;
    const seconds = expectSeconds(source, missing > 0n);
    const { transfer } = await aggregates.transfers.insert({
      id,
      tenantId,
      environment,
      idempotencyKey: `${GATEWAY}:${callId}`,
      callId,
      kind: GATEWAY,
      fromChain: chain,
      toChain: target.chain.key.chain,
      token: "USDC",
      recipient,
      amount,
      fee: null,
      received: null,
      receivedToken: "USDC",
      steps: missing === 0n ? [] : [{ step: "deposit", chain, transactionId: depositId, txHash: null }],
      detail: writeDetail({ from, maxFee, deposited: missing, refusedMints: 0 }),
      expectedBy: now.add({ seconds }),
    });
    await aggregates.gatewayIntents.insert({
      transferId: id,
      environment,
      chain,
      depositId: missing === 0n ? null : depositId,
      reserved: need,
    });
    if (missing > 0n) {
      const stored = await aggregates.chainTransactions.enqueue({
        environment,
        chain,
        id: depositId,
        idempotencyKey: keyOfStep(id, "deposit"),
        tenantId,
        // The outcome of the call follows from the operator's attestation.
        callId: null,
        purpose: DEPOSIT_PURPOSE,
        operation: deposit.of({ token: "USDC", from, wallet, amount: missing }),
        result: { transferId: id, deposited: formatDecimal(missing) },
      });
      refuseStopped(stored);
      await aggregates.ledger.send(purse, missing, depositId);
    }
    await aggregates.effects.open(callId);
    return transfer;
  });
  source.submission.wake();
  await stores.transfers.wake([id]);
  return started;
}
