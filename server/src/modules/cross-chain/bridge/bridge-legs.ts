import { newTransferId } from "../../../domain/ids.ts";
import type { Hex } from "../../../domain/tokens.ts";
import { backOff } from "../../../platform/leased-queue/back-off.ts";
import {
  type FollowedStep,
  followStep,
  holdChains,
  openChain,
  requireAttestations,
  type TransferParts,
} from "../transfer-chains.ts";
import type { TransferMove } from "../transfer-kind.ts";
import { keyOfStep, type Transfer, type TransferStep } from "../transfers.ts";
import { changeDetail, readDetail } from "./bridge-detail.ts";
import { burn } from "./burn-operation.ts";
import { mintBurned } from "./mint-operation.ts";

export const BURN_PURPOSE = "bridge_burn";
export const MINT_PURPOSE = "bridge_mint";

const ASK_AGAIN = { firstMilliseconds: 60, longestMilliseconds: 10_000 };
const MINT_AGAIN = { firstMilliseconds: 2_000, longestMilliseconds: 300_000 };
/**
 * The way of money over the bridge: burn, attestation, mint. `minted` is the status after the last of them: `completed`, or `minted` for
 * kinds that go on. Money that was burned is never burned again: whatever goes wrong afterwards waits and is tried again.
 */
export async function advanceBridge(
  parts: TransferParts,
  transfer: Transfer,
  minted: "minted" | "completed",
): Promise<TransferMove> {
  switch (transfer.status) {
    case "submitted":
      return await followBurn(parts, transfer);
    case "burned":
      return await askForAttestation(parts, transfer);
    case "attested":
      return await followMint(parts, transfer, minted);
    default:
      throw new Error(`a transfer that is ${transfer.status} is over the bridge`);
  }
}

async function followBurn(parts: TransferParts, transfer: Transfer): Promise<TransferMove> {
  const { transaction, steps } = await followStep(parts, transfer, "burn");
  if (transaction.state === "reverted") {
    const failure = transaction.failure ?? "reverted";
    const waiting = `The chain refused the burn (${failure}). No money was moved; it is available again.`;
    return { kind: "move", to: "failed", change: { steps, waiting } };
  }
  const { hash } = transaction;
  if (transaction.state !== "confirmed" || hash === undefined) return { kind: "wait" };
  const input = burn.read(transaction.operation);
  const source = await openChain(parts, transfer, transfer.fromChain);
  const transmitter = source.chain.crossChain.bridge?.transmitter;
  if (input === undefined || transmitter === undefined) throw new Error("the burn has no bridge");
  const sent = await source.chain.bridge.sentBurns(transmitter, hash);
  const found = sent.find(
    ({ destinationDomain, recipient, amount, maxFee }) =>
      destinationDomain === input.destinationDomain &&
      recipient === input.recipient &&
      amount === input.amount &&
      maxFee === input.maxFee,
  );
  if (found === undefined) throw new Error(`the transaction ${hash} burned and sent no message that says so`);
  return { kind: "move", to: "burned", change: { steps, detail: changeDetail(transfer, { burned: found.message }) } };
}

async function askForAttestation(parts: TransferParts, transfer: Transfer): Promise<TransferMove> {
  const { nextMintAt, burned } = readDetail(transfer);
  const pause = nextMintAt === undefined ? 0 : nextMintAt.since(parts.clock.now()).total("milliseconds");
  const because = transfer.waiting ?? undefined;
  if (pause > 0) return { kind: "wait", because, milliseconds: pause };
  const hash = transfer.steps.find(({ step }) => step === "burn")?.txHash;
  if (burned === undefined || !hash) throw new Error("a burned transfer has no message");
  const source = await openChain(parts, transfer, transfer.fromChain);
  if (source.domain === undefined) throw new Error(`${source.name} has no domain`);
  const attestations = requireAttestations(parts, transfer, source.network);
  const found = await attestations.find({ sourceDomain: source.domain, transactionHash: hash, message: burned });
  if (found.state !== "attested") {
    await holdChains(parts, transfer);
    return { kind: "wait", because, milliseconds: backOff(transfer.attempts + 1, ASK_AGAIN) };
  }
  const { message, attestation, nonce, fee, expirationBlock } = found;
  const detail = changeDetail(transfer, { message, attestation, nonce, expirationBlock });
  return { kind: "move", to: "attested", change: { fee, received: transfer.amount - fee, detail } };
}

