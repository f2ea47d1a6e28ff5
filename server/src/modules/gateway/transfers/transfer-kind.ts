import { Failure } from "../../../domain/errors.ts";
import { newTransferId } from "../../../domain/ids.ts";
import type { Hex } from "../../../domain/tokens.ts";
import { requireToken } from "../../../ports/chain/chain.ts";
import { TransferRefused, type TransferSpec, type UnifiedBalance } from "../../../ports/chain/unified-balance.ts";
import {
  defineTransferKind,
  followStep,
  holdChains,
  keyOfStep,
  openChain,
  type Transfer,
  type TransferMove,
} from "../../cross-chain/index.ts";
import type { Aggregates, Parts } from "../context.ts";
import { requireGateway } from "../gateway-chains.ts";
import { mint } from "../operations/mint.ts";
import { type GatewayDetail, readDetail, toBurnIntent, writeDetail } from "./transfer-detail.ts";

export const GATEWAY = "gateway";
export const DEPOSIT_PURPOSE = "gateway_transfer";
export const MINT_PURPOSE = "gateway_mint";

type KindParts = Pick<
  Parts,
  | "chains"
  | "clock"
  | "gatewayEvents"
  | "log"
  | "messageAttestations"
  | "portsFor"
  | "random"
  | "stores"
  | "unifiedBalance"
>;
type OpenChain = Awaited<ReturnType<typeof openChain>>;

const FOREVER = 2n ** 256n - 1n;
const NOBODY: Hex = `0x${"0".repeat(64)}`;
const SALT_BYTES = 32;
const ASK_AGAIN_MILLISECONDS = 1_000;
const LOOK_MILLISECONDS = 200;
const MINT_AGAIN_MILLISECONDS = 2_000;
const MOST_PAUSE_MILLISECONDS = 60_000;

/**
 * USDC of a tenant's deposit on one chain to any account on another. Money is set aside before anything is asked for, and comes back
 * where the operator refuses. An intent may be minted until the operator says that it no longer can be: until then it is sent again, and
 * never another one.
 */
export const gatewayKind = (parts: KindParts) =>
  defineTransferKind({
    kind: GATEWAY,
    async advance(transfer) {
      switch (transfer.status) {
        case "submitted":
          return await advanceSubmitted(parts, transfer);
        case "attested":
          return await followMint(parts, transfer);
        case "minted":
          return await awaitBurn(parts, transfer);
        default:
          throw new Error(`a transfer that is ${transfer.status} is not in the Gateway`);
      }
    },
  });

function findOperator(
  { unifiedBalance }: KindParts,
  { environment }: Transfer,
  { network }: OpenChain,
): UnifiedBalance {
  const found = unifiedBalance.of(environment, network);
  if (found === undefined) throw new Failure("unavailable", { detail: "There is no Gateway." });
  return found;
}

async function advanceSubmitted(parts: KindParts, transfer: Transfer): Promise<TransferMove> {
  if (transfer.steps.some(({ step }) => step === "deposit")) {
    const { transaction, steps } = await followStep(parts, transfer, "deposit");
    if (transaction.state === "reverted") {
      const waiting = "The chain refused the deposit. No money was moved; it is available again.";
      return await giveUp(parts, { ...transfer, steps }, waiting, BigInt(String(transaction.operation.amount ?? 0)));
    }
    if (transaction.state !== "confirmed") return { kind: "wait" };
    const source = await openChain(parts, transfer, transfer.fromChain);
    await parts.gatewayEvents.catchUp(source.chain, transaction.blockNumber);
    return await signOrSend(parts, { ...transfer, steps }, source);
  }
  return await signOrSend(parts, transfer, await openChain(parts, transfer, transfer.fromChain));
}

