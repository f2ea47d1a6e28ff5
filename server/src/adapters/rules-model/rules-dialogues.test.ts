import { expect, it } from "vitest";
import { talkWithRules } from "../../../test/support/rules-talk.ts";

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
  const calls = (await talkWithRules(say)).flatMap((turn) => turn.calls);
  expect(calls.filter((call) => SPENDS.test(call.name)).map((call) => call.name)).toEqual(spends);
  const goal = calls.findLast((call) => call.name === name);
  expect(goal?.args).toMatchObject(args);
});
