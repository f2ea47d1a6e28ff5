import { expect, it } from "vitest";
import type { ModelMessage, ModelRequest } from "../../ports/language-model.ts";
import { createRulesModel } from "./index.ts";

// A Friday.
const NOW = Temporal.Instant.from("2026-11-27T09:00:00Z");
const SPENDS = /^(?:book_|confirm_|hold_)/;

/** Whole conversations against tools that always answer; each spend gets its yes. Each has a change of mind. */
const DIALOGUES: readonly { say: readonly string[]; last: [string, object]; spends: readonly string[] }[] = [
  // English
  {
    say: ["flight from Oslo to Rome tomorrow", "no, from Bergen"],
    last: ["search_flights", { origin: "BGO", destination: "ROM", departureDate: "2026-11-28" }],
    spends: [],
  },
  {
    say: [
      "Berlin to Vienna on the 10th of December, returning on the 14th",
      "make the return the 16th",
      "book the first",
    ],
    last: ["book_flight", { offerId: "off_1" }],
    spends: ["book_flight"],
  },
  {
    say: ["I want to fly to Lisbon", "from Hamburg", "in three weeks", "business class please"],
    last: [
      "search_flights",
      { origin: "HAM", destination: "LIS", departureDate: "2026-12-18", cabinClass: "business" },
    ],
    spends: [],
  },
  {
    say: ["flights paris to athens on 5 January", "for two people actually"],
    last: ["search_flights", { origin: "PAR", destination: "ATH", passengers: 2 }],
    spends: [],
  },
  {
    say: ["hotel in Vienna from 3 to 6 January for two", "rather in Prague", "the second"],
    last: ["book_stay", { quoteId: "quo_rat_2" }],
    spends: ["book_stay"],
  },
  {
    say: ["a hotel in Rome on Jan 8 for 2 nights", "sorry, three nights"],
    last: ["search_hotels", { checkInDate: "2027-01-08", checkOutDate: "2027-01-11" }],
    spends: [],
  },
  {
    say: ["cancel my flight to Madrid", "never mind"],
    last: ["cancel_order_quote", { orderId: "ord_mad" }],
    spends: ["confirm_cancel_order"],
  },
  { say: ["what's the weather in Oslo?", "I mean Bergen"], last: ["trip_weather_brief", { latitude: 10 }], spends: [] },
  {
    say: ["what is our travel policy", "and how much money is in the wallet?"],
    last: ["check_treasury", {}],
    spends: [],
  },
  {
    say: ["flight from Rome to Milan on Monday", "never mind", "show me my bookings"],
    last: ["list_orders", {}],
    spends: [],
  },
  // German
  {
    say: ["Flug von Wien nach Athen am 12. Januar", "nein, doch am 13."],
    last: ["search_flights", { origin: "VIE", destination: "ATH", departureDate: "2027-01-13" }],
    spends: [],
  },
  {
    say: ["von Köln nach Mailand am 8.1., zurück am 11.1.", "Rückflug lieber am 12.", "nimm den günstigsten"],
    last: ["book_flight", { offerId: "off_3" }],
    spends: ["book_flight"],
  },
  {
    say: ["Ich möchte nach Lissabon fliegen", "ab Hamburg", "in drei Wochen", "lieber Business"],
    last: [
      "search_flights",
      { origin: "HAM", destination: "LIS", departureDate: "2026-12-18", cabinClass: "business" },
    ],
    spends: [],
  },
  {
    say: ["Flüge Paris nach Athen am 5. Januar", "ach, wir sind zu zweit"],
    last: ["search_flights", { origin: "PAR", destination: "ATH", passengers: 2 }],
    spends: [],
  },
  {
    say: ["Hotel in Wien vom 3. bis 6. Januar für zwei Personen", "lieber in Prag", "das zweite bitte"],
    last: ["book_stay", { quoteId: "quo_rat_2" }],
    spends: ["book_stay"],
  },
  {
    say: ["ein Hotel in Rom ab dem 8. Januar für 2 Nächte", "doch lieber drei Nächte"],
    last: ["search_hotels", { checkInDate: "2027-01-08", checkOutDate: "2027-01-11" }],
    spends: [],
  },
  {
    say: ["wie ist das Wetter in Oslo?", "ich meinte Bergen"],
    last: ["trip_weather_brief", { latitude: 10 }],
    spends: [],
  },
  {
    say: ["was sagt unsere Reiserichtlinie?", "und wie hoch ist das Guthaben"],
    last: ["check_treasury", {}],
    spends: [],
  },
  {
    say: ["verschiebe meinen Flug nach Madrid auf den 20. Januar", "nein, auf den 21. Januar", "nimm den ersten"],
    last: ["confirm_order_change", { changeId: "oce_1" }],
    spends: ["confirm_order_change"],
  },
  {
    say: ["Flug von Rom nach Mailand am Montag", "vergiss es", "zeig mir meine Buchungen"],
    last: ["list_orders", {}],
    spends: [],
  },
  // Spanish
  {
    say: ["vuelo de Viena a Atenas el 12 de enero", "no, mejor el 13"],
    last: ["search_flights", { origin: "VIE", destination: "ATH", departureDate: "2027-01-13" }],
    spends: [],
  },
  {
    say: ["de Madrid a Milán el 8 de enero, vuelta el 11", "la vuelta mejor el 12", "resérvame el más barato"],
    last: ["book_flight", { offerId: "off_3" }],
    spends: ["book_flight"],
  },
  {
    say: ["quiero volar a Lisboa", "desde Hamburgo", "en tres semanas", "mejor en business"],
    last: [
      "search_flights",
      { origin: "HAM", destination: "LIS", departureDate: "2026-12-18", cabinClass: "business" },
    ],
    spends: [],
  },
  {
    say: ["vuelos de París a Atenas el 5 de enero", "mejor para dos"],
    last: ["search_flights", { origin: "PAR", destination: "ATH", passengers: 2 }],
    spends: [],
  },
  {
    say: ["hotel en Viena del 3 al 6 de enero para dos personas", "mejor en Praga", "el segundo"],
    last: ["book_stay", { quoteId: "quo_rat_2" }],
    spends: ["book_stay"],
  },
  {
    say: ["un hotel en Roma el 8 de enero, 2 noches", "mejor tres noches"],
    last: ["search_hotels", { checkInDate: "2027-01-08", checkOutDate: "2027-01-11" }],
    spends: [],
  },
  { say: ["qué tiempo hace en Oslo", "digo en Bergen"], last: ["trip_weather_brief", { latitude: 10 }], spends: [] },
  { say: ["cuál es la política de viajes", "¿y cuánto saldo hay?"], last: ["check_treasury", {}], spends: [] },
  {
    say: ["cambia mi vuelo a Madrid al 20 de enero", "no, al 21 de enero", "el primero"],
    last: ["confirm_order_change", { changeId: "oce_1" }],
    spends: ["confirm_order_change"],
  },
  {
    say: ["vuelo de Roma a Milán el lunes", "olvídalo", "muéstrame mis reservas"],
    last: ["list_orders", {}],
    spends: [],
  },
];

