import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

const LOOK_MILLISECONDS = 100;

interface Backend {
  port: number;
  isReady: boolean;
}

/** Passes TCP connections on to whichever backend says at `/readyz` that it is ready, as a balancer in front of several would. */
export class Balancer {
  readonly #backends: readonly Backend[];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #timer: NodeJS.Timeout;
  #next = 0;

  constructor(ports: readonly number[]) {
    this.#backends = ports.map((port) => ({ port, isReady: false }));
    this.#server = createServer((client) => this.#pass(client));
    this.#timer = setInterval(() => void this.#look(), LOOK_MILLISECONDS);
  }

  /** Where it listens. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const address = this.#server.address();
    if (typeof address !== "object" || address === null) throw new Error("The balancer does not listen.");
    return `http://127.0.0.1:${address.port}`;
  }

  async untilReady(port: number): Promise<void> {
    while (!this.#backends.some((backend) => backend.port === port && backend.isReady)) await delay(LOOK_MILLISECONDS);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #look(): Promise<void> {
    for (const backend of this.#backends) {
      try {
        const response = await fetch(`http://127.0.0.1:${backend.port}/readyz`, { headers: { connection: "close" } });
        await response.arrayBuffer();
        backend.isReady = response.status === 200;
      } catch {
        backend.isReady = false;
      }
    }
  }

  #pass(client: Socket): void {
    const ready = this.#backends.filter(({ isReady }) => isReady);
    const backend = ready[this.#next++ % Math.max(1, ready.length)];
    if (backend === undefined) {
      client.destroy();
      return;
    }
    const server = connect(backend.port, "127.0.0.1");
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    }
    client.on("error", () => server.destroy());
    server.on("error", () => client.destroy());
    client.pipe(server).pipe(client);
  }
}
