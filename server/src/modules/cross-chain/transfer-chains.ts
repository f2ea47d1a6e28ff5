import type { BridgeNetwork } from "../../domain/chains/named-chains.ts";
import { Failure } from "../../domain/errors.ts";
import type { ChainTransaction } from "../../ports/chain/chain-transactions.ts";
import type { MessageAttestations } from "../../ports/chain/message-attestations.ts";
import type { Parts, Ports } from "./context.ts";
import type { Transfer, TransferStep } from "./transfers.ts";

/** Asked for when needed: parts of an environment that is switched off are not there. */
export type TransferParts = Pick<Parts, "stores" | "portsFor" | "messageAttestations" | "clock" | "log">;

type OpenChain = Awaited<ReturnType<Ports["usableChains"]["open"]>>;

/** For so long after its last sign of life a transfer keeps its development chains running. */
const HOLD_MINUTES = 10;

/** Throws Failure `chain_not_available`, which lets a transfer wait. */
export async function openChain(parts: TransferParts, transfer: Transfer, chain: string): Promise<OpenChain> {
  return await requireUsable(parts, transfer).open(chain);
}

export async function holdChains(parts: TransferParts, transfer: Transfer): Promise<void> {
  const usable = requireUsable(parts, transfer);
  const until = parts.clock.now().add({ minutes: HOLD_MINUTES });
  await Promise.all([transfer.fromChain, transfer.toChain].map((chain) => usable.hold(chain, until)));
}

export function requireAttestations(
  { messageAttestations }: TransferParts,
  { environment }: Transfer,
  network: BridgeNetwork,
): MessageAttestations {
  const found = messageAttestations.of(environment, network);
  if (found !== undefined) return found;
  throw new Failure("unavailable", { detail: "There is no attestation service." });
}

export interface FollowedStep {
  transaction: ChainTransaction;
  /** The transfer's steps with the hash of this one, once it is in a block. */
  steps: readonly TransferStep[];
}

/** The latest transaction of a step. */
export async function followStep(
  { stores }: Pick<TransferParts, "stores">,
  transfer: Transfer,
  name: string,
): Promise<FollowedStep> {
  const followed = transfer.steps.findLast(({ step }) => step === name);
  const id = followed?.transactionId;
  const transaction = id ? await stores.chainTransactions.get(id) : undefined;
  if (transaction === undefined) throw new Error(`the transfer ${transfer.id} has no transaction for its ${name}`);
  const hasEnded = transaction.state === "confirmed" || transaction.state === "reverted";
  const txHash = hasEnded ? (transaction.hash ?? null) : null;
  const steps = transfer.steps.map((one) => (one === followed ? { ...one, txHash } : one));
  return { transaction, steps };
}

function requireUsable({ portsFor }: TransferParts, { environment }: Transfer): Ports["usableChains"] {
  const usable = portsFor(environment)?.usableChains;
  if (usable === undefined) {
    throw new Failure("chain_not_available", { detail: `The ${environment} environment is switched off.` });
  }
  return usable;
}
