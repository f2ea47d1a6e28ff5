import { BaseError, createPublicClient, custom, type PublicClient } from "viem";
import { z } from "zod";
import { CHAIN_AWAY, Failure } from "../../domain/errors.ts";
import { NO_ROOM } from "../../ports/chain/opened-chain.ts";
import { type Rpc, RpcRefusal } from "./rpc.ts";

export function createEvmClient(rpc: Rpc): PublicClient {
  return createPublicClient({ transport: custom(rpc, { retryCount: 0 }), cacheTime: 0 });
}

/** The node's own refusal, even inside a library's error. */
export function refusalIn(error: unknown): RpcRefusal | undefined {
  const inner = error instanceof BaseError ? error.walk((cause) => cause instanceof RpcRefusal) : error;
  return inner instanceof RpcRefusal ? inner : undefined;
}

const AWAY = "The network is not answering. Nothing is lost; send the call again, with the same Idempotency-Key.";

/** The data with which the process that runs the development chains refuses. */
const WithoutRoom = z.object({ reason: z.literal("no_room") });
const isWithoutRoom = (cause: unknown): boolean => WithoutRoom.safeParse(refusalIn(cause)?.data).success;

export function chainUnavailable(cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  return new Failure(CHAIN_AWAY, {
    detail: isWithoutRoom(cause) ? NO_ROOM : AWAY,
    retryAfterSeconds: 5,
    // The library's wrapper repeats the whole request.
    cause: cause instanceof BaseError ? cause.walk() : cause,
  });
}

/** Turns every failure of `work` into one of the chain. */
export async function reach<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw chainUnavailable(error);
  }
}

/** Whether a contract reverted a call without a transaction. */
export function isRevert(error: unknown): boolean {
  const refusal = refusalIn(error);
  return refusal !== undefined && (refusal.code === 3 || /revert/i.test(refusal.message));
}
