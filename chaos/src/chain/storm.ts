import { setTimeout as delay } from "node:timers/promises";
import { outputSchemas } from "../../../server/src/contributions.ts";
import { type Answer, type CallRequest, isFinal } from "../call.ts";
import { userIds } from "../calls/travelers.ts";
import type { Client } from "../client.ts";
import type { Random } from "../random.ts";
import { runWorkers, type Works, workOn } from "../workers.ts";
import { type Operation, toOutcome } from "./journal.ts";
import { type Asked, createOperations, type Sender } from "./operations.ts";

const WORKERS = 16;
/** So many of them only read, so that answers flow at every moment. */
const READERS = 2;
const MOST_TRIES = 6;
const REMEMBERED = 300;
const OFFERS_KEPT = 40;
const ASKED_AGAIN = 40;
const MOST_QUESTIONS = 240;
const PAUSE_BETWEEN_QUESTIONS_MILLISECONDS = 250;

const routes = ["LHR-CDG", "LHR-AMS", "FRA-MUC", "MAD-BCN"] as const;

interface Booking {
  client: Client;
  request: CallRequest;
}

/** Requests that callers repeat over rounds and restarts. */
class Memory {
  /** With a key, so that they can be asked for again. */
  readonly keyed: Asked[] = [];
  readonly bookings: Booking[] = [];
  readonly offers: Map<Sender, string[]>;
  #keys = 0;

  constructor(senders: readonly Sender[]) {
    this.offers = new Map(senders.map((sender) => [sender, []]));
  }

  newKey(): string {
    this.#keys += 1;
    return `chaos-chain-${this.#keys}`;
  }
}

async function ask({ operation, client, request }: Asked, signal: AbortSignal): Promise<Answer> {
  const answer = await client.call(request, signal);
  operation.answers.push(toOutcome(answer));
  return answer;
}

type Make = (random: Random, keyed: boolean) => Asked;
type Senders = readonly [Sender, ...Sender[]];

/** One of many who move money at the same time. */
class Mover {
  readonly #senders: Senders;
  readonly #orders: Readonly<Record<"send" | "split" | "drip", Make>>;
  readonly #memory: Memory;
  readonly #random: Random;
  readonly #signal: AbortSignal;

  constructor(
    scene: { senders: Senders; orders: Readonly<Record<"send" | "split" | "drip", Make>>; memory: Memory },
    random: Random,
    signal: AbortSignal,
  ) {
    this.#senders = scene.senders;
    this.#orders = scene.orders;
    this.#memory = scene.memory;
    this.#random = random;
    this.#signal = signal;
  }

