import { Agent, request } from "node:http";
import type { NodeAddress } from "./node-address.ts";

/** Asks the node what changes nothing: side by side, and the answer is passed on as it came. */
export interface NodeReader {
  /** Rejects when the node is gone. */
  read(body: string): Promise<Buffer>;
  /** Resolves when every read has ended. Nothing is to be read after it was asked for. */
  idle(): Promise<void>;
  close(): void;
}

const CONNECTIONS = 8;
const READ_LIMIT_MILLISECONDS = 30_000;

export const createNodeReader = (address: NodeAddress): NodeReader => {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const reading = new Set<Promise<Buffer>>();
  const ask = (body: string): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
      const options = { agent, ...address, method: "POST", headers, timeout: READ_LIMIT_MILLISECONDS };
      const asked = request(options, (answer) => {
        const pieces: Buffer[] = [];
        answer.on("data", (piece) => pieces.push(piece));
        answer.on("end", () => resolve(Buffer.concat(pieces)));
        answer.on("error", reject);
      });
      asked.on("error", reject);
      asked.on("timeout", () => asked.destroy(new Error(`no answer within ${READ_LIMIT_MILLISECONDS} ms`)));
      asked.end(body);
    });
  return {
    read(body) {
      const asked = ask(body);
      const forget = () => void reading.delete(asked);
      reading.add(asked);
      asked.then(forget, forget);
      return asked;
    },
    async idle() {
      await Promise.allSettled(reading);
    },
    close: () => agent.destroy(),
  };
};