async function signOrSend(parts: KindParts, transfer: Transfer, source: OpenChain): Promise<TransferMove> {
  const detail = readDetail(transfer);
  const operator = findOperator(parts, transfer, source);
  const intent = toBurnIntent(detail);
  if (detail.intent === undefined || intent === undefined) return await sign(parts, transfer, source, detail);
  try {
    const { fee, ...attested } = await operator.transfer(intent, detail.intent.signature);
    const rest = detail.maxFee - fee;
    const purse = toPurse(transfer);
    return {
      kind: "move",
      to: "attested",
      change: { fee, received: transfer.amount, steps: transfer.steps, detail: writeDetail({ ...detail, attested }) },
      async apply({ gatewayBooks, gatewayIntents, effects }: Aggregates) {
        await gatewayBooks.release(purse, rest, `${transfer.id}:${detail.intent?.specHash}`);
        await gatewayIntents.update(transfer.id, { reserved: transfer.amount + fee });
        if (transfer.callId !== null) await effects.done(transfer.callId, { transferId: transfer.id });
      },
    };
  } catch (error) {
    if (!(error instanceof TransferRefused)) throw error;
    // An earlier attempt, whose answer was lost, may have been accepted.
    if (await operator.isKnown(detail.intent.specHash)) throw new Failure("unavailable", { cause: error });
    const isDeposited = transfer.steps.some(({ step }) => step === "deposit");
    if (isDeposited && /insufficient|balance/i.test(error.message)) {
      return {
        kind: "wait",
        because: "The deposit is not final yet.",
        milliseconds: pause(transfer, ASK_AGAIN_MILLISECONDS),
      };
    }
    parts.log.warn({ transferId: transfer.id, err: error }, "the Gateway refuses a transfer");
    return await giveUp(parts, transfer, "The Gateway refused the transfer. The money is in the Gateway as before.");
  }
}

async function sign(
  parts: KindParts,
  transfer: Transfer,
  source: OpenChain,
  detail: GatewayDetail,
): Promise<TransferMove> {
  const target = await openChain(parts, transfer, transfer.toChain);
  const operator = findOperator(parts, transfer, source);
  const salt: Hex = `0x${Buffer.from(parts.random(SALT_BYTES)).toString("hex")}`;
  const spec = buildTerms({
    source,
    target,
    from: detail.from,
    recipient: transfer.recipient,
    value: transfer.amount,
    salt,
  });
  const { hookData: _, ...terms } = spec;
  const specHash = operator.hashTerms(spec);
  const sender = parts.chains.at(source.chain.key)?.sender;
  if (sender === undefined) throw new Failure("chain_not_available", {});
  const intent = { maxBlockHeight: FOREVER, maxFee: detail.maxFee, spec };
  const signature = await sender.signMessage(detail.from, operator.messageToSign(intent));
  const signed = { maxBlockHeight: FOREVER, spec: terms, signature, specHash };
  return {
    kind: "move",
    to: "submitted",
    change: { steps: transfer.steps, detail: writeDetail({ ...detail, intent: signed, attested: undefined }) },
    apply: ({ gatewayIntents }: Aggregates) => gatewayIntents.update(transfer.id, { specHash }),
  };
}

interface TermsOptions {
  source: OpenChain;
  target: OpenChain;
  from: Hex;
  recipient: Hex;
  value: bigint;
  salt: Hex;
}

const word = (address: Hex): Hex => `0x${address.slice(2).padStart(64, "0")}`;

export function buildTerms({ source, target, from, recipient, value, salt }: TermsOptions): TransferSpec {
  const [at, to] = [requireGateway(source.chain), requireGateway(target.chain)];
  return {
    sourceDomain: at.domain,
    destinationDomain: to.domain,
    sourceContract: word(at.wallet),
    destinationContract: word(to.minter),
    sourceToken: word(requireToken(source.chain, "USDC").address),
    destinationToken: word(requireToken(target.chain, "USDC").address),
    sourceDepositor: word(from),
    destinationRecipient: word(recipient),
    sourceSigner: word(from),
    // Anybody may mint.
    destinationCaller: NOBODY,
    value,
    salt,
    hookData: "0x",
  };
}

const toPurse = ({ environment, fromChain: chain, tenantId }: Transfer) =>
  ({ environment, chain, tenantId, token: "USDC" }) as const;

const pause = ({ attempts }: Transfer, first: number): number =>
  Math.min(first * 2 ** attempts, MOST_PAUSE_MILLISECONDS);

/** Nothing can be minted: what was set aside is available again, except a deposit that did not happen. */
async function giveUp(
  { stores }: KindParts,
  transfer: Transfer,
  waiting: string,
  notDeposited = 0n,
): Promise<TransferMove> {
  const { reserved = 0n } = (await stores.gatewayIntents.get(transfer.id)) ?? {};
  return {
    kind: "move",
    to: "failed",
    change: { steps: transfer.steps, waiting },
    async apply({ gatewayBooks, gatewayIntents, effects }: Aggregates) {
      await gatewayBooks.release(toPurse(transfer), reserved - notDeposited, `${transfer.id}:end`);
      await gatewayIntents.update(transfer.id, { reserved: 0n });
      if (transfer.callId !== null) await effects.failed(transfer.callId);
    },
  };
}

