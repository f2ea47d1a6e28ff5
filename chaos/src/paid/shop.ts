import { createHash } from "node:crypto";
import { formatDecimal } from "../../../server/src/domain/money.ts";
import type { Hex } from "../../../server/src/domain/tokens.ts";
import type { Terms } from "./buyer.ts";
import type { PaidTool, Purchase } from "./purchase.ts";
import { authorize, paymentHeader } from "./wallets.ts";

type Wallet = Parameters<typeof authorize>[0];

const routes = ["LHR-CDG", "LHR-AMS", "FRA-MUC", "MAD-BCN", "CDG-FCO", "AMS-BER", "LHR-MAD", "MUC-CDG"] as const;
const FIRST_DAY = 14;
const DAYS = 280;
const currencies = ["GBP", "EUR", "JPY", "CHF"] as const;

/** Makes what is bought. Whatever a tool does for a purchase, nothing else does. */
export function createShop(prices: ReadonlyMap<string, Terms>) {
  const purchases: Purchase[] = [];
  let marks = 0;

  const nextMark = (): number => {
    marks += 1;
    return marks;
  };

  /** No two are the same: route, day and number of travelers. */
  function searchArgs(): Readonly<Record<string, unknown>> {
    const mark = nextMark();
    const [origin, destination] = (routes[mark % routes.length] ?? routes[0]).split("-");
    const nth = Math.floor(mark / routes.length);
    const days = FIRST_DAY + (nth % DAYS);
    const passengers = 1 + (Math.floor(nth / DAYS) % 9);
    const departureDate = Temporal.Now.plainDateISO("UTC").add({ days }).toString();
    return { origin, destination, departureDate, passengers };
  }

  function sendArgs(): Readonly<Record<string, unknown>> {
    const mark = nextMark();
    const to: Hex = `0x${createHash("sha256").update(`paid ${mark}`).digest("hex").slice(0, 40)}`;
    return { to, amount: formatDecimal(BigInt(mark) * 10n + 3n), token: "USDC" };
  }

  function quoteArgs(): Readonly<Record<string, unknown>> {
    const mark = nextMark();
    return { fromCurrency: currencies[mark % currencies.length], toCurrency: "USDC", amount: mark };
  }

  const argsByTool = { search_flights: searchArgs, send_tokens: sendArgs, quote_fx: quoteArgs } as const;

  return {
    purchases,

    /** `otherOffer`: of another body for the same authorization. */
    async order(
      wallet: Wallet,
      what: { tool: PaidTool; keyed: boolean; offers?: readonly string[]; withOther?: boolean },
    ): Promise<Purchase> {
      const { tool, keyed, offers = [], withOther = false } = what;
      const terms = prices.get(priceKey(tool, keyed));
      if (terms === undefined) throw new Error(`There is no price of ${tool}.`);
      const [offerId, otherOfferId] = offers;
      const make = (offer: string | undefined) => (tool === "book_flight" ? { offerId: offer } : argsByTool[tool]());
      const authorization = await authorize(wallet, terms);
      const purchase: Purchase = {
        number: purchases.length + 1,
        tool,
        keyed,
        authorization,
        args: make(offerId),
        otherArgs: withOther ? make(otherOfferId) : undefined,
        header: paymentHeader(terms, authorization),
        broadcastFirst: false,
        drained: false,
        startedAt: Date.now(),
        endedAt: undefined,
        answers: [],
      };
      purchases.push(purchase);
      return purchase;
    },
  };
}

export type Shop = ReturnType<typeof createShop>;

export const priceKey = (tool: PaidTool, keyed: boolean): string => `${tool} ${keyed ? "with" : "without"} a key`;
