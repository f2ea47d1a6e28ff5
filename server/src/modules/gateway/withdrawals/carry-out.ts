import { encodeFunctionData } from "viem";
import { Failure } from "../../../domain/errors.ts";
import { gatewayWalletAbi } from "../../../generated/contracts/gateway-wallet.ts";
import { requireToken } from "../../../ports/chain/chain.ts";
import type { ChainKey } from "../../../ports/chain/chain-key.ts";
import type { OpenedChain } from "../../../ports/chain/opened-chain.ts";
import type { Parts } from "../context.ts";
import { requireGateway } from "../gateway-chains.ts";
import { gasGift } from "../operations/gas-gift.ts";
import type { GatewayWithdrawal } from "./withdrawals.ts";

type WithdrawalParts = Pick<
  Parts,
  "chains" | "indexers" | "submitters" | "stores" | "clock" | "log" | "gatewayEvents" | "portsFor"
>;

/** Enough for either transaction. */
export const WITHDRAWAL_GAS = 150_000n;
const GAS_PURPOSE = "gateway_gas";
const AT_ONCE = 20;
const SOON_MILLISECONDS = 200;
const LIVE_MILLISECONDS = 5_000;
const AWAY_MILLISECONDS = 10_000;

/** Brings withdrawals to their ends, each by two transactions that its wallet signs. Safe in several processes and after a crash. */
export async function carryOutWithdrawals(parts: WithdrawalParts): Promise<void> {
  const due = await parts.stores.gatewayWithdrawals.takeDue(AT_ONCE);
  await Promise.all(due.map((withdrawal) => advance(parts, withdrawal)));
}

async function advance(parts: WithdrawalParts, withdrawal: GatewayWithdrawal): Promise<void> {
  try {
    const pause = await takeStep(parts, withdrawal);
    if (pause === undefined) return;
    await parts.stores.gatewayWithdrawals.advance(withdrawal, { nextAt: later(parts, pause) });
  } catch (err) {
    parts.log.warn({ err, withdrawalId: withdrawal.id }, "a withdrawal from the Gateway does not get on");
    await parts.stores.gatewayWithdrawals.advance(withdrawal, { nextAt: later(parts, AWAY_MILLISECONDS) });
  }
}

const later = ({ clock }: Pick<Parts, "clock">, milliseconds: number): Temporal.Instant =>
  clock.now().add({ milliseconds });

/** The time until it is looked at again; undefined: its row says so. */
async function takeStep(parts: WithdrawalParts, withdrawal: GatewayWithdrawal): Promise<number | undefined> {
  const opened = await open(parts, withdrawal);
  const pause = opened.isLive ? LIVE_MILLISECONDS : SOON_MILLISECONDS;
  if (withdrawal.sent !== null)
    return (await followSent(parts, opened, withdrawal, withdrawal.sent)) ? undefined : pause;
  if (withdrawal.state === "waiting" && !(await isDelayOver(parts, opened, withdrawal))) {
    return pause;
  }
  if (!(await hasGas(parts, opened, withdrawal))) return pause;
  const sent = await opened.sender.signOwnCall(
    { id: await findWalletId(parts, withdrawal), address: withdrawal.address },
    { ...encodeCall(opened, withdrawal), gas: WITHDRAWAL_GAS },
  );
  // Stored before it is sent.
  if (!(await parts.stores.gatewayWithdrawals.advance(withdrawal, { sent }))) return undefined;
  await opened.sender.broadcast(sent.raw);
  await parts.stores.gatewayWithdrawals.wake(withdrawal.id);
  return undefined;
}

async function open({ portsFor, chains }: WithdrawalParts, { environment, chain, tenantId }: GatewayWithdrawal) {
  await portsFor(environment)?.usableChains.open(chain, tenantId);
  const opened = chains.at({ environment, chain });
  if (opened === undefined)
    throw new Failure("chain_not_available", { detail: `The chain ${chain} is not answering.` });
  return opened;
}

function encodeCall({ chain }: OpenedChain, { state, amount }: GatewayWithdrawal) {
  const token = requireToken(chain, "USDC").address;
  const data =
    state === "waiting"
      ? encodeFunctionData({ abi: gatewayWalletAbi, functionName: "withdraw", args: [token] })
      : encodeFunctionData({ abi: gatewayWalletAbi, functionName: "initiateWithdrawal", args: [token, amount] });
  return { to: requireGateway(chain).wallet, data };
}

async function findWalletId({ stores }: WithdrawalParts, { tenantId, address, ...key }: GatewayWithdrawal) {
  const wallet = await stores.wallets.findTreasury({ environment: key.environment, chain: key.chain }, tenantId);
  if (wallet?.address !== address) throw new Error(`the wallet of ${key.id} is ${wallet?.address}, not ${address}`);
  return wallet.id;
}

