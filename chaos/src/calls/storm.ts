import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { Answer, CallRequest } from "../call.ts";
import type { Client } from "../client.ts";
import type { Random } from "../random.ts";
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

const Offers = z.object({ offers: z.array(z.object({ id: z.string() })) });

const places = ["London", "Paris", "New York", "Berlin", "Madrid", "Tokyo", "AMS", "Lisbon"] as const;
const routes = ["LHR-CDG", "LHR-AMS", "FRA-MUC", "MAD-BCN", "CDG-FCO", "AMS-BER"] as const;
const subjects = [undefined, ...userIds] as const;

/** What callers remember over rounds and restarts, to ask for it again: by key, and by offer. */
interface Memory {
  keyed: CallRequest[];
  bookings: CallRequest[];
  offers: string[];
  keys: number;
}

export function createStorm(client: Client, share: number) {
  const memory: Memory = { keyed: [], bookings: [], offers: [], keys: 0 };

  function remember(list: CallRequest[], request: CallRequest): void {
    list.push(request);
    if (list.length > REMEMBERED) list.shift();
  }
  /** Mostly one of the latest: those that a kill may have caught. */
  function recall(list: readonly CallRequest[], random: Random): CallRequest | undefined {
    const reach = random.chance(0.6) ? Math.min(20, list.length) : list.length;
    return reach === 0 ? undefined : list[list.length - random.between(1, reach)];
  }
  function newKey(): string {
    memory.keys += 1;
    return `chaos-${memory.keys}`;
  }

  /** Sends the same call until its answer is final; a caller without patience gives up after some tries. */
  async function untilAnswered(
    ask: () => Promise<Answer>,
    pause: () => Promise<void>,
    mostTries: number,
  ): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const answer = await ask();
      const final = answer.kind === "ok" || (answer.kind === "refused" && !answer.retryable);
      if (final || tries >= mostTries) return;
      await pause();
    }
  }

  async function worker(reader: boolean, random: Random, signal: AbortSignal): Promise<void> {
    const ask = async (request: CallRequest): Promise<Answer> => {
      const answer = await client.call(request, signal);
      // A service that is away answers at once; callers do not hammer it.
      await delay(answer.kind === "ok" ? random.between(0, 25) : random.between(30, 150), undefined, { signal });
      return answer;
    };

    const askUntilAnswered = (request: CallRequest): Promise<void> =>
      untilAnswered(
        () => ask(request),
        () => delay(random.between(50, 400), undefined, { signal }),
        MOST_TRIES,
      );

    async function readWithoutKey(): Promise<void> {
      await ask({ tool: "find_airports_nearby", args: { query: random.pick(places) } });
    }

    /** The same key from several callers at once, and again until one of them is answered. */
    async function callWithKey(): Promise<void> {
      const read = random.chance(0.65);
      const request: CallRequest = {
        tool: read ? "find_airports_nearby" : "ensure_flight_customer",
        args: read ? { query: random.pick(places) } : {},
        userId: random.pick(subjects),
        key: newKey(),
      };
      remember(memory.keyed, request);
      await Promise.all(Array.from({ length: random.between(1, 3) }, () => ask(request)));
      if (random.chance(0.5)) await askUntilAnswered(request);
    }

    async function repeatKey(): Promise<void> {
      const request = recall(memory.keyed, random);
      if (request !== undefined) await askUntilAnswered(request);
    }

    async function findOffer(): Promise<string | undefined> {
      if (random.chance(0.6)) {
        const spare = memory.offers.pop();
        if (spare !== undefined) return spare;
      }
      await search();
      return memory.offers.pop();
    }

    async function search(): Promise<void> {
      const [origin, destination] = random.pick(routes).split("-");
      // Soon, and it is paid at once; later, and most are held before they are paid.
      const days = random.chance(0.5) ? random.between(0, 1) : random.between(20, 90);
      const departureDate = Temporal.Now.plainDateISO().add({ days }).toString();
      const answer = await ask({
        tool: "search_flights",
        args: { origin, destination, departureDate },
        keepResult: true,
      });
      const found = answer.kind === "ok" ? Offers.safeParse(answer.result).data?.offers : undefined;
      if (found === undefined) return;
      // Readers find more than is booked; an offer that waited too long expires.
      memory.offers = [...memory.offers, ...found.map(({ id }) => id)].slice(-OFFERS_KEPT);
    }

    function booking(offerId: string, keyed: boolean): CallRequest {
      const request: CallRequest = {
        tool: "book_flight",
        args: { offerId },
        userId: random.pick(subjects),
        ...(keyed ? { key: newKey() } : {}),
        keepResult: true,
      };
      remember(memory.bookings, request);
      return request;
    }

    async function book(): Promise<void> {
      const offerId = await findOffer();
      if (offerId !== undefined) await askUntilAnswered(booking(offerId, random.chance(0.5)));
    }

    /** One offer wanted by several callers at once: by one key, by keys of their own and without any. */
    async function bookTogether(): Promise<void> {
      const offerId = await findOffer();
      if (offerId === undefined) return;
      const shared = booking(offerId, true);
      await Promise.all([shared, shared, booking(offerId, true), booking(offerId, false)].map(askUntilAnswered));
    }

    async function bookAgain(): Promise<void> {
      const request = recall(memory.bookings, random);
      if (request === undefined) return;
      const { key: _, ...withoutKey } = request;
      await askUntilAnswered(random.chance(0.5) ? request : withoutKey);
    }

    /** Each as often as it weighs among a hundred. */
    const operations = [
      [30, readWithoutKey],
      [25, callWithKey],
      [12, repeatKey],
      [18, book],
      [6, bookTogether],
      [9, bookAgain],
    ] as const;
    const all = operations.flatMap(([weight, work]) => Array.from({ length: weight }, () => work));
    const draws = reader ? [readWithoutKey, readWithoutKey, search] : all;
    while (!signal.aborted) await (draws[random.between(0, draws.length - 1)] ?? readWithoutKey)();
  }

  return {
    async run(random: Random, signal: AbortSignal): Promise<void> {
      const workers = Array.from({ length: Math.ceil(WORKERS * share) }, (_, index) =>
        worker(index < Math.ceil(READERS * share), random.fork(`worker-${index}`), signal).catch((error: unknown) => {
          // The pauses between calls end with the round.
          if (!signal.aborted) throw error;
        }),
      );
      await Promise.all(workers);
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