async function followMint(
  parts: TransferParts,
  transfer: Transfer,
  minted: "minted" | "completed",
): Promise<TransferMove> {
  const mints = transfer.steps.filter(({ step }) => step === "mint").length;
  if (mints === (readDetail(transfer).refusedMints ?? 0)) return await beginMint(parts, transfer, mints + 1);
  const minting = await followStep(parts, transfer, "mint");
  const { transaction, steps } = minting;
  if (transaction.state === "reverted") return mintAgainLater(parts, transfer, minting, mints);
  if (transaction.state !== "confirmed") {
    await holdChains(parts, transfer);
    return { kind: "wait" };
  }
  const { tenantId, environment, fromChain: chain, token, received, fee, id } = transfer;
  if (received === null || fee === null) throw new Error("a minted transfer has no amounts");
  return {
    kind: "move",
    to: minted,
    change: { steps },
    apply: ({ ledger }) => ledger.land({ tenantId, environment, chain, token }, { arrived: received, fee }, id),
  };
}

async function beginMint(parts: TransferParts, transfer: Transfer, attempt: number): Promise<TransferMove> {
  const { message, attestation, nonce, expirationBlock } = readDetail(transfer);
  const { received, token, recipient, id, tenantId } = transfer;
  if (message === undefined || attestation === undefined || nonce === undefined || received === null) {
    throw new Error("an attested transfer has no attestation");
  }
  const { chain, submission } = await openChain(parts, transfer, transfer.toChain);
  // The block of the mint comes after the head, and must come before the expiry.
  if (expirationBlock !== undefined && (await chain.head()).number + 1n >= expirationBlock) {
    const transmitter = chain.crossChain.bridge?.transmitter;
    const isDelivered = transmitter !== undefined && (await chain.bridge.isDelivered(transmitter, nonce));
    if (!isDelivered) return await renewAttestation(parts, transfer, nonce);
  }
  const transactionId = newTransferId(parts.clock.now());
  const step: TransferStep = { step: "mint", chain: chain.key.chain, transactionId, txHash: null };
  return {
    kind: "move",
    to: "attested",
    change: { steps: [...transfer.steps, step] },
    async apply({ chainTransactions }) {
      await chainTransactions.enqueue({
        environment: chain.key.environment,
        chain: chain.key.chain,
        id: transactionId,
        idempotencyKey: keyOfStep(id, "mint", attempt),
        tenantId,
        // The outcome of a call follows from its burn.
        callId: null,
        purpose: MINT_PURPOSE,
        operation: mintBurned.of({ token, recipient, received, message, attestation, nonce, attempt }),
        result: undefined,
      });
    },
    stored: () => submission.wake(),
  };
}

/** The attestation is asked for once more, as it may be the one at fault. */
function mintAgainLater(
  { clock, log }: TransferParts,
  transfer: Transfer,
  { transaction: { failure = "reverted", id: transactionId }, steps }: FollowedStep,
  refusedMints: number,
): TransferMove {
  log.error({ transferId: transfer.id, transactionId, failure, refusedMints }, "a mint was refused and is tried again");
  const nextMintAt = clock.now().add({ milliseconds: backOff(refusedMints, MINT_AGAIN) });
  return {
    kind: "move",
    to: "burned",
    change: {
      steps,
      waiting: `The destination refused the mint (${failure}). It will be retried; nothing is lost.`,
      detail: changeDetail(transfer, { refusedMints, nextMintAt }),
    },
  };
}

/** A fast message whose time has passed is attested anew under its nonce. */
async function renewAttestation(parts: TransferParts, transfer: Transfer, nonce: Hex): Promise<TransferMove> {
  const { network } = await openChain(parts, transfer, transfer.fromChain);
  const answer = await requireAttestations(parts, transfer, network).attestAnew(nonce);
  parts.log.warn({ transferId: transfer.id, answer }, "an attestation has expired and is asked for anew");
  const renewals = (readDetail(transfer).renewals ?? 0) + 1;
  const nextMintAt = parts.clock.now().add({ milliseconds: backOff(renewals, ASK_AGAIN) });
  return {
    kind: "move",
    to: "burned",
    change: {
      waiting: "The attestation has expired. A new one will be requested; nothing is lost.",
      detail: changeDetail(transfer, { renewals, nextMintAt }),
    },
  };
}