  work(share: number): Promise<void> {
    const { send, split, drip } = this.#orders;
    const works: Works = [
      [38, () => this.#order(send)],
      [14, () => this.#order(split)],
      [24, () => this.#order(drip)],
      [12, () => this.#orderAgain()],
      [8, () => this.#book()],
      [4, () => this.#read()],
    ];
    return workOn(works, this.#random, this.#signal, share);
  }

  /** So that answers flow at every moment. */
  read(share: number): Promise<void> {
    return workOn([[1, () => this.#read()]], this.#random, this.#signal, share);
  }

  #rest(answer: Answer): Promise<void> {
    const random = this.#random;
    const pause = answer.kind === "ok" ? random.between(0, 20) : random.between(30, 150);
    return delay(pause, undefined, { signal: this.#signal });
  }

  async #untilAnswered(question: () => Promise<Answer>): Promise<void> {
    for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
      const answer = await question();
      await this.#rest(answer);
      if (isFinal(answer)) return;
      await delay(this.#random.between(50, 400), undefined, { signal: this.#signal });
    }
  }

  /** With a key several callers may ask at once and again; without one, nobody may ask a second time. */
  async #order(make: Make): Promise<void> {
    const asked = make(this.#random, this.#random.chance(0.6));
    if (asked.request.key === undefined) {
      await this.#rest(await ask(asked, this.#signal));
      return;
    }
    const { keyed } = this.#memory;
    keyed.push(asked);
    if (keyed.length > REMEMBERED) keyed.shift();
    const callers = this.#random.chance(0.3) ? 2 : 1;
    await Promise.all(Array.from({ length: callers }, () => this.#untilAnswered(() => ask(asked, this.#signal))));
  }

  /** Mostly one of the latest: those that a kill may have caught. */
  async #orderAgain(): Promise<void> {
    const { keyed } = this.#memory;
    const reach = this.#random.chance(0.7) ? Math.min(20, keyed.length) : keyed.length;
    const asked = reach === 0 ? undefined : keyed[keyed.length - this.#random.between(1, reach)];
    if (asked !== undefined) await this.#untilAnswered(() => ask(asked, this.#signal));
  }

  async #search(sender: Sender): Promise<void> {
    const random = this.#random;
    const [origin, destination] = random.pick(routes).split("-");
    const days = random.chance(0.5) ? random.between(0, 1) : random.between(20, 90);
    const departureDate = Temporal.Now.plainDateISO().add({ days }).toString();
    const args = { origin, destination, departureDate };
    const answer = await sender.client.call({ tool: "search_flights", args, keepResult: true }, this.#signal);
    await this.#rest(answer);
    const found = answer.kind === "ok" ? outputSchemas.search_flights.safeParse(answer.result).data?.offers : undefined;
    if (found === undefined) return;
    const { offers } = this.#memory;
    offers.set(sender, [...(offers.get(sender) ?? []), ...found.map(({ id }) => id)].slice(-OFFERS_KEPT));
  }

  async #book(): Promise<void> {
    const { offers, bookings } = this.#memory;
    const sender = this.#random.pick(this.#senders);
    if ((offers.get(sender) ?? []).length === 0) await this.#search(sender);
    const offerId = offers.get(sender)?.pop();
    if (offerId === undefined) return;
    const key = this.#random.chance(0.5) ? { key: this.#memory.newKey() } : {};
    const userId = this.#random.pick(userIds);
    const request: CallRequest = { tool: "book_flight", args: { offerId }, userId, ...key, keepResult: true };
    bookings.push({ client: sender.client, request });
    await this.#untilAnswered(() => sender.client.call(request, this.#signal));
  }

  async #read(): Promise<void> {
    const { client } = this.#random.pick(this.#senders);
    await this.#rest(await client.call({ tool: "check_treasury", args: {} }, this.#signal));
  }
}

export function createStorm(senders: Senders, share: number) {
  const memory = new Memory(senders);
  const orders = createOperations(senders, () => memory.newKey());
  const readers = Math.ceil(READERS * share);

  return {
    /** As they are now: what is answered later is not in it. */
    journal: (): Operation[] => orders.operations.map((one) => ({ ...one, answers: [...one.answers] })),

    async run(random: Random, signal: AbortSignal): Promise<void> {
      await runWorkers(Math.ceil(WORKERS * share), random, signal, (own, index) => {
        const mover = new Mover({ senders, orders, memory }, own, signal);
        return index < readers ? mover.read(share) : mover.work(share);
      });
    },

    /** Without kills: some of what had a key, and some bookings, once more as they were sent; and more than anybody has. */
    async askAgain(random: Random, signal: AbortSignal): Promise<void> {
      const some = <Item>(list: readonly Item[]): Item[] => random.shuffle(list).slice(0, ASKED_AGAIN);
      const hopeless = orders.send(random, false, true);
      const questions = [
        () => ask(hopeless, signal),
        ...some(memory.keyed).map((asked) => () => ask(asked, signal)),
        ...some(memory.bookings).map(
          ({ client, request }) =>
            () =>
              client.call(request, signal),
        ),
      ];
      for (const question of questions) {
        for (let tries = 1; tries <= MOST_QUESTIONS && !isFinal(await question()); tries += 1) {
          await delay(PAUSE_BETWEEN_QUESTIONS_MILLISECONDS, undefined, { signal });
        }
      }
    },
  };
}
