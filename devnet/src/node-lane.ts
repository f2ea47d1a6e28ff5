import { connect, type Socket } from "node:net";
import { type RpcAnswer, type RpcCall, readAnswer } from "./json-rpc.ts";
import type { NodeAddress } from "./node-address.ts";

/**
 * One connection on which each call is sent when the one before it is answered, so that the node handles them in exactly this order.
 * A JSON-RPC batch is no substitute: the node handles its entries side by side, their order is luck, and a block that is read in
 * the batch that mines it may not be there yet. Sending ahead (HTTP pipelining) keeps the order but waits 40 ms for an
 * acknowledgement again and again, because the node's small answers fall under Nagle's algorithm.
 */
export interface NodeLane {
  /** Rejects when the connection ends or the node says nothing for too long. */
  calls(list: readonly RpcCall[]): Promise<RpcAnswer[]>;
  call(method: string, ...params: readonly unknown[]): Promise<RpcAnswer>;
  close(): void;
}

interface Waiting {
  text: string;
  resolve(answer: RpcAnswer): void;
  reject(error: Error): void;
}

const END_OF_HEAD = Buffer.from("\r\n\r\n");
const LENGTH = /\r\ncontent-length: *(\d+)/i;

const requestText = ({ method, params }: RpcCall): string => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  return `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
};

/** Cuts a stream of HTTP answers into bodies. */
const createBodyReader = (onBody: (body: Buffer) => void) => {
  let pieces: Buffer[] = [];
  let have = 0;
  let need = 0;
  let bodyStart: number | undefined;
  return (piece: Buffer): void => {
    pieces.push(piece);
    have += piece.length;
    // Joined only when something can be complete: a large answer comes in thousands of pieces.
    while (have > 0 && have >= need) {
      const all = pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
      pieces = [all];
      if (bodyStart === undefined) {
        const headEnd = all.indexOf(END_OF_HEAD);
        if (headEnd < 0) return;
        const length = LENGTH.exec(all.toString("latin1", 0, headEnd))?.[1];
        if (length === undefined) throw new Error("The node's answer has no length.");
        bodyStart = headEnd + END_OF_HEAD.length;
        need = bodyStart + Number(length);
        continue;
      }
      onBody(all.subarray(bodyStart, need));
      pieces = [all.subarray(need)];
      have -= need;
      need = 0;
      bodyStart = undefined;
    }
  };
};

const opened = (address: NodeAddress): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ ...address, noDelay: true });
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      resolve(socket);
    });
  });

/** @param silenceLimitMilliseconds how long the node may say nothing while an answer is due. */
export const openNodeLane = async (address: NodeAddress, silenceLimitMilliseconds: number): Promise<NodeLane> => {
  const socket = await opened(address);
  const queue: Waiting[] = [];
  let asked: Waiting | undefined;
  let broken: Error | undefined;

  const end = (error: Error): void => {
    broken ??= error;
    socket.destroy();
    asked?.reject(broken);
    asked = undefined;
    for (const { reject } of queue.splice(0)) reject(broken);
  };
  const askNext = (): void => {
    asked = queue.shift();
    socket.setTimeout(asked === undefined ? 0 : silenceLimitMilliseconds);
    if (asked !== undefined) socket.write(asked.text);
  };
  const read = createBodyReader((body) => {
    if (asked === undefined) throw new Error("The node answered a request that was never sent.");
    const { resolve } = asked;
    const answer = readAnswer(JSON.parse(body.toString("utf8")));
    askNext();
    resolve(answer);
  });
  socket.on("data", (piece) => {
    try {
      if (Buffer.isBuffer(piece)) read(piece);
    } catch (error) {
      end(error instanceof Error ? error : new Error(String(error)));
    }
  });
  socket.on("error", end);
  socket.on("timeout", () => end(new Error(`The node did not answer for ${silenceLimitMilliseconds} ms.`)));
  socket.on("close", () => end(new Error("The node closed the connection.")));

  const ask = (call: RpcCall): Promise<RpcAnswer> => {
    if (broken) return Promise.reject(broken);
    return new Promise((resolve, reject) => {
      queue.push({ text: requestText(call), resolve, reject });
      if (asked === undefined) askNext();
    });
  };
  return {
    calls: (list) => Promise.all(list.map(ask)),
    call: (method, ...params) => ask({ method, params }),
    close: () => end(new Error("The connection to the node was closed.")),
  };
};
