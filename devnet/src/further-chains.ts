import { errorText } from "./error-text.ts";
import { failure, LIMIT_EXCEEDED, NO_ROOM } from "./json-rpc.ts";
import { answerQuietBody, readQuietBody } from "./quiet-calls.ts";
import type { Gateway } from "./rpc-gateway.ts";
import type { ChainSpec } from "./settings.ts";

/** The chain's process is gone while it was asked: nobody knows what became of the request. */
export class ChainGone extends Error {
  override name = "ChainGone";
}

/** A chain whose node runs. */
export interface RunningChain {
  gateway: Gateway;
  tipBlock(): number;
  /** Resolves when the chain cannot go on. Opened again, it has everything that it acknowledged. */
  broken: Promise<string>;
  stop(): Promise<void>;
  /** Ends it after it broke. */
  abandon(): Promise<void>;
}

interface FurtherOptions {
  chains: readonly ChainSpec[];
  /** The most that run at the same time. */
  most: number;
  /** Unused for this long, a chain makes room for another one. */
  idleAfterMilliseconds: number;
  /** Unused for this long, it is parked anyway. */
  parkAfterMilliseconds: number;
  open(spec: ChainSpec): Promise<RunningChain>;
  /** The last block of a chain that does not run. */
  readTip(spec: ChainSpec): number;
  say(line: string): void;
}

interface Slot {
  spec: ChainSpec;
  running: RunningChain | undefined;
  /** Requests that are being answered. */
  asked: Set<(error: ChainGone) => void>;
  lastUseMilliseconds: number;
  /** Whoever wants it to stay, such as for a transfer that is in flight, and until when. */
  holds: Map<string, number>;
  parkedBlock: number | undefined;
}

const CHECK_MILLISECONDS = 1_000;
const MOST_HOLDERS = 16;

/**
 * Chains beside the first one. Each starts when it is first used and is parked when nobody uses it: its node ends, its folder stays. At
 * most `most` run; another one then takes the place of the one that has been idle longest.
 */
export class FurtherChains {
  readonly #options: FurtherOptions;
  readonly #slots: ReadonlyMap<string, Slot>;
  readonly #timer: NodeJS.Timeout;
  /** Starts and ends of nodes, one after the other. */
  #changing: Promise<unknown> = Promise.resolve();
  #stopping = false;