async function followMint(parts: KindParts, transfer: Transfer): Promise<TransferMove> {
  const detail = readDetail(transfer);
  const mints = transfer.steps.filter(({ step }) => step === "mint").length;
  if (mints === detail.refusedMints) return await beginMint(parts, transfer, detail, mints + 1);
  const { transaction, steps } = await followStep(parts, transfer, "mint");
  if (transaction.state === "reverted") {
    const { failure = "reverted" } = transaction;
    parts.log.error({ transferId: transfer.id, failure }, "a mint was refused and is tried again");
    const waiting = `The destination refused the mint (${failure}). It will be retried; nothing is lost.`;
    return {
      kind: "move",
      to: "attested",
      change: { steps, waiting, detail: writeDetail({ ...detail, refusedMints: mints }) },
    };
  }
  await holdChains(parts, transfer);
  if (transaction.state !== "confirmed") return { kind: "wait" };
  return { kind: "move", to: "minted", change: { steps } };
}

async function beginMint(
  parts: KindParts,
  transfer: Transfer,
  detail: GatewayDetail,
  attempt: number,
): Promise<TransferMove> {
  const { attested, intent } = detail;
  if (attested === undefined || intent === undefined) throw new Error("an attested transfer has no attestation");
  const { chain, submission } = await openChain(parts, transfer, transfer.toChain);
  const { minter } = requireGateway(chain);
  const { specHash } = intent;
  const isLate = attested.expirationBlock !== undefined && (await chain.head()).number >= attested.expirationBlock;
  if (isLate && !(await chain.gateway.isDone(minter, specHash))) return await startAnew(parts, transfer, detail);
  if (attempt > 1 && transfer.attempts === 0) {
    return { kind: "wait", because: transfer.waiting ?? undefined, milliseconds: MINT_AGAIN_MILLISECONDS };
  }
  const transactionId = newTransferId(parts.clock.now());
  const { environment, chain: name } = chain.key;
  const { attestation, signature } = attested;
  const { recipient, amount, tenantId, id } = transfer;
  const input = { token: "USDC" as const, minter, recipient, amount, specHash, attestation, signature };
  return {
    kind: "move",
    to: "attested",
    change: { steps: [...transfer.steps, { step: "mint", chain: name, transactionId, txHash: null }] },
    async apply({ chainTransactions }) {
      await chainTransactions.enqueue({
        environment,
        chain: name,
        id: transactionId,
        idempotencyKey: keyOfStep(id, "mint", attempt),
        tenantId,
        callId: null,
        purpose: MINT_PURPOSE,
        operation: mint.of(input),
        result: undefined,
      });
    },
    stored: () => submission.wake(),
  };
}

/** The time of the attestation has passed: another intent only once the operator says that this one can no longer be minted. */
async function startAnew(parts: KindParts, transfer: Transfer, detail: GatewayDetail): Promise<TransferMove> {
  const source = await openChain(parts, transfer, transfer.fromChain);
  const status = await findOperator(parts, transfer, source).findStatus(detail.attested?.transferId ?? "");
  if (status !== "expired" && status !== "failed") {
    const because =
      "The attestation has expired. The service is checking with the Gateway whether it is still valid; nothing is lost.";
    return { kind: "wait", because, milliseconds: pause(transfer, ASK_AGAIN_MILLISECONDS) };
  }
  const { reserved = 0n } = (await parts.stores.gatewayIntents.get(transfer.id)) ?? {};
  return {
    kind: "move",
    to: "submitted",
    change: {
      waiting: "The attestation has expired. A new one will be requested; nothing is lost.",
      detail: writeDetail({ ...detail, maxFee: reserved - transfer.amount, intent: undefined, attested: undefined }),
    },
  };
}

/** It has arrived; what was set aside on the source is settled when the operator has burned it there. */
async function awaitBurn(parts: KindParts, transfer: Transfer): Promise<TransferMove> {
  const { chain } = await openChain(parts, transfer, transfer.fromChain);
  await parts.gatewayEvents.catchUp(chain, (await chain.head()).number);
  const stored = await parts.stores.gatewayIntents.get(transfer.id);
  if (stored?.isBurned === true) return { kind: "move", to: "completed" };
  await holdChains(parts, transfer);
  return { kind: "wait", milliseconds: pause(transfer, LOOK_MILLISECONDS) };
}
