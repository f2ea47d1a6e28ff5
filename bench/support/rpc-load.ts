import { Agent, request } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { z } from "zod";

const Answer = z.object({
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
});

/** One JSON-RPC call on kept connections; rejects with the node's error. */
export type Call = (method: string, ...params: readonly unknown[]) => Promise<unknown>;

export const createCall = (port: number, connections: number): { call: Call; close(): void } => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const call: Call = (method, ...params) =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
      const asked = request({ agent, port, host: "127.0.0.1", method: "POST", headers }, (answer) => {
        const pieces: Buffer[] = [];
        answer.on("data", (piece) => pieces.push(piece));
        answer.on("end", () => {
          const { result, error } = Answer.parse(JSON.parse(Buffer.concat(pieces).toString("utf8")));
          if (error === undefined) resolve(result);
          else reject(new Error(error.message));
        });
        answer.on("error", reject);
      });
      asked.on("error", reject);
      asked.end(body);
    });
  return { call, close: () => agent.destroy() };
};

export interface RpcSlice {
  perSecond: number;
  p50Milliseconds: number;
  p95Milliseconds: number;
  acknowledged: number;
  /** Transactions that never got a receipt within the limit. */
  stalled: number;
}

const STALL_MILLISECONDS = 5_000;

/** Acknowledged: the answer came and the receipt is there. */
export const sendAndConfirm = async (call: Call, raw: string): Promise<void> => {
  const hash = await call("eth_sendRawTransaction", raw);
  const giveUpMilliseconds = performance.now() + STALL_MILLISECONDS;
  while ((await call("eth_getTransactionReceipt", hash)) === null) {
    if (performance.now() > giveUpMilliseconds) throw new Error("stalled");
    await nextTurn();
  }
};

/** Each sender sends its own transactions one after the other, for as long as the slice lasts. */
export const runRpcSlice = async (
  call: Call,
  senders: readonly (readonly string[])[],
  seconds: number,
): Promise<RpcSlice> => {
  const latenciesMilliseconds: number[] = [];
  let stalled = 0;
  const begun = performance.now();
  const end = begun + seconds * 1_000;
  await Promise.all(
    senders.map(async (raws) => {
      for (const raw of raws) {
        const sentAt = performance.now();
        if (sentAt >= end) return;
        try {
          await sendAndConfirm(call, raw);
          latenciesMilliseconds.push(performance.now() - sentAt);
        } catch (error) {
          if (!(error instanceof Error && error.message === "stalled")) throw error;
          stalled += 1;
          return;
        }
      }
      throw new Error("A sender ran out of transactions: sign more of them.");
    }),
  );
  const elapsed = (performance.now() - begun) / 1_000;
  const sorted = latenciesMilliseconds.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
  return {
    perSecond: sorted.length / elapsed,
    p50Milliseconds: at(0.5),
    p95Milliseconds: at(0.95),
    acknowledged: sorted.length,
    stalled,
  };
};