  constructor(options: FurtherOptions) {
    this.#options = options;
    this.#slots = new Map(
      options.chains.map((spec) => [
        spec.name,
        {
          spec,
          running: undefined,
          asked: new Set(),
          lastUseMilliseconds: 0,
          holds: new Map(),
          parkedBlock: undefined,
        },
      ]),
    );
    this.#timer = setInterval(() => void this.#parkUnused(), CHECK_MILLISECONDS).unref();
  }

  has(name: string): boolean {
    return this.#slots.has(name);
  }

  list(): { name: string; chainId: number; state: "running" | "parked"; block: number }[] {
    return [...this.#slots.values()].map((slot) => ({
      ...slot.spec,
      state: slot.running === undefined ? "parked" : "running",
      block: this.#readTip(slot),
    }));
  }

  /** Keeps a chain from being parked. No seconds: the holder lets go. False: there is no such chain, or too many hold it. */
  hold(name: string, holder: string, seconds: number): boolean {
    const slot = this.#slots.get(name);
    if (slot === undefined) return false;
    if (seconds === 0) slot.holds.delete(holder);
    else if (slot.holds.size >= MOST_HOLDERS && !slot.holds.has(holder)) return false;
    else slot.holds.set(holder, performance.now() + seconds * 1_000);
    return true;
  }

  /** Answers a request to a chain, which starts for it. Rejects with ChainGone. */
  async answer(name: string, body: string): Promise<Buffer | undefined> {
    const slot = this.#require(name);
    const quiet = readQuietBody(body);
    if (quiet !== undefined) {
      return answerQuietBody(quiet, { chainId: slot.spec.chainId, block: this.#readTip(slot) });
    }
    return await new Promise((resolve, reject) => {
      slot.asked.add(reject);
      this.#ask(slot, body)
        .then(resolve, reject)
        .finally(() => {
          slot.asked.delete(reject);
          slot.lastUseMilliseconds = performance.now();
        });
    });
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#timer);
    await this.#change(async () => {
      await Promise.all([...this.#slots.values()].map((slot) => this.#park(slot)));
    });
  }

  async #ask(slot: Slot, body: string): Promise<Buffer | undefined> {
    const running = slot.running ?? (await this.#start(slot));
    return running === undefined ? refuse(body) : await running.gateway(body);
  }

  #require(name: string): Slot {
    const slot = this.#slots.get(name);
    if (slot === undefined) throw new Error(`There is no chain ${name}.`);
    return slot;
  }

  #readTip(slot: Slot): number {
    if (slot.running !== undefined) return slot.running.tipBlock();
    slot.parkedBlock ??= this.#options.readTip(slot.spec);
    return slot.parkedBlock;
  }

  #change<Result>(work: () => Promise<Result>): Promise<Result> {
    const changed = this.#changing.then(work);
    this.#changing = changed.catch(() => undefined);
    return changed;
  }

  /** Undefined: as many as may run are in use. */
  #start(slot: Slot): Promise<RunningChain | undefined> {
    return this.#change(async () => {
      if (slot.running !== undefined) return slot.running;
      if (this.#stopping) throw new ChainGone("it is stopping");
      const all = [...this.#slots.values()].filter(({ running }) => running !== undefined);
      if (all.length >= this.#options.most) {
        const [idle] = all
          .filter((other) => this.#isUnused(other, this.#options.idleAfterMilliseconds))
          .sort((a, b) => a.lastUseMilliseconds - b.lastUseMilliseconds);
        if (idle === undefined) return undefined;
        await this.#park(idle);
      }
      const begun = performance.now();
      const running = await this.#open(slot.spec);
      slot.running = running;
      void running.broken.then((reason) => this.#drop(slot, running, reason));
      this.#options.say(`${slot.spec.name} runs after ${Math.round(performance.now() - begun)} ms`);
      return running;
    });
  }

  async #open(spec: ChainSpec): Promise<RunningChain> {
    try {
      return await this.#options.open(spec);
    } catch (error) {
      this.#options.say(`${spec.name} does not start: ${errorText(error)}`);
      throw error;
    }
  }

  #isUnused({ asked, holds, lastUseMilliseconds }: Slot, forMilliseconds: number): boolean {
    const now = performance.now();
    for (const [holder, until] of holds) if (until <= now) holds.delete(holder);
    return asked.size === 0 && holds.size === 0 && now - lastUseMilliseconds >= forMilliseconds;
  }

  async #parkUnused(): Promise<void> {
    for (const slot of this.#slots.values()) {
      if (slot.running === undefined || !this.#isUnused(slot, this.#options.parkAfterMilliseconds)) continue;
      await this.#change(async () => {
        if (this.#isUnused(slot, this.#options.parkAfterMilliseconds)) await this.#park(slot);
      });
    }
  }

  /** A request that comes meanwhile waits and starts it again. */
  async #park(slot: Slot): Promise<void> {
    const { running, spec } = slot;
    if (running === undefined) return;
    slot.parkedBlock = running.tipBlock();
    slot.running = undefined;
    await this.#end(spec, () => running.stop());
    this.#options.say(`${spec.name} is parked at block ${slot.parkedBlock}`);
  }

  /** A chain that broke starts again from its log when it is next used; the others go on. */
  async #drop(slot: Slot, running: RunningChain, reason: string): Promise<void> {
    if (slot.running !== running) return;
    const { spec, asked } = slot;
    slot.running = undefined;
    slot.parkedBlock = undefined;
    this.#options.say(`${spec.name} ended: ${reason}`);
    for (const reject of asked) reject(new ChainGone(reason));
    await this.#change(() => this.#end(spec, () => running.abandon()));
  }

  /** Everything that was acknowledged is in the log: an end that fails loses nothing. */
  async #end({ name }: ChainSpec, end: () => Promise<void>): Promise<void> {
    try {
      await end();
    } catch (error) {
      this.#options.say(`${name} was not closed: ${errorText(error)}`);
    }
  }
}

/** Nothing was done, and the same request can be sent again later. */
function refuse(body: string): Buffer {
  const text = "All chains that can run at once are in use: try again in a few seconds.";
  const error = failure(LIMIT_EXCEEDED, text, { reason: NO_ROOM });
  const answer = (call: unknown) => ({ jsonrpc: "2.0", id: readId(call), ...error });
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    value = undefined;
  }
  return Buffer.from(JSON.stringify(Array.isArray(value) ? value.map(answer) : answer(value)));
}

function readId(call: unknown): string | number | null {
  const id = typeof call === "object" && call !== null && "id" in call ? call.id : null;
  return typeof id === "string" || typeof id === "number" ? id : null;
}
