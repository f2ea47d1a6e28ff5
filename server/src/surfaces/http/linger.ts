import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import type { LatestAnswer } from "./half-closed.ts";

/** Twice what a document may have. */
const MOST_BYTES = 32 * 1024 * 1024;
/** A piece costs as much as one of this size: clients that mean well do not send many that are smaller. */
const SMALLEST_PIECE_BYTES = 1_024;
const LONGEST_MILLISECONDS = 30_000;
const IDLE_MILLISECONDS = 2_000;

/**
 * Lets clients see the answer to a body that was refused before all of it had arrived. If the connection were closed at once, the
 * system would reset it when more of the body comes, and a client that sends everything before it reads would report a broken pipe
 * instead of the answer. So only our half is closed until the client has stopped sending, for a limited time.
 */
export function lingerAfterRefusals(server: Server, latestAnswer: LatestAnswer): void {
  server.on("connection", (socket: Socket) => {
    const destroySoon = socket.destroySoon.bind(socket);
    // node:http calls this after the last answer of a connection.
    socket.destroySoon = () => {
      const answer = latestAnswer(socket);
      if (answer?.writableFinished && !answer.req.complete && !socket.destroyed) linger(socket, answer.req);
      else destroySoon();
    };
  });
}

/**
 * To be called before a request is answered: discards what has not arrived of it, and destroys the connection if that is too much.
 * Returns whether anything is missing. node:http itself would discard the rest without a limit.
 */
export function discardRest(incoming: Readable & Pick<IncomingMessage, "complete">): boolean {
  if (incoming.complete) return false;
  let left = MOST_BYTES;
  incoming.on("data", (piece: Uint8Array) => {
    left -= Math.max(SMALLEST_PIECE_BYTES, piece.length);
    if (left < 0) incoming.destroy();
  });
  incoming.resume();
  return true;
}

function linger(socket: Socket, incoming: IncomingMessage): void {
  const destroy = () => socket.destroy();
  const longest = setTimeout(destroy, LONGEST_MILLISECONDS);
  const idle = setTimeout(destroy, IDLE_MILLISECONDS);
  incoming.on("data", () => idle.refresh()).once("end", destroy);
  socket.once("end", destroy).once("close", () => {
    clearTimeout(longest);
    clearTimeout(idle);
  });
  socket.end();
}
