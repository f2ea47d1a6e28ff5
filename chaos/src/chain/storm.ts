import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { Answer, CallRequest } from "../call.ts";
import { userIds } from "../calls/travelers.ts";
import type { Client } from "../client.ts";
import type { Random } from "../random.ts";
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

const Offers = z.object({ offers: z.array(z.object({ id: z.string() })) });
const routes = ["LHR-CDG", "LHR-AMS", "FRA-MUC", "MAD-BCN"] as const;

interface Booking {
  client: Client;
  request: CallRequest;
}

export function createStorm(senders: readonly [Sender, ...Sender[]], share: number) {
  let keys = 0;
  const newKey = (): string => {
    keys += 1;
    return `chaos-chain-${keys}`;
  };
  const orders = createOperations(senders, newKey);
  /** With a key, so that they can be asked for again. */
  const keyed: Asked[] = [];
  const bookings: Booking[] = [];
  const offers = new Map<Sender, string[]>(senders.map((sender) => [sender, []]));

  async function ask({ operation, client, request }: Asked, signal: AbortSignal): Promise<Answer> {
    const answer = await client.call(request, signal);
    operation.answers.push(toOutcome(answer));
    return answer;
  }

  function isFinal(answer: Answer): boolean {
    return answer.kind === "ok" || (answer.kind === "refused" && !answer.retryable);
  }

  async function worker(reader: boolean, random: Random, signal: AbortSignal): Promise<void> {
    const rest = (answer: Answer): Promise<void> =>
      delay(answer.kind === "ok" ? random.between(0, 20) : random.between(30, 150), undefined, { signal });

    async function untilAnswered(question: () => Promise<Answer>): Promise<void> {
      for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
        const answer = await question();
        await rest(answer);
        if (isFinal(answer)) return;
        await delay(random.between(50, 400), undefined, { signal });
      }
    }

    /** With a key several callers may ask at once and again; without one, nobody may ask a second time. */
    async function order(make: (random: Random, keyed: boolean) => Asked): Promise<void> {
      const asked = make(random, random.chance(0.6));
      if (asked.request.key === undefined) {
        await rest(await ask(asked, signal));
        return;
      }
      keyed.push(asked);
      if (keyed.length > REMEMBERED) keyed.shift();
      const callers = random.chance(0.3) ? 2 : 1;
      await Promise.all(Array.from({ length: callers }, () => untilAnswered(() => ask(asked, signal))));
    }

    /** Mostly one of the latest: those that a kill may have caught. */
    async function orderAgain(): Promise<void> {
      const reach = random.chance(0.7) ? Math.min(20, keyed.length) : keyed.length;
      const asked = reach === 0 ? undefined : keyed[keyed.length - random.between(1, reach)];
      if (asked !== undefined) await untilAnswered(() => ask(asked, signal));
    }

    async function search(sender: Sender): Promise<void> {
      const [origin, destination] = random.pick(routes).split("-");
      const days = random.chance(0.5) ? random.between(0, 1) : random.between(20, 90);
      const departureDate = Temporal.Now.plainDateISO().add({ days }).toString();
      const args = { origin, destination, departureDate };
      const answer = await sender.client.call({ tool: "search_flights", args, keepResult: true }, signal);
      await rest(answer);
      const found = answer.kind === "ok" ? Offers.safeParse(answer.result).data?.offers : undefined;
      if (found === undefined) return;
      offers.set(sender, [...(offers.get(sender) ?? []), ...found.map(({ id }) => id)].slice(-OFFERS_KEPT));
    }

    async function book(): Promise<void> {
      const sender = random.pick(senders);
      if ((offers.get(sender) ?? []).length === 0) await search(sender);
      const offerId = offers.get(sender)?.pop();
      if (offerId === undefined) return;
      const key = random.chance(0.5) ? { key: newKey() } : {};
      const request: CallRequest = {
        tool: "book_flight",
        args: { offerId },
        userId: random.pick(userIds),
        ...key,
        keepResult: true,
      };
      bookings.push({ client: sender.client, request });
      await untilAnswered(() => sender.client.call(request, signal));
    }

    async function read(): Promise<void> {
      const { client } = random.pick(senders);
      await rest(await client.call({ tool: "check_treasury", args: {} }, signal));
    }

    /** Each as often as it weighs among a hundred. */
    const works = [
      [38, () => order(orders.send)],
      [14, () => order(orders.split)],
      [24, () => order(orders.drip)],
      [12, orderAgain],
      [8, book],
      [4, read],
    ] as const;
    const all = works.flatMap(([weight, work]) => Array.from({ length: weight }, () => work));
    while (!signal.aborted) await (reader ? read : (all[random.between(0, all.length - 1)] ?? read))();
  }

  return {
    /** As they are now: what is answered later is not in it. */
    journal: (): Operation[] => orders.operations.map((one) => ({ ...one, answers: [...one.answers] })),

    async run(random: Random, signal: AbortSignal): Promise<void> {
      const workers = Array.from({ length: Math.ceil(WORKERS * share) }, (_, index) =>
        worker(index < Math.ceil(READERS * share), random.fork(`worker-${index}`), signal).catch((error: unknown) => {
          // The pauses between calls end with the round.
          if (!signal.aborted) throw error;
        }),
      );
      await Promise.all(workers);
    },

    /** Without kills: some of what had a key, and some bookings, once more as they were sent; and more than anybody has. */
    async askAgain(random: Random, signal: AbortSignal): Promise<void> {
      const some = <Item>(list: readonly Item[]): Item[] => random.shuffle(list).slice(0, ASKED_AGAIN);
      const hopeless = orders.send(random, false, true);
      const questions = [
        () => ask(hopeless, signal),
        ...some(keyed).map((asked) => () => ask(asked, signal)),
        ...some(bookings).map(
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
