import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Target } from "./target.ts";

const LOOK_EVERY_MILLISECONDS = 20;
/** Each is answered in a turn of the service's own, in which it reads whatever there is that it wants to read. */
const IDLE_LOOKS = 10;

/** A connection whose bytes are written by hand. What it may be told or refused is the attacker's own affair. */
export async function openWire(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.on("error", () => undefined);
  await Promise.race([once(socket, "connect"), once(socket, "close")]);
  return socket;
}

/** So many connections, of which `most` are opened at once. */
export async function openWires(url: string, count: number, most = 200): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const wanted = Math.min(most, count - sockets.length);
    sockets.push(...(await Promise.all(Array.from({ length: wanted }, () => openWire(url)))));
  }
  return sockets;
}

/** Sends as much of it as the service takes: until all is sent, the connection is closed, or nothing has moved for a while. */
export async function pour(socket: Socket, data: string | Buffer, stuckMilliseconds = 5_000): Promise<void> {
  if (socket.destroyed) return;
  const sent = new Promise<void>((resolve) => socket.write(data, () => resolve()));
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  let timer: NodeJS.Timeout | undefined;
  const stuck = new Promise<void>((resolve) => {
    let before = -1;
    timer = setInterval(() => {
      if (socket.bytesWritten - socket.writableLength === before) resolve();
      before = socket.bytesWritten - socket.writableLength;
    }, stuckMilliseconds);
  });
  await Promise.race([sent, closed, stuck]);
  clearInterval(timer);
}

/**
 * Sent data waits in the system until the service has read it, which takes a busy machine seconds. It counts as taken
 * when the service has read all of it, or stops reading although it had enough turns. Its memory is no evidence, as it
 * may have been higher before.
 */
export async function isTaken(target: Target, sockets: readonly Socket[]): Promise<void> {
  let [before, same] = [-1, 0];
  while (same < IDLE_LOOKS) {
    await delay(LOOK_EVERY_MILLISECONDS);
    const { readBytes } = await target.read();
    const open = sockets.filter(({ destroyed }) => !destroyed);
    const countRead = ({ localPort }: Socket): number => readBytes[String(localPort)] ?? 0;
    if (open.every((socket) => countRead(socket) >= socket.bytesWritten)) return;
    const sum = open.reduce((total, socket) => total + countRead(socket), 0);
    same = sum === before ? same + 1 : 0;
    before = sum;
  }
}

export async function closeAll(sockets: readonly Socket[]): Promise<void> {
  await Promise.all(
    sockets.map(async (socket) => {
      if (socket.closed) return;
      const closed = once(socket, "close");
      socket.destroy();
      await closed;
    }),
  );
}

export const requestHead = (...lines: readonly string[]): string => `${lines.join("\r\n")}\r\n\r\n`;
