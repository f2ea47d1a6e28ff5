import type { Dialogue } from "./dialogue.ts";

const LONDON = ["LHR", "LGW", "STN", "LTN", "LCY", "SEN"];
const ROME = ["FCO", "CIA"];
const en = { passengers: "just me", companions: "nobody else", confirmation: "yes" };
const de = { passengers: "nur ich", companions: "sonst niemand", confirmation: "ja" };
const es = { passengers: "solo yo", companions: "nadie más", confirmation: "sí" };

/** Flight and stay of one journey, in long sentences, with wishes for fare and rate, questions between, and earlier offers. */
export const wholeTrips: readonly Dialogue[] = [
  {
    id: "en-trip-with-wishes",
    language: "en",
    kind: "return",
    say: [
      "Hello there! I'd like to get away to Lisbon: I'd fly from London on {in 41 days} in the evening and come back on {in 44 days}, and I'd also need a hotel somewhere central with breakfast and free cancellation, if there is one.",
      "the cheapest one, please, in a fare that can still be changed if there is one",
      "the nearest one with breakfast, please",
      "is our flight really booked?",
    ],
    answers: { ...en, confirmation: "Yes, that's perfect, go ahead." },
    goal: {
      orders: [
        { flight: { from: LONDON, to: "LIS", on: "{in 41 days}", back: "{in 44 days}" } },
        { stay: { from: "{in 41 days}", to: "{in 44 days}" } },
      ],
    },
  },
  {
    id: "de-trip-with-wishes",
    language: "de",
    kind: "return",
    say: [
      "Guten Tag, ich müsste am {in 42 days} beruflich von Frankfurt nach Wien und am {in 44 days} abends wieder zurück. Ein Hotel in der Nähe vom Stephansdom bräuchte ich auch, Frühstück wäre schön.",
      "den günstigsten, aber lieber in einem Tarif, den man stornieren kann, falls es den gibt",
      "Dann nehme ich das nächste mit Frühstück.",
      "Ist der Flug jetzt wirklich gebucht?",
    ],
    answers: { ...de, confirmation: "Ja, buchen Sie das bitte so." },
    goal: {
      orders: [
        { flight: { from: "FRA", to: "VIE", on: "{in 42 days}", back: "{in 44 days}" } },
        { stay: { from: "{in 42 days}", to: "{in 44 days}" } },
      ],
    },
  },
  {
    id: "es-trip-with-wishes",
    language: "es",
    kind: "return",
    say: [
      "Buenas tardes, quisiera viajar de Madrid a Roma el {in 43 days} y volver el {in 45 days}, viajo yo sola. También necesitaría un hotel cerca del Coliseo con desayuno.",
      "el más barato, por favor",
      "el que quede más cerca, con desayuno, gracias",
      "¿está reservado el vuelo?",
    ],
    answers: { ...es, confirmation: "Sí, por favor" },
    goal: {
      orders: [
        { flight: { from: "MAD", to: ROME, on: "{in 43 days}", back: "{in 45 days}" } },
        { stay: { from: "{in 43 days}", to: "{in 45 days}" } },
      ],
    },
  },
  {
    id: "en-trip-earlier-plan",
    language: "en",
    kind: "choosing",
    say: [
      "a flight from Hamburg to Oslo on {in 46 days}, back on {in 49 days}",
      "hmm, to Copenhagen instead",
      "no, let's go back to the original plan",
      "the cheapest then",
    ],
    answers: en,
    goal: { orders: [{ flight: { from: "HAM", to: "OSL", on: "{in 46 days}", back: "{in 49 days}" } }] },
  },
  {
    id: "en-trip-stranded",
    language: "en",
    kind: "stay-near",
    say: [
      "It's eleven at night, my flight was cancelled and I'm stuck in Frankfurt. What am I entitled to? Please find me a bed near the airport for tonight and a flight to Madrid tomorrow.",
      "number 1 please",
    ],
    answers: en,
    goal: {
      calls: [
        { tool: "search_more_flights", args: { origin: "FRA", destination: "MAD", departureDate: "{in 1 days}" } },
      ],
      orders: [{ stay: { from: "{in 0 days}", to: "{in 1 days}" } }],
    },
  },
  {
    id: "de-trip-stranded",
    language: "de",
    kind: "no",
    say: [
      "Mein Flug wurde gestrichen, ich sitze in München fest. Was steht mir zu? Ich brauche ein Bett für heute Nacht.",
      "nach Madrid",
      "nein danke, das war's",
    ],
    answers: {},
    goal: { calls: [{ tool: "search_hotels", args: { location: /MUC/ } }, { tool: "search_flights" }], orders: [] },
  },
  {
    id: "es-trip-two-days",
    language: "es",
    kind: "one-way",
    say: [
      "¿Es más barato volar de Madrid a París el {in 40 days} o el {in 41 days}?",
      "gracias, no hace falta nada más",
    ],
    answers: { ...es, returnDate: "solo ida" },
    goal: {
      calls: [
        { tool: "search_more_flights", args: { departureDate: "{in 40 days}" } },
        { tool: "search_more_flights", args: { departureDate: "{in 41 days}" } },
      ],
      orders: [],
    },
  },
  {
    id: "de-trip-hotel-by-city",
    language: "de",
    kind: "cancelling",
    given: [
      { stay: { location: "Rome", checkInDate: "{in 60 days}", checkOutDate: "{in 62 days}" } },
      { stay: { location: "Vienna", checkInDate: "{in 70 days}", checkOutDate: "{in 72 days}" } },
    ],
    say: ["Was bekomme ich zurück, wenn ich mein Hotel in Wien storniere?", "gut, dann storniere es"],
    answers: de,
    goal: { orders: [{ stay: { from: "{in 60 days}", to: "{in 62 days}" } }], cancelled: 1 },
  },
  {
    id: "es-trip-friend-passport",
    language: "es",
    kind: "eligibility",
    say: ["¿Puede mi amigo entrar en España con pasaporte indio?", "¿y puedo pedir una comida vegetariana a bordo?"],
    answers: {},
    goal: { calls: [{ tool: "check_trip_eligibility", args: { nationality: "IND" } }], orders: [] },
  },
];
