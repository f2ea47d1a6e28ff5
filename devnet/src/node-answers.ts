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

export const resultOf = (answer: RpcAnswer | undefined): unknown => {
  if (answer === undefined) throw new NodeError("The node gave no answer.");
  if ("error" in answer) throw new NodeError(`The node refused: ${answer.error.message}`);
  return answer.result;
};

export const blockOf = (answer: RpcAnswer | undefined): Block => Block.parse(resultOf(answer));
export const quantityOf = (answer: RpcAnswer | undefined): number => Quantity.parse(resultOf(answer));
/** How many transactions of the pool wait for an earlier one of their sender. */
export const queuedCountOf = (answer: RpcAnswer | undefined): number => PoolStatus.parse(resultOf(answer)).queued;
/** Which ones. */
export const queuedOf = (answer: RpcAnswer | undefined): Queued[] =>
  Object.values(PoolContent.parse(resultOf(answer)).queued).flatMap((byNonce) => Object.values(byNonce));
