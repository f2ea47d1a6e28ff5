import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** The most requests that may wait on a connection. Orderly clients pipeline a handful at most. */
export const MAXIMUM_WAITING_REQUESTS = 128;

interface Connection {
  busy: boolean;
  waiting: (() => void)[];
  next(): void;
}

/**
 * Serves a connection's next request when the previous answer has left: otherwise a client that sends hundreds of requests and
 * reads nothing would have all their answers made and kept, a hundred times what it sent. A connection with more than
 * `MAXIMUM_WAITING_REQUESTS` waiting is closed, as a million small requests fit into few packets and each costs memory.
 */
export function takeTurns(server: Server): (response: ServerResponse, serve: () => void) => void {
  const connections = new WeakMap<Socket, Connection>();
  server.on("connection", (socket: Socket) => {
    const connection: Connection = {
      busy: false,
      waiting: [],
      next() {
        const serve = connection.waiting.shift();
        if (serve === undefined) connection.busy = false;
        else serve();
      },
    };
    connections.set(socket, connection);
    // No client is left, and nothing was begun for it.
    socket.once("close", () => {
      connection.waiting = [];
    });
  });
  return (response, serve) => {
    const { socket } = response.req;
    const connection = connections.get(socket);
    if (connection === undefined) return serve();
    // The parser still delivers what it had read when the connection was closed.
    if (socket.destroyed) return;
    if (connection.waiting.length === MAXIMUM_WAITING_REQUESTS) {
      connection.waiting = [];
      socket.destroy();
      return;
    }
    response.once("close", connection.next);
    if (connection.busy) {
      connection.waiting.push(serve);
      return;
    }
    connection.busy = true;
    serve();
  };
}
