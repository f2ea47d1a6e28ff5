import { z } from "zod";
import type { RpcAnswer } from "./json-rpc.ts";

/** The node refused what must work: the chain's state is no longer what we think it is. */
class NodeError extends Error {
  override name = "NodeError";
}

const Quantity = z
  .string()
  .regex(/^0x[0-9a-f]+$/)
  .transform(Number);

const Block = z.object({
  number: Quantity,
  hash: z.string(),
  parentHash: z.string(),
  timestamp: Quantity,
  miner: z.string(),
  transactions: z.array(z.string()),
});
export type Block = z.infer<typeof Block>;

const PoolStatus = z.object({ queued: Quantity });
const Queued = z.object({ hash: z.string(), from: z.string(), nonce: Quantity });
const PoolContent = z.object({ queued: z.record(z.string(), z.record(z.string(), Queued)) });
export type Queued = z.infer<typeof Queued>;

export const requireResult = (answer: RpcAnswer | undefined): unknown => {
  if (answer === undefined) throw new NodeError("The node did not answer.");
  if ("error" in answer) throw new NodeError(`The node refused: ${answer.error.message}`);
  return answer.result;
};

export const parseBlock = (answer: RpcAnswer | undefined): Block => Block.parse(requireResult(answer));
export const parseQuantity = (answer: RpcAnswer | undefined): number => Quantity.parse(requireResult(answer));
/** How many transactions of the pool wait for an earlier one of their sender. */
export const parseQueuedCount = (answer: RpcAnswer | undefined): number =>
  PoolStatus.parse(requireResult(answer)).queued;
/** Which ones. */
export const parseQueued = (answer: RpcAnswer | undefined): Queued[] =>
  Object.values(PoolContent.parse(requireResult(answer)).queued).flatMap((byNonce) => Object.values(byNonce));
