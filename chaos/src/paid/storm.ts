import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { Hex } from "../../../server/src/domain/tokens.ts";
import type { Random } from "../random.ts";
import { runWorkers, type Works, workOn } from "../workers.ts";
import type { Buyer, Terms } from "./buyer.ts";
import { isFinal, type PaidOutcome, type PaidTool, type Purchase, paidAnswers } from "./purchase.ts";
import { createShop, priceKey, type Shop } from "./shop.ts";
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

interface StormOptions {
  buyer: Buyer;
  till: Till;
  prices: ReadonlyMap<string, Terms>;
  /** With money for a whole run. */
  wallets: readonly [Wallet, ...Wallet[]];
  share: number;
}
type Wallet = ReturnType<typeof newWallet>;

/** The offers and purchases of all buyers in a run. */
class Market {
  readonly options: StormOptions;
  readonly shop: Shop;
  readonly offers: string[] = [];
  /** Each is bought by one purchase only: several callers get the same answer. */
  readonly #known = new Set<string>();

  constructor(options: StormOptions) {
    this.options = options;
    this.shop = createShop(options.prices);
  }

  keepOffers(purchase: Purchase): void {
    if (purchase.tool !== "search_flights" || purchase.args.passengers !== 1) return;
    const [answer] = paidAnswers(purchase);
    const found = Offers.safeParse(answer?.result).data?.offers ?? [];
    const fresh = found.map(({ id }) => id).filter((id) => !this.#known.has(id));
    for (const id of fresh) this.#known.add(id);
    this.offers.push(...fresh);
    this.offers.splice(0, Math.max(0, this.offers.length - OFFERS_KEPT));
  }
}

/** One of many who pay call by call at the same time. */
class Customer {
  readonly #market: Market;
  readonly #random: Random;
  readonly #signal: AbortSignal;

  constructor(market: Market, random: Random, signal: AbortSignal) {
    this.#market = market;
    this.#random = random;
    this.#signal = signal;
  }

  work(): Promise<void> {
    const random = this.#random;
    const works: Works = [
      [34, () => this.#buy("search_flights", random.chance(0.3))],
      [16, () => this.#buy("quote_fx", random.chance(0.3))],
      [18, () => this.#buy("send_tokens", true)],
      [10, () => this.#book()],
      [10, () => this.#askAgain()],
      [5, () => this.#broadcastFirst()],
      [7, () => this.#drain()],
    ];
    return workOn(works, random, this.#signal, this.#market.options.share);
  }

  /** So that answers flow at every moment. */
  quote(): Promise<void> {
    return workOn([[1, () => this.#buy("quote_fx", false)]], this.#random, this.#signal, this.#market.options.share);
  }

  async #ask(purchase: Purchase, other = false): Promise<PaidOutcome> {
    const random = this.#random;
    const host = random.between(0, HOSTS - 1);
    const outcome = await this.#market.options.buyer.ask(purchase, host, other, this.#signal);
    const pause = isFinal(outcome) ? random.between(0, 20) : random.between(30, 400);
    await delay(pause, undefined, { signal: this.#signal });
    return outcome;
  }

  /** The same signature, until the round ends or its buyer knows. */
  async #untilAnswered(purchase: Purchase): Promise<void> {
    while (!isFinal(await this.#ask(purchase)));
    purchase.endedAt = Date.now();
    this.#market.keepOffers(purchase);
  }

  async #buy(tool: PaidTool, keyed: boolean, picked: readonly string[] = []): Promise<void> {
    const random = this.#random;
    const withOther = random.chance(0.15);
    const wallet = random.pick(this.#market.options.wallets);
    const purchase = await this.#market.shop.order(wallet, { tool, keyed, offers: picked, withOther });
    const callers = random.chance(0.3) ? random.between(2, 4) : 1;
    await Promise.all([
      ...Array.from({ length: callers }, () => this.#untilAnswered(purchase)),
      ...(withOther ? [this.#ask(purchase, true)] : []),
    ]);
  }

  /** The payer broadcasts its own authorization and asks then: it has paid. */
  async #broadcastFirst(): Promise<void> {
    const { shop, options } = this.#market;
    const purchase = await shop.order(this.#random.pick(options.wallets), { tool: "quote_fx", keyed: false });
    purchase.broadcastFirst = true;
    const to = options.prices.get(priceKey(purchase.tool, purchase.keyed))?.payTo;
    if (to !== undefined) await options.till.broadcast(purchase.authorization, to);
    await this.#untilAnswered(purchase);
  }

  /** A wallet with the money for one call, which is gone before that call is settled, or is not. */
  async #drain(): Promise<void> {
    const { shop, options } = this.#market;
    const { till } = options;
    const random = this.#random;
    const [tool, keyed]: [PaidTool, boolean] = random.chance(0.5) ? ["search_flights", false] : ["send_tokens", true];
    const terms = options.prices.get(priceKey(tool, keyed));
    const wallet = newWallet();
    if (terms === undefined || !(await till.pay(lower(wallet.address), terms.amount))) return;
    const purchase = await shop.order(wallet, { tool, keyed });
    purchase.drained = true;
    const away = await authorize(wallet, { ...terms, payTo: SINK });
    const pause = random.between(0, 60);
    await Promise.all([
      this.#untilAnswered(purchase),
      delay(pause, undefined, { signal: this.#signal }).then(() => till.broadcast(away, SINK)),
    ]);
  }

  async #book(): Promise<void> {
    const { offers } = this.#market;
    const picked = [offers.pop(), offers.pop()].filter((offer) => offer !== undefined);
    if (picked.length < 2) await this.#buy("search_flights", true);
    else await this.#buy("book_flight", true, picked);
  }

  /** Mostly one of the latest: those that a kill may have caught. */
  async #askAgain(): Promise<void> {
    const latest = this.#market.shop.purchases.slice(-(this.#random.chance(0.7) ? 20 : REMEMBERED));
    const [purchase] = this.#random.shuffle(latest);
    if (purchase !== undefined) await this.#ask(purchase);
  }
}

/** Cases of buyers' behaviour besides plain buying. */
function coveredBy(purchases: readonly Purchase[]): [string, boolean][] {
  const isAnswered = (purchase: Purchase) => paidAnswers(purchase).length > 0;
  return [
    ["a payment that its payer broadcast", purchases.some((one) => one.broadcastFirst && isAnswered(one))],
    ["a payment for one of two bodies", purchases.some((one) => one.otherArgs !== undefined && isAnswered(one))],
  ];
}

function listNotes(purchases: readonly Purchase[]): string[] {
  const broadcast = purchases.filter(({ broadcastFirst }) => broadcastFirst).length;
  const drained = purchases.filter((purchase) => purchase.drained);
  const unpaid = drained.filter((purchase) => paidAnswers(purchase).length === 0).length;
  const others = purchases.filter(({ otherArgs }) => otherArgs !== undefined).length;
  return [
    `purchases     ${purchases.length}: ${broadcast} broadcast by their payer, ${others} sent with another body too, ${drained.length} by drained wallets (${unpaid} of them not paid)`,
  ];
}

export function createStorm(options: StormOptions) {
  const { buyer, till, share } = options;
  const market = new Market(options);
  const { purchases } = market.shop;
  const readers = Math.ceil(READERS * share);

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
      await runWorkers(Math.ceil(WORKERS * share), random, signal, (own, index) => {
        const customer = new Customer(market, own, signal);
        return index < readers ? customer.quote() : customer.work();
      });
    },

    covered: () => coveredBy(purchases),
    notes: () => listNotes(purchases),

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
