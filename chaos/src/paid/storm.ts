import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { Hex } from "../../../server/src/domain/tokens.ts";
import type { Random } from "../random.ts";
import type { Buyer, Terms } from "./buyer.ts";
import { isFinal, type PaidOutcome, type PaidTool, type Purchase, paidAnswers } from "./purchase.ts";
import { createShop, priceKey } from "./shop.ts";
import { authorize, lower, newWallet, type Till } from "./wallets.ts";

const WORKERS = 16;
/** So many of them only quote, so that answers flow at every moment. */
const READERS = 3;
const OFFERS_KEPT = 40;
const REMEMBERED = 200;
const ASKED_AGAIN = 60;
const MOST_QUESTIONS = 480;
const PAUSE_BETWEEN_QUESTIONS_MILLISECONDS = 250;
const HOSTS = 2;
/** Where a drained wallet's money goes. */
const SINK: Hex = "0x00000000000000000000000000000000000d4a1a";
/** An authorization that is over so soon is not worth new money. */
const MARGIN_SECONDS = 20;

const Offers = z.object({ offers: z.array(z.object({ id: z.string() })) });

export interface StormOptions {
  buyer: Buyer;
  till: Till;
  prices: ReadonlyMap<string, Terms>;
  /** With money for a whole run. */
  wallets: readonly [Wallet, ...Wallet[]];
  share: number;
}
type Wallet = ReturnType<typeof newWallet>;

