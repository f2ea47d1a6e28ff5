import { setTimeout as delay } from "node:timers/promises";
import { encodeFunctionData, keccak256, type PublicClient, TransactionReceiptNotFoundError } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { Failure } from "../../../domain/errors.ts";
import type { Hex } from "../../../domain/tokens.ts";
import { swapPoolAbi } from "../../../generated/contracts/swap-pool.ts";
import { reach } from "../client.ts";
import { lowerHex } from "../hex.ts";
import { broadcast } from "./broadcast.ts";
import { createFeeReader } from "./fees.ts";

/** A swap pool's own account, and a contract that only that account may change. */
interface PoolOptions {
  client: PublicClient;
  chainId: number;
  pool: Hex;
}

const POLL_MILLISECONDS = 500;
const POLLS = 240;
const GAS = 100_000n;

export async function readPoolOwner({ client, pool }: Pick<PoolOptions, "client" | "pool">): Promise<Hex> {
  return lowerHex(await reach(() => client.readContract({ address: pool, abi: swapPoolAbi, functionName: "owner" })));
}

/**
 * Pauses the pool's swaps or lets them go on, by its owner's key, and waits for the block. Undefined: it was so before. Safe to repeat.
 * Throws Failure `conflict` if the key is not the owner's, its account lacks gas, or the transaction is in no block after a while.
 */
export async function setPoolPaused(
  { client, chainId, pool }: PoolOptions,
  { ownerKey, isPaused }: { ownerKey: Hex; isPaused: boolean },
): Promise<Hex | undefined> {
  const account = privateKeyToAccount(ownerKey);
  const owner = await readPoolOwner({ client, pool });
  if (lowerHex(account.address) !== owner) {
    throw refuse(`The pool ${pool} belongs to ${owner}, and the key to ${lowerHex(account.address)}.`);
  }
  const contract = { address: pool, abi: swapPoolAbi } as const;
  const readPaused = () => reach(() => client.readContract({ ...contract, functionName: "paused" }));
  if ((await readPaused()) === isPaused) return undefined;
  const [fees, nonce] = await Promise.all([
    createFeeReader(client)(),
    reach(() => client.getTransactionCount({ address: owner, blockTag: "pending" })),
  ]);
  const data = encodeFunctionData({ abi: swapPoolAbi, functionName: "setPaused", args: [isPaused] });
  const call = { type: "eip1559", chainId, nonce, gas: GAS, to: pool, data } as const;
  const { wei: maxFeePerGas } = fees.maxFeePerGas;
  const { wei: maxPriorityFeePerGas } = fees.maxPriorityFeePerGas;
  const raw = await account.signTransaction({ ...call, maxFeePerGas, maxPriorityFeePerGas });
  const hash = keccak256(raw);
  const answer = await broadcast(client, raw);
  if (answer.kind === "unfunded")
    throw refuse(`The pool's owner ${owner} lacks gas. Send it some and run the command again.`);
  if (answer.kind === "refused") throw refuse(`The node refused the transaction: ${answer.reason}`);
  for (let poll = 0; poll < POLLS; poll += 1) {
    const status = await readStatus(client, hash);
    if (status === "success") return hash;
    if (status === "reverted") throw refuse(`The transaction ${hash} was reverted: the pool is as it was.`);
    await delay(POLL_MILLISECONDS);
  }
  throw refuse(`The transaction ${hash} is in no block yet. See \`npm run chain -- pool\` for its outcome.`);
}

async function readStatus(client: PublicClient, hash: Hex): Promise<"success" | "reverted" | undefined> {
  return await reach(async () => {
    try {
      return (await client.getTransactionReceipt({ hash })).status;
    } catch (error) {
      if (error instanceof TransactionReceiptNotFoundError) return undefined;
      throw error;
    }
  });
}

const refuse = (detail: string) => new Failure("conflict", { detail });
