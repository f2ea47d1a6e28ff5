import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** How many requests may wait on one connection. Clients in good order pipeline a handful, if at all. */
export const MAXIMUM_WAITING_REQUESTS = 128;

interface Connection {
  busy: boolean;
  waiting: (() => void)[];
  next(): void;
}

/**
 * A connection's next request is served when the answer before it has left: a client that sends hundreds of requests in a
 * row and reads nothing would have all their answers made and kept, a hundred times what it sent. A connection on which more
 * than `MAXIMUM_WAITING_REQUESTS` wait is closed, as a million small requests fit into few packets and each costs memory.
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
    // Nobody is left to be answered, and nothing was begun for them.
    socket.once("close", () => {
      connection.waiting = [];
    });
  });
  return (response, serve) => {
    const { socket } = response.req;
    const connection = connections.get(socket);
    if (connection === undefined) return serve();
    // The parser still hands over what it had read when the connection was closed.
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