export function createStorm({ buyer, till, prices, wallets, share }: StormOptions) {
  const shop = createShop(prices);
  const { purchases } = shop;
  const offers: string[] = [];
  /** Each is bought by one purchase only: several callers get the same answer. */
  const known = new Set<string>();

  const payTo = (purchase: Purchase): Hex | undefined => prices.get(priceKey(purchase.tool, purchase.keyed))?.payTo;

  async function worker(reader: boolean, random: Random, signal: AbortSignal): Promise<void> {
    const host = (): number => random.between(0, HOSTS - 1);

    async function ask(purchase: Purchase, other = false): Promise<PaidOutcome> {
      const outcome = await buyer.ask(purchase, host(), other, signal);
      await delay(isFinal(outcome) ? random.between(0, 20) : random.between(30, 400), undefined, { signal });
      return outcome;
    }

    /** The same signature, until the round ends or its buyer knows. */
    async function untilAnswered(purchase: Purchase): Promise<void> {
      while (!isFinal(await ask(purchase)));
      purchase.endedAt = Date.now();
      keepOffers(purchase);
    }

    async function buy(tool: PaidTool, keyed: boolean, picked: readonly string[] = []): Promise<void> {
      const withOther = random.chance(0.15);
      const purchase = await shop.order(random.pick(wallets), { tool, keyed, offers: picked, withOther });
      const callers = random.chance(0.3) ? random.between(2, 4) : 1;
      await Promise.all([
        ...Array.from({ length: callers }, () => untilAnswered(purchase)),
        ...(withOther ? [ask(purchase, true)] : []),
      ]);
    }

    /** The payer broadcasts its own authorization and asks then: it has paid. */
    async function broadcastFirst(): Promise<void> {
      const purchase = await shop.order(random.pick(wallets), { tool: "quote_fx", keyed: false });
      purchase.broadcastFirst = true;
      const to = payTo(purchase);
      if (to !== undefined) await till.broadcast(purchase.authorization, to);
      await untilAnswered(purchase);
    }

    /** A wallet with the money for one call, which is gone before that call is settled, or is not. */
    async function drain(): Promise<void> {
      const [tool, keyed]: [PaidTool, boolean] = random.chance(0.5) ? ["search_flights", false] : ["send_tokens", true];
      const terms = prices.get(priceKey(tool, keyed));
      const wallet = newWallet();
      if (terms === undefined || !(await till.pay(lower(wallet.address), terms.amount))) return;
      const purchase = await shop.order(wallet, { tool, keyed });
      purchase.drained = true;
      const away = await authorize(wallet, { ...terms, payTo: SINK });
      const pause = random.between(0, 60);
      await Promise.all([
        untilAnswered(purchase),
        delay(pause, undefined, { signal }).then(() => till.broadcast(away, SINK)),
      ]);
    }

    async function book(): Promise<void> {
      const picked = [offers.pop(), offers.pop()].filter((offer) => offer !== undefined);
      if (picked.length < 2) await buy("search_flights", true);
      else await buy("book_flight", true, picked);
    }

    /** Mostly one of the latest: those that a kill may have caught. */
    async function askAgain(): Promise<void> {
      const known = purchases.slice(-(random.chance(0.7) ? 20 : REMEMBERED));
      const [purchase] = random.shuffle(known);
      if (purchase !== undefined) await ask(purchase);
    }

    /** Each as often as it weighs among a hundred. */
    const works = [
      [34, () => buy("search_flights", random.chance(0.3))],
      [16, () => buy("quote_fx", random.chance(0.3))],
      [18, () => buy("send_tokens", true)],
      [10, book],
      [10, askAgain],
      [5, broadcastFirst],
      [7, drain],
    ] as const;
    const all = works.flatMap(([weight, work]) => Array.from({ length: weight }, () => work));
    const quote = () => buy("quote_fx", false);
    while (!signal.aborted) await (reader ? quote : (all[random.between(0, all.length - 1)] ?? quote))();
  }

  function keepOffers(purchase: Purchase): void {
    if (purchase.tool !== "search_flights" || purchase.args.passengers !== 1) return;
    const [answer] = paidAnswers(purchase);
    const found = Offers.safeParse(answer?.result).data?.offers ?? [];
    const fresh = found.map(({ id }) => id).filter((id) => !known.has(id));
    for (const id of fresh) known.add(id);
    offers.push(...fresh);
    offers.splice(0, Math.max(0, offers.length - OFFERS_KEPT));
  }

  async function untilFinal(purchase: Purchase, other: boolean, signal: AbortSignal): Promise<void> {
    for (let tries = 1; tries <= MOST_QUESTIONS; tries += 1) {
      if (isFinal(await buyer.ask(purchase, tries % HOSTS, other, signal))) return;
      await delay(PAUSE_BETWEEN_QUESTIONS_MILLISECONDS, undefined, { signal });
    }
  }

  return {
    /** As they are now: what is answered later is not in it. */
    journal: (): Purchase[] => purchases.map((one) => ({ ...one, answers: [...one.answers] })),

    async run(random: Random, signal: AbortSignal): Promise<void> {
      const workers = Array.from({ length: Math.ceil(WORKERS * share) }, (_, index) =>
        worker(index < Math.ceil(READERS * share), random.fork(`worker-${index}`), signal).catch((error: unknown) => {
          // The pauses between calls end with the round.
          if (!signal.aborted) throw error;
        }),
      );
      await Promise.all(workers);
    },

    /** Of what buyers do beside buying. */
    covered(): [string, boolean][] {
      const isAnswered = (purchase: Purchase) => paidAnswers(purchase).length > 0;
      return [
        ["a payment that its payer broadcast", purchases.some((one) => one.broadcastFirst && isAnswered(one))],
        ["a payment for one of two bodies", purchases.some((one) => one.otherArgs !== undefined && isAnswered(one))],
      ];
    },

    notes(): string[] {
      const broadcast = purchases.filter(({ broadcastFirst }) => broadcastFirst).length;
      const drained = purchases.filter((purchase) => purchase.drained);
      const unpaid = drained.filter((purchase) => paidAnswers(purchase).length === 0).length;
      const others = purchases.filter(({ otherArgs }) => otherArgs !== undefined).length;
      return [
        `purchases     ${purchases.length}: ${broadcast} broadcast by their payer, ${others} sent with another body too, ${drained.length} by drained wallets (${unpaid} of them not paid)`,
      ];
    },

    /**
     * Without kills: everything that was not answered as paid, drained wallets with money again among it, and some of what was, on
     * both hosts.
     */
    async askAgain(random: Random, signal: AbortSignal): Promise<void> {
      const soon = BigInt(Math.floor(Date.now() / 1000) + MARGIN_SECONDS);
      const drained = purchases.filter(
        (one) => one.drained && paidAnswers(one).length === 0 && one.authorization.validBefore > soon,
      );
      for (const { authorization } of drained) await till.pay(authorization.payer, authorization.amount);
      // Whatever was refused too: a refusal may only stand where nothing was taken.
      const unpaid = purchases.filter((one) => paidAnswers(one).length === 0);
      const paid = random.shuffle(purchases.filter((one) => paidAnswers(one).length > 0)).slice(0, ASKED_AGAIN);
      for (const purchase of [...unpaid, ...paid]) {
        await untilFinal(purchase, false, signal);
        // The other body may be the one that was bought.
        if (purchase.otherArgs !== undefined && paidAnswers(purchase).length === 0)
          await untilFinal(purchase, true, signal);
        purchase.endedAt ??= Date.now();
      }
    },
  };
}
