import { setTimeout as delay } from "node:timers/promises";
import { outputSchemas } from "../../../server/src/contributions.ts";
import { type Answer, type CallRequest, isFinal } from "../call.ts";
import type { Client } from "../client.ts";
import type { Random } from "../random.ts";
import { runWorkers, type Works, workOn } from "../workers.ts";
import { userIds } from "./travelers.ts";

const WORKERS = 24;
/** So many of them only read, so that answers flow at every moment; the others wait for bookings now and then. */
const READERS = 10;
const MOST_TRIES = 8;
const REMEMBERED = 300;
const OFFERS_KEPT = 100;
const ASKED_AGAIN = 30;
const MOST_QUESTIONS = 240;
const PAUSE_BETWEEN_QUESTIONS_MILLISECONDS = 250;

const places = ["London", "Paris", "New York", "Berlin", "Madrid", "Tokyo", "AMS", "Lisbon"] as const;
const routes = ["LHR-CDG", "LHR-AMS", "FRA-MUC", "MAD-BCN", "CDG-FCO", "AMS-BER"] as const;
const subjects = [undefined, ...userIds] as const;

/** Requests that callers repeat over rounds and restarts: by key, and by offer. */
class Memory {
  readonly keyed: CallRequest[] = [];
  readonly bookings: CallRequest[] = [];
  offers: string[] = [];
  #keys = 0;

  newKey(): string {
    this.#keys += 1;
    return `chaos-${this.#keys}`;
  }
}

function remember(list: CallRequest[], request: CallRequest): void {
  list.push(request);
  if (list.length > REMEMBERED) list.shift();
}

/** Mostly one of the latest: those that a kill may have caught. */
function recall(list: readonly CallRequest[], random: Random): CallRequest | undefined {
  const reach = random.chance(0.6) ? Math.min(20, list.length) : list.length;
  return reach === 0 ? undefined : list[list.length - random.between(1, reach)];
}

/** Sends the same call until its answer is final; a caller without patience gives up after some tries. */
async function untilAnswered(ask: () => Promise<Answer>, pause: () => Promise<void>, mostTries: number): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const answer = await ask();
    if (isFinal(answer) || tries >= mostTries) return;
    await pause();
  }
}

/** One of many who call at the same time. */
class Caller {
  readonly #client: Client;
  readonly #memory: Memory;
  readonly #random: Random;
  readonly #signal: AbortSignal;

  constructor(client: Client, memory: Memory, random: Random, signal: AbortSignal) {
    this.#client = client;
    this.#memory = memory;
    this.#random = random;
    this.#signal = signal;
  }

