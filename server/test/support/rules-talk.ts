import { createRulesModel } from "../../src/adapters/rules-model/index.ts";
import type { ModelMessage, ModelRequest } from "../../src/ports/language-model.ts";

/** A Friday. */
const NOW = Temporal.Instant.from("2026-11-27T09:00:00Z");
const SPENDS = /^(?:book_|confirm_|hold_)/;
const MOST_STEPS = 12;

type Answer = "confirm" | "withdraw" | "decline";

interface TalkOptions {
  readonly locale?: string;
  readonly timeZone?: string;
  readonly now?: Temporal.Instant;
  /** Done by the traveler when a spend is shown: `withdraw` writes the next message instead of a yes. */
  readonly onSpend?: Answer | ((turn: number) => Answer);
  /** Answers of tools instead of those below. */
  readonly answers?: Readonly<Record<string, unknown>>;
  /** Who has a profile, beside the traveler; their ids are their given names. */
  readonly companions?: readonly string[];
}

interface RulesTurn {
  readonly said: string;
  readonly text: string;
  readonly question: string | undefined;
  readonly calls: readonly { readonly name: string; readonly args: unknown }[];
}

const OUTCOMES = { confirm: "ok", withdraw: "withdrawn", decline: "declined" } as const;

/** A whole conversation of the rules model with tools that always answer. */
export async function talkWithRules(
  say: readonly string[],
  { locale = "en", timeZone = "UTC", now = NOW, onSpend = "confirm", answers = {}, companions }: TalkOptions = {},
): Promise<readonly RulesTurn[]> {
  const model = createRulesModel();
  const messages: ModelMessage[] = [];
  const turns: RulesTurn[] = [];
  const traveler = {
    userId: "user_demo",
    givenName: "Demo",
    companions: companions?.map((name) => ({ userId: name.split(" ")[0] ?? name, name })) ?? [
      { userId: "user_marco", name: "Marco Traveler" },
    ],
  };
  for (const [turn, said] of say.entries()) {
    messages.push({ role: "user", text: said, at: now });
    const calls: { name: string; args: unknown }[] = [];
    const texts: string[] = [];
    let question: string | undefined;
    for (let step = 0; step < MOST_STEPS; step += 1) {
      const request: ModelRequest = {
        ...{ instructions: "", locale, now, timeZone, traveler, messages, tools: [], maximumOutputTokens: 1000 },
      };
      const parts = await Array.fromAsync(model.step(request, new AbortController().signal));
      const toolCalls = parts.flatMap((part) =>
        part.type === "toolCall" ? [{ id: part.id, name: part.name, args: part.args }] : [],
      );
      const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
      question = parts.find((part) => part.type === "question")?.slot;
      texts.push(text);
      messages.push({ role: "assistant", text, toolCalls, ...(question === undefined ? {} : { question }) });
      if (toolCalls.length === 0) break;
      calls.push(...toolCalls.map(({ name, args }) => ({ name, args })));
      const isSpend = toolCalls.some(({ name }) => SPENDS.test(name));
      const outcome = isSpend ? OUTCOMES[typeof onSpend === "function" ? onSpend(turn) : onSpend] : "ok";
      const results = toolCalls.map(({ id, name, args }) => ({
        ...{ id, name, outcome },
        result: outcome === "ok" ? answerWith(answers[name], name, args) : null,
      }));
      messages.push({ role: "tools", results });
      if (outcome === "withdrawn") break;
    }
    turns.push({ said, text: texts.join(""), question, calls });
  }
  return turns;
}

/** A function answers by the arguments. */
const answerWith = (answer: unknown, name: string, args: unknown): unknown =>
  typeof answer === "function" ? answer(args) : (answer ?? answerCall(name, args));

const segment = (hour: string) => ({
  carrier: "LH",
  flightNumber: "LH100",
  origin: "AAA",
  destination: "BBB",
  departingAt: `2027-01-12T${hour}:00:00`,
  arrivingAt: "2027-01-12T22:00:00",
});
const slice = (hour: string) => ({
  id: "sli_1",
  origin: "AAA",
  destination: "BBB",
  durationMinutes: 120,
  segments: [segment(hour)],
});
const offer = (number: number, totalAmount: string, passengers: number) => ({
  id: `off_${number}`,
  totalAmount,
  totalCurrency: "USD",
  slices: [slice(`0${number}`)],
  passengers: Array.from({ length: passengers }, () => ({ type: "adult" })),
});
const stay = (number: number) => ({
  id: `acc_${number}`,
  name: `Hotel ${"ABC"[number - 1]}`,
  rates: [
    { id: `rat_${number}`, totalAmount: `${100 * number}.00`, totalCurrency: "EUR", totalUsdc: `${110 * number}.00` },
  ],
});
const order = (orderId: string, kind: string, what: string) => ({
  orderId,
  kind,
  what,
  status: "confirmed",
  pnr: "ZZAAAA",
  startsOn: "2027-01-19",
});

function answerCall(name: string, args: unknown): unknown {
  const given = new Map(Object.entries(typeof args === "object" && args !== null ? args : {}));
  const ages = given.get("ages");
  const seats = Array.isArray(ages) ? ages.length : Number(given.get("passengers") ?? 1);
  switch (name) {
    case "search_flights":
    case "search_more_flights":
      return {
        searchId: "sea_1",
        offers: [offer(1, "200.00", seats), offer(2, "150.00", seats), offer(3, "90.00", seats)],
      };
    case "search_hotels":
    case "search_more_stays":
      return { searchId: "sea_2", accommodations: [stay(1), stay(2), stay(3)] };
    case "quote_stay":
      return { id: `quo_${given.get("rateId")}`, totalAmount: "100.00", totalCurrency: "EUR" };
    case "list_travelers":
      return {
        travelers: [
          {
            userId: "user_demo",
            isCaller: true,
            profile: { givenName: "Demo", familyName: "Traveler", email: "demo.traveler@example.com" },
          },
        ],
      };
    case "book_flight":
      return { orderId: "ord_new", pnr: "ZZBBBB", totalAmount: "90.00", totalCurrency: "USD", slices: [] };
    case "book_stay":
      return {
        orderId: "bok_new",
        checkInDate: "2027-01-03",
        checkOutDate: "2027-01-06",
        totalAmount: "90.00",
        totalCurrency: "EUR",
      };
    case "list_orders":
      return { orders: [order("ord_mad", "flight", "FRA to MAD"), order("ord_lhr", "flight", "FRA to LHR")] };
    case "read_order":
      return { ...order("ord_mad", "flight", ""), flight: { slices: [slice("09")] } };
    case "cancel_order_quote":
      return { cancellationId: "ore_1", orderId: given.get("orderId"), refundAmount: "10.00", refundCurrency: "USD" };
    case "request_order_change":
      return {
        orderId: "ord_mad",
        offers: [
          { id: "oco_1", changeTotalAmount: "5.00", changeTotalCurrency: "USD", slices: { add: [slice("10")] } },
        ],
      };
    case "select_order_change_offer":
      return { changeId: "oce_1", due: { amount: "5.00", currency: "USD" } };
    case "confirm_order_change":
      return { orderId: "ord_mad", slices: [] };
    case "geocode_trip_stop":
      return { candidates: [{ latitude: given.get("address") === "Bergen" ? 10 : 20, longitude: 5 }] };
    case "check_treasury":
      return { balances: { USDC: "10.00" } };
    default:
      return {};
  }
}
