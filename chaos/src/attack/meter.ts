import { channel } from "node:diagnostics_channel";
import { readFileSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { z } from "zod";
import { type Decorators, decorateChains } from "../../../server/src/decorate.ts";
import { mapEnvironments } from "../../../server/src/kernel/contracts/parts.ts";
import { type OutsideCall, outsideCalls, type Reading } from "./reading.ts";
import { createWaitingTool } from "./waiting-tool.ts";

const LookUp = z.looseObject({ name: z.literal("authenticate-keys"), values: z.tuple([z.array(z.string())]) });
const Accepted = z.object({ socket: z.instanceof(Socket) });
const Started = z.object({ response: z.custom<ServerResponse>() });

const LOOK_MILLISECONDS = 10;
const MEGABYTE = 1024 * 1024;
const COLLECTIONS = 3;

/** Counts inside of the attacked service what no client can see. */
export class Meter {
  readonly #waitingTool = createWaitingTool();
  readonly #calls = { keyLookUps: 0, chainQuestions: 0, supplierRequests: 0, tripLookUps: 0 };
  #waiting = 0;
  #mostWaiting = 0;
  /** By the port of the other end. */
  readonly #connections = new Map<string, Socket>();
  #before = usedBytes();
  #grown = 0;
  #held = 0;

  constructor() {
    channel("http.server.request.start").subscribe((message) => {
      this.#waiting += 1;
      this.#mostWaiting = Math.max(this.#mostWaiting, this.#waiting);
      Started.parse(message).response.once("close", () => {
        this.#waiting -= 1;
      });
    });
    channel("net.server.socket").subscribe((message) => {
      const { socket } = Accepted.parse(message);
      const port = String(socket.remotePort);
      this.#connections.set(port, socket);
      socket.once("close", () => {
        if (this.#connections.get(port) === socket) this.#connections.delete(port);
      });
    });
    setInterval(() => {
      this.#look();
    }, LOOK_MILLISECONDS).unref();
  }

  /** Counters around the parts that ask outside. */
  readonly decorators: Decorators = {
    pool: (pool) => {
      const { query } = pool;
      const counting = (...args: unknown[]) => {
        this.#calls.keyLookUps += LookUp.safeParse(args[0]).data?.values[0].length ?? 0;
        return Reflect.apply(query, pool, args);
      };
      Object.assign(pool, { query: counting });
      return pool;
    },
    chains: (chains) =>
      decorateChains(chains, (openedChain) => ({
        ...openedChain,
        verifier: {
          ...openedChain.verifier,
          verify: (payment, terms) => {
            this.#calls.chainQuestions += 1;
            return openedChain.verifier.verify(payment, terms);
          },
        },
      })),
    mcpExtras: () => this.#waitingTool.extras,
    suppliers: (suppliers) =>
      mapEnvironments(suppliers, (supplier) => ({
        ...supplier,
        flights: this.#counting(supplier.flights, "supplierRequests"),
        stays: this.#counting(supplier.stays, "supplierRequests"),
      })),
    stores: (stores) => ({
      ...stores,
      trips: {
        ...stores.trips,
        get: (environment, tripId) => {
          this.#calls.tripLookUps += 1;
          return stores.trips.get(environment, tripId);
        },
      },
    }),
  };

  async reset(): Promise<void> {
    await collectAll();
    resetHighest();
    this.#before = usedBytes();
    this.#grown = 0;
    this.#held = 0;
    this.#mostWaiting = this.#waiting;
    for (const name of outsideCalls) this.#calls[name] = 0;
  }

  /** Looks at what is held once garbage is gone, however busy the machine is and whenever it would have been collected. */
  async collect(): Promise<void> {
    await collectAll();
    this.#held = Math.max(this.#held, usedBytes().heap - this.#before.heap);
  }

  read(): Reading {
    this.#look();
    return {
      grownMegabytes: this.#grown / MEGABYTE,
      heldMegabytes: this.#held / MEGABYTE,
      mostWaitingRequests: this.#mostWaiting,
      waitingRequests: this.#waiting,
      connections: this.#connections.size,
      readBytes: Object.fromEntries([...this.#connections].map(([port, { bytesRead }]) => [port, bytesRead])),
      runningStreams: this.#waitingTool.running(),
      calls: { ...this.#calls },
    };
  }

  #look(): void {
    const { heap, process: whole } = usedBytes();
    const highest = Math.max(whole, highestBytes());
    this.#grown = Math.max(this.#grown, heap - this.#before.heap, highest - this.#before.process);
  }

  #counting<Part extends object>(part: Part, name: OutsideCall): Part {
    return new Proxy(part, {
      get: (target, property) => {
        const value: unknown = Reflect.get(target, property, target);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          this.#calls[name] += 1;
          return Reflect.apply(value, target, args);
        };
      },
    });
  }
}

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

function usedBytes(): { heap: number; process: number } {
  const { rss, heapUsed, external } = process.memoryUsage();
  return { heap: heapUsed + external, process: rss };
}

/** Memory held by a closed connection is released over several turns of the event loop. */
async function collectAll(): Promise<void> {
  for (let time = 0; time < COLLECTIONS; time += 1) {
    collectGarbage();
    await setImmediate();
  }
}

/** Linux knows the highest between two looks; elsewhere the looks have to do. */
function resetHighest(): void {
  try {
    writeFileSync("/proc/self/clear_refs", "5");
  } catch {
    // Not there.
  }
}

function highestBytes(): number {
  try {
    const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
    return Number(kilobytes ?? 0) * 1024;
  } catch {
    return 0;
  }
}