it.each(DIALOGUES)("reaches the goal of $say", async ({ say, last: [name, args], spends }) => {
  const calls = await hold(say);
  expect(calls.filter((call) => SPENDS.test(call.name)).map((call) => call.name)).toEqual(spends);
  const goal = calls.findLast((call) => call.name === name);
  expect(goal?.args).toMatchObject(args);
});

async function hold(say: readonly string[]): Promise<{ name: string; args: unknown }[]> {
  const model = createRulesModel();
  const messages: ModelMessage[] = [];
  const calls: { name: string; args: unknown }[] = [];
  for (const text of say) {
    messages.push({ role: "user", text, at: NOW });
    for (let step = 0; step < 12; step += 1) {
      const request: ModelRequest = {
        instructions: "",
        locale: "en",
        now: NOW,
        timeZone: "UTC",
        traveler: { userId: "user_demo", companions: [{ userId: "user_marco", name: "Marco Traveler" }] },
        messages,
        tools: [],
        maximumOutputTokens: 1000,
      };
      const parts = await Array.fromAsync(model.step(request, new AbortController().signal));
      const toolCalls = parts
        .filter((part) => part.type === "toolCall")
        .map(({ id, name, args }) => ({ id, name, args }));
      const question = parts.find((part) => part.type === "question")?.slot;
      messages.push({ role: "assistant", text: "", toolCalls, ...(question === undefined ? {} : { question }) });
      if (toolCalls.length === 0) break;
      calls.push(...toolCalls);
      const results = toolCalls.map(({ id, name, args }) => ({
        id,
        name,
        outcome: "ok" as const,
        result: answer(name, args),
      }));
      messages.push({ role: "tools", results });
    }
  }
  return calls;
}

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

function answer(name: string, args: unknown): unknown {
  const given = new Map(Object.entries(typeof args === "object" && args !== null ? args : {}));
  const seats = Number(given.get("passengers") ?? 1);
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