/** Sends it again while it is in no block, which returns false, and stores what it did. */
async function followSent(
  parts: WithdrawalParts,
  { chain, sender }: OpenedChain,
  withdrawal: GatewayWithdrawal,
  sent: NonNullable<GatewayWithdrawal["sent"]>,
): Promise<boolean> {
  const receipt = await chain.receipt(sent.hash);
  if (receipt === undefined) {
    // Another transaction of the wallet has its nonce, so that this one will never be in a block.
    const isLost = (await sender.ownNonce(withdrawal.address)) > sent.nonce;
    if (isLost && (await chain.receipt(sent.hash)) === undefined) {
      return await parts.stores.gatewayWithdrawals.advance(withdrawal, { sent: null, nextAt: parts.clock.now() });
    }
    await sender.broadcast(sent.raw);
    return false;
  }
  await parts.gatewayEvents.catchUp(chain, receipt.block.number);
  const gateway = requireGateway(chain);
  const [deposit] = await chain.gateway.deposits(gateway.wallet, [withdrawal.address], receipt.block.number);
  const isInitiated = withdrawal.state === "requested";
  const nextAt = parts.clock.now();
  if (receipt.succeeded && isInitiated) {
    const withdrawalBlock = deposit?.withdrawalBlock ?? 0n;
    await parts.stores.gatewayWithdrawals.advance(withdrawal, {
      state: "waiting",
      sent: null,
      withdrawalBlock,
      nextAt,
    });
  } else if (isInitiated) await giveUp(parts, withdrawal);
  else {
    // Without success: too early by a block, or somebody else has taken it out with the wallet's key.
    const isTaken = receipt.succeeded || deposit?.withdrawing === 0n;
    if (isTaken && !(await isInLedger(parts, chain.key, receipt.block.number))) return false;
    const change = isTaken ? { state: "completed" as const, nextAt: null } : { nextAt };
    await parts.stores.gatewayWithdrawals.advance(withdrawal, { ...change, sent: null });
  }
  return true;
}

/**
 * Reads the block into the ledger, unless that has happened. A completed withdrawal keeps no development chain running, so nobody might
 * read the block later.
 */
async function isInLedger({ indexers, stores }: WithdrawalParts, key: ChainKey, block: bigint): Promise<boolean> {
  while (await indexers.at(key)?.runOnce());
  const bound = await stores.boundChains.get(key);
  return bound !== undefined && bound.indexed.number >= block;
}

/** The contract refuses it: the money can be used again. */
async function giveUp({ stores }: WithdrawalParts, withdrawal: GatewayWithdrawal): Promise<void> {
  const { id, environment, chain, tenantId, amount } = withdrawal;
  const failure = "The contract refused the withdrawal. The money is in the Gateway as before.";
  await stores.transaction(async ({ gatewayWithdrawals, gatewayBooks }) => {
    if (!(await gatewayWithdrawals.advance(withdrawal, { state: "failed", sent: null, failure, nextAt: null }))) return;
    await gatewayBooks.release({ environment, chain, tenantId, token: "USDC" }, amount, id);
  });
}

async function isDelayOver(
  parts: WithdrawalParts,
  opened: OpenedChain,
  withdrawal: GatewayWithdrawal,
): Promise<boolean> {
  const { number } = await opened.chain.head();
  // It is taken out by the block after this one.
  if (number + 1n >= (withdrawal.withdrawalBlock ?? 0n)) return true;
  // A development chain makes a block for each transaction, and none without.
  if (!opened.isLive) await giveGas(parts, withdrawal, 0n);
  return false;
}

/** A development chain's relayer gives what is missing. On a live chain the tenant does. */
async function hasGas(parts: WithdrawalParts, opened: OpenedChain, withdrawal: GatewayWithdrawal): Promise<boolean> {
  const wei = await opened.sender.lackedForGas(withdrawal.address, WITHDRAWAL_GAS);
  if (wei > 0n && !opened.isLive) await giveGas(parts, withdrawal, wei);
  return wei === 0n;
}

/** Unless an earlier gift is on its way. */
async function giveGas(
  { stores, submitters }: WithdrawalParts,
  withdrawal: GatewayWithdrawal,
  wei: bigint,
): Promise<void> {
  const { id, environment, chain, address: to, gasTransactionId } = withdrawal;
  const given = gasTransactionId === null ? undefined : await stores.chainTransactions.get(gasTransactionId);
  if (given?.state === "queued" || given?.state === "signed") return;
  const stored = await stores.chainTransactions.enqueue({
    environment,
    chain,
    idempotencyKey: `gateway_gas:${id}:${gasTransactionId ?? "first"}`,
    // The relayer's own, like the gas that it pays for every transaction.
    tenantId: null,
    callId: null,
    purpose: GAS_PURPOSE,
    operation: gasGift.of({ token: "USDC", to, wei }),
    result: undefined,
  });
  submitters.at({ environment, chain })?.wake();
  await stores.gatewayWithdrawals.advance(withdrawal, { gasTransactionId: stored.id });
}
