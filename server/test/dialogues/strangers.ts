import { type Dialogue, NEXT } from "./dialogue.ts";

const SEARCH = ["search_flights", "search_more_flights"];
const LONDON = ["LHR", "LGW", "STN", "LTN", "LCY", "SEN"];
const ROME = ["FCO", "CIA"];
const en = { passengers: "just me", companions: "nobody else", returnDate: "one way", confirmation: "yes" };
const de = { passengers: "nur ich", companions: "sonst niemand", returnDate: "nur hin", confirmation: "ja" };
const es = { passengers: "solo yo", companions: "nadie más", returnDate: "solo ida", confirmation: "sí" };

/**
 * People who have never seen the agent: slips, several wishes in one message, questions instead of answers, and things that
 * nobody here sells. The same rules as for the other dialogues hold.
 */
export const strangers: readonly Dialogue[] = [
  {
    id: "en-stranger-typos",
    language: "en",
    kind: "one-way",
    say: ["helo i need a flihgt frm berlin to vienna on {in 40 days}", "sry make that {in 41 days}", "chepest one pls"],
    answers: en,
    goal: { orders: [{ flight: { from: "BER", to: "VIE", on: "{in 41 days}" } }] },
  },
  {
    id: "en-stranger-question-back",
    language: "en",
    kind: "return",
    say: [
      "I want to fly from London to Rome {in 45 days}, back {in 49 days}",
      "how much is that in total?",
      "which one is the cheapest?",
      "ok book it",
    ],
    answers: { ...en, confirmation: ["hang on, how much luggage can I take?", "yes"] },
    goal: { orders: [{ flight: { from: LONDON, to: ROME, on: "{in 45 days}", back: "{in 49 days}" } }] },
  },
  {
    id: "en-stranger-many-wishes",
    language: "en",
    kind: "stay",
    say: [
      "Hi! Two things: a flight from Madrid to Lisbon {in 40 days} coming back {in 43 days}, and a hotel there",
      "actually can we leave a day later",
      "the cheapest flight please",
      "and the second hotel",
    ],
    answers: en,
    goal: {
      orders: [
        { flight: { from: "MAD", to: "LIS", on: "{in 41 days}", back: "{in 43 days}" } },
        { stay: { from: "{in 41 days}", to: "{in 43 days}" } },
      ],
    },
  },
  {
    id: "en-stranger-train",
    language: "en",
    kind: "no",
    say: [
      "is there a train from Vienna to Salzburg on {in 40 days}?",
      "pity. and a rental car?",
      "then a flight from Vienna to Frankfurt that day",
      "hmm no, leave it",
      "what's the police number in Vienna?",
    ],
    answers: { returnDate: "one way", origin: "Vienna", departureDate: "{in 40 days}" },
    goal: {
      calls: [
        { tool: SEARCH, args: { origin: "VIE", destination: "FRA", departureDate: "{in 40 days}" } },
        { tool: "travel_safety_aid" },
      ],
      orders: [],
    },
  },
  {
    id: "en-stranger-no-profile",
    language: "en",
    kind: "several-passengers",
    say: [
      "my friend Giulia Rossi and me want to go from Hamburg to Rome on {in 40 days}",
      "book the cheapest",
      "oh well. then only for me",
      "take the cheapest",
    ],
    answers: en,
    goal: { orders: [{ flight: { from: "HAM", to: ROME, on: "{in 40 days}", travelers: 1 } }] },
  },
  {
    id: "en-stranger-hotel-undone",
    language: "en",
    kind: "stay-refundable",
    say: [
      "I need a hotel in Lisbon from {in 50 days} to {in 53 days} that I can still cancel",
      "the cheapest one",
      "changed my mind, cancel the hotel please",
      "how much did I spend today?",
    ],
    answers: { guests: "just me", confirmation: "yes" },
    goal: { calls: [{ tool: "confirm_cancel_order" }, { tool: "list_movements" }], orders: [], cancelled: 1 },
  },
  {
    id: "en-stranger-passport",
    language: "en",
    kind: "eligibility",
    say: [
      "my passport is Indian, do I need a visa for Japan on {in 60 days}?",
      "ok and with the German one?",
      "what time is it?",
      "and in Tokyo?",
    ],
    answers: { origin: "Frankfurt", country: "Japan", departureDate: "{in 60 days}" },
    goal: {
      calls: [{ tool: "check_travel_eligibility", args: { destinationIso3: "JPN" } }, { tool: "timezone_brief" }],
      orders: [],
    },
  },
  {
    id: "de-stranger-tippfehler",
    language: "de",
    kind: "one-way",
    say: ["brauch nen fulg von hamburg nach wien am {in 40 days}", "ne doch {in 41 days}", "den günstigstn bitte"],
    answers: de,
    goal: { orders: [{ flight: { from: "HAM", to: "VIE", on: "{in 41 days}" } }] },
  },
  {
    id: "de-stranger-gegenfrage",
    language: "de",
    kind: "return",
    say: [
      "Guten Tag, könnten Sie mir einen Flug von Frankfurt nach Madrid am {in 45 days} heraussuchen, Rückflug am {in 48 days}?",
      "Was kostet das insgesamt?",
      "Und mit einem Koffer?",
      "Dann den günstigsten",
    ],
    answers: { ...de, confirmation: ["Moment, ist der erstattbar?", "ja bitte"] },
    goal: {
      calls: [{ tool: "search_more_flights", args: { checkedBags: 1 } }],
      orders: [{ flight: { from: "FRA", to: "MAD", on: "{in 45 days}", back: "{in 48 days}" } }],
    },
  },
  {
    id: "de-stranger-mehreres",
    language: "de",
    kind: "stay",
    say: [
      "Ich will vom {in 40 days} bis {in 43 days} in Rom sein, brauche ein Hotel, und wie ist eigentlich das Wetter dort?",
      "nicht über 150 Euro die Nacht",
      "das zweite bitte",
    ],
    answers: { guests: "nur ich", confirmation: "ja" },
    goal: { calls: [{ tool: "trip_weather_brief" }], orders: [{ stay: { from: "{in 40 days}", to: "{in 43 days}" } }] },
  },
  {
    id: "de-stranger-bahn",
    language: "de",
    kind: "no",
    say: ["gibt es einen Zug von Wien nach Graz?", "und einen Mietwagen?", "na gut, dann nichts", "Notruf in Wien?"],
    answers: {},
    goal: { calls: [{ tool: "travel_safety_aid" }], orders: [], never: SEARCH },
  },
  {
    id: "de-stranger-umbuchen",
    language: "de",
    kind: "changing",
    given: [{ flight: { origin: "MUC", destination: "BCN", departureDate: "{in 49 days}" } }],
    say: [
      "mein Flug nach Barcelona passt nicht mehr, geht auch der {in 51 days}?",
      "oder was ist am {in 52 days}",
      "die günstigste",
    ],
    answers: { order: "Barcelona", confirmation: "ja" },
    goal: {
      calls: [{ tool: "confirm_order_change" }],
      orders: [{ flight: { from: "MUC", to: "BCN", on: "{in 52 days}" } }],
    },
  },
  {
    id: "de-stranger-storno",
    language: "de",
    kind: "cancelling",
    given: [{ flight: { origin: "HAM", destination: "MAD", departureDate: "{in 40 days}" } }],
    say: [
      "was bekomme ich zurück, wenn ich den Flug nach Madrid storniere?",
      "Notruf in Madrid?",
      "ok, dann storniere den Flug",
      "nein, sonst nichts",
    ],
    answers: { confirmation: "ja", order: "Madrid" },
    goal: { calls: [{ tool: "travel_safety_aid" }, { tool: "confirm_cancel_order" }], orders: [], cancelled: 1 },
  },
  {
    id: "de-stranger-zu-zweit",
    language: "de",
    kind: "several-passengers",
    say: [
      "Flug für Marco und mich von München nach Lissabon, {in 50 days} hin, {in 54 days} zurück",
      "wir haben zwei Koffer, also einen pro Person",
      "nimm den ersten",
    ],
    answers: { ...de, companions: "Marco" },
    goal: {
      orders: [{ flight: { from: "MUC", to: "LIS", on: "{in 50 days}", back: "{in 54 days}", travelers: 2 } }],
    },
  },
  {
    id: "es-stranger-erratas",
    language: "es",
    kind: "one-way",
    say: ["ola nesesito un buelo de madrid a lisboa el {in 40 days}", "no perdon el {in 41 days}", "el mas varato"],
    answers: es,
    goal: { orders: [{ flight: { from: "MAD", to: "LIS", on: "{in 41 days}" } }] },
  },
  {
    id: "es-stranger-pregunta",
    language: "es",
    kind: "return",
    say: [
      "quiero ir de Barcelona a París el {in 45 days} y volver el {in 48 days}",
      "¿cuánto sería en total?",
      "¿cuál es el más barato?",
      "vale, resérvalo",
    ],
    answers: { ...es, confirmation: ["espera, ¿cuántas maletas incluye?", "sí"] },
    goal: {
      orders: [{ flight: { from: "BCN", to: ["CDG", "ORY", "BVA"], on: "{in 45 days}", back: "{in 48 days}" } }],
    },
  },
  {
    id: "es-stranger-hotel",
    language: "es",
    kind: "stay-price",
    say: [
      "busco hotel en Roma del {in 40 days} al {in 43 days}, que no pase de 200 euros por noche",
      "mejor hasta el {in 44 days}",
      "¿incluye desayuno?",
      "da igual, el segundo",
    ],
    answers: { guests: "solo yo", confirmation: "sí" },
    goal: { orders: [{ stay: { from: "{in 40 days}", to: "{in 44 days}" } }] },
  },
  {
    id: "es-stranger-tren",
    language: "es",
    kind: "no",
    say: ["¿hay tren de Lisboa a Oporto?", "¿y un coche de alquiler?", "bueno, nada", "¿cuánto dinero queda?"],
    answers: {},
    goal: { calls: [{ tool: "check_treasury" }], orders: [], never: SEARCH },
  },
  {
    id: "es-stranger-devolucion",
    language: "es",
    kind: "cancelling",
    given: [{ flight: { origin: "MAD", destination: "LIS", departureDate: "{in 40 days}" } }],
    say: [
      "busco un hotel en Sevilla del {in 50 days} al {in 52 days}",
      "por cierto, ¿cuánto me devuelven por mi vuelo a Lisboa si lo cancelo?",
      "pues cancélalo",
      "no, nada más",
    ],
    answers: { confirmation: "sí", order: "Lisboa", choice: NEXT },
    goal: { calls: [{ tool: "cancel_order_quote" }], orders: [], cancelled: 1 },
  },
  {
    id: "es-stranger-urgencia",
    language: "es",
    kind: "withdrawal",
    say: [
      "vuelo de Madrid a Roma el {in 40 days}, solo equipaje de mano",
      "el primero",
      "no, gracias",
      "¿a qué número llamo a una ambulancia en Roma?",
    ],
    answers: { ...es, confirmation: "no, mejor no" },
    goal: { calls: [{ tool: "travel_safety_aid" }], orders: [] },
  },
  {
    id: "en-stranger-yes-and",
    language: "en",
    kind: "stay-near",
    say: ["a hotel in Vienna near St. Stephen's Cathedral from {in 40 days} to {in 42 days}", "the cheapest"],
    answers: { ...en, confirmation: ["yes, and please ask for a step-free room", "yes"] },
    goal: {
      calls: [{ tool: "book_stay", args: { accommodationSpecialRequests: /step-free/ } }],
      orders: [{ stay: { from: "{in 40 days}", to: "{in 42 days}" } }],
    },
  },
  {
    id: "de-stranger-yes-and-seat",
    language: "de",
    kind: "one-way",
    say: ["Flug von Berlin nach Wien am {in 40 days}, nur hin", "den günstigsten"],
    answers: { ...de, confirmation: ["ja, und einen Fensterplatz bitte", "ja"] },
    goal: { orders: [{ flight: { from: "BER", to: "VIE", on: "{in 40 days}" } }] },
  },
  {
    id: "es-stranger-hotel-after-flight",
    language: "es",
    kind: "stay",
    say: [
      "un vuelo de Madrid a Lisboa el {in 40 days}, vuelta el {in 43 days}",
      "¿hay algo más barato?",
      "pues el más barato",
      "el segundo hotel",
    ],
    answers: { ...es, confirmation: ["sí, y luego un hotel tranquilo allí", "sí", "sí"] },
    goal: {
      orders: [
        { flight: { from: "MAD", to: "LIS", on: "{in 40 days}", back: "{in 43 days}" } },
        { stay: { from: "{in 40 days}", to: "{in 43 days}" } },
      ],
    },
  },
];