  work(share: number): Promise<void> {
    const works: Works = [
      [30, () => this.#readWithoutKey()],
      [25, () => this.#callWithKey()],
      [12, () => this.#repeatKey()],
      [18, () => this.#book()],
      [6, () => this.#bookTogether()],
      [9, () => this.#bookAgain()],
    ];
    return workOn(works, this.#random, this.#signal, share);
  }

  /** So that answers flow at every moment. */
  read(share: number): Promise<void> {
    const works: Works = [
      [2, () => this.#readWithoutKey()],
      [1, () => this.#search()],
    ];
    return workOn(works, this.#random, this.#signal, share);
  }

  async #ask(request: CallRequest): Promise<Answer> {
    const random = this.#random;
    const answer = await this.#client.call(request, this.#signal);
    // A service that is away answers at once; callers do not hammer it.
    const pause = answer.kind === "ok" ? random.between(0, 25) : random.between(30, 150);
    await delay(pause, undefined, { signal: this.#signal });
    return answer;
  }

  #askUntilAnswered(request: CallRequest): Promise<void> {
    return untilAnswered(
      () => this.#ask(request),
      () => delay(this.#random.between(50, 400), undefined, { signal: this.#signal }),
      MOST_TRIES,
    );
  }

  async #readWithoutKey(): Promise<void> {
    await this.#ask({ tool: "find_airports_nearby", args: { query: this.#random.pick(places) } });
  }

  /** The same key from several callers at once, and again until one of them is answered. */
  async #callWithKey(): Promise<void> {
    const random = this.#random;
    const read = random.chance(0.65);
    const request: CallRequest = {
      tool: read ? "find_airports_nearby" : "ensure_flight_customer",
      args: read ? { query: random.pick(places) } : {},
      userId: random.pick(subjects),
      key: this.#memory.newKey(),
    };
    remember(this.#memory.keyed, request);
    await Promise.all(Array.from({ length: random.between(1, 3) }, () => this.#ask(request)));
    if (random.chance(0.5)) await this.#askUntilAnswered(request);
  }

  async #repeatKey(): Promise<void> {
    const request = recall(this.#memory.keyed, this.#random);
    if (request !== undefined) await this.#askUntilAnswered(request);
  }

  async #findOffer(): Promise<string | undefined> {
    if (this.#random.chance(0.6)) {
      const spare = this.#memory.offers.pop();
      if (spare !== undefined) return spare;
    }
    await this.#search();
    return this.#memory.offers.pop();
  }

  async #search(): Promise<void> {
    const random = this.#random;
    const [origin, destination] = random.pick(routes).split("-");
    // Soon, and it is paid at once; later, and most are held before they are paid.
    const days = random.chance(0.5) ? random.between(0, 1) : random.between(20, 90);
    const departureDate = Temporal.Now.plainDateISO().add({ days }).toString();
    const args = { origin, destination, departureDate };
    const answer = await this.#ask({ tool: "search_flights", args, keepResult: true });
    const found = answer.kind === "ok" ? outputSchemas.search_flights.safeParse(answer.result).data?.offers : undefined;
    if (found === undefined) return;
    // Readers find more than is booked; an offer that waited too long expires.
    this.#memory.offers = [...this.#memory.offers, ...found.map(({ id }) => id)].slice(-OFFERS_KEPT);
  }

  #booking(offerId: string, keyed: boolean): CallRequest {
    const request: CallRequest = {
      tool: "book_flight",
      args: { offerId },
      userId: this.#random.pick(subjects),
      ...(keyed ? { key: this.#memory.newKey() } : {}),
      keepResult: true,
    };
    remember(this.#memory.bookings, request);
    return request;
  }

  async #book(): Promise<void> {
    const offerId = await this.#findOffer();
    if (offerId !== undefined) await this.#askUntilAnswered(this.#booking(offerId, this.#random.chance(0.5)));
  }

  /** One offer wanted by several callers at once: by one key, by keys of their own and without any. */
  async #bookTogether(): Promise<void> {
    const offerId = await this.#findOffer();
    if (offerId === undefined) return;
    const shared = this.#booking(offerId, true);
    const all = [shared, shared, this.#booking(offerId, true), this.#booking(offerId, false)];
    await Promise.all(all.map((request) => this.#askUntilAnswered(request)));
  }

  async #bookAgain(): Promise<void> {
    const request = recall(this.#memory.bookings, this.#random);
    if (request === undefined) return;
    const { key: _, ...withoutKey } = request;
    await this.#askUntilAnswered(this.#random.chance(0.5) ? request : withoutKey);
  }
}

export function createStorm(client: Client, share: number) {
  const memory = new Memory();
  const readers = Math.ceil(READERS * share);
  return {
    async run(random: Random, signal: AbortSignal): Promise<void> {
      await runWorkers(Math.ceil(WORKERS * share), random, signal, (own, index) => {
        const caller = new Caller(client, memory, own, signal);
        return index < readers ? caller.read(share) : caller.work(share);
      });
    },

    /** Without kills: some calls with a key and some bookings once more, answered before or not, as they were sent. */
    async askAgain(random: Random, signal: AbortSignal): Promise<void> {
      const some = (list: readonly CallRequest[]) => random.shuffle(list).slice(0, ASKED_AGAIN);
      for (const request of [...some(memory.keyed), ...some(memory.bookings)]) {
        await untilAnswered(
          () => client.call(request, signal),
          () => delay(PAUSE_BETWEEN_QUESTIONS_MILLISECONDS, undefined, { signal }),
          MOST_QUESTIONS,
        );
      }
    },
  };
}
