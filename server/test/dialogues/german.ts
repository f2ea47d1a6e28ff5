import { type Dialogue, NEXT } from "./dialogue.ts";

const SEARCH = ["search_flights", "search_more_flights"];
const BUYS = ["book_flight", "book_stay", "hold_flight"];
const me = { passengers: "nur ich", companions: "niemand", returnDate: "kein Rückflug", confirmation: "Ja, bitte" };

export const german: readonly Dialogue[] = [
  {
    id: "de-nur-hin",
    language: "de",
    kind: "one-way",
    say: [
      "ich brauch einen flug von hamburg nach wien am {in 38 days}",
      "ach nein, lieber ab Berlin",
      "dann buch mir bitte den günstigsten",
    ],
    answers: { ...me },
    goal: {
      calls: [{ tool: SEARCH, args: { origin: "BER", destination: "VIE", departureDate: "{in 38 days}" } }],
      orders: [{ flight: { from: "BER", to: "VIE", on: "{in 38 days}", travelers: 1 } }],
    },
  },
  {
    id: "de-hin-und-zurueck",
    language: "de",
    kind: "return",
    say: [
      "Guten Tag, ich möchte am {in 52 days} von München nach Lissabon fliegen und am {in 56 days} zurück.",
      "Der Rückflug doch bitte erst am {in 58 days}.",
      "Den ersten nehme ich.",
    ],
    answers: { ...me, returnDate: "am {in 58 days}" },
    goal: {
      calls: [{ tool: SEARCH, args: { departureDate: "{in 52 days}", returnDate: "{in 56 days}" } }],
      orders: [{ flight: { from: "MUC", to: "LIS", on: "{in 52 days}", back: "{in 58 days}" } }],
    },
  },
  {
    id: "de-zu-zweit",
    language: "de",
    kind: "several-passengers",
    say: [
      "Wir wollen zu zweit (Marco und ich) {friday after 42 days weekday} von Köln nach London",
      "Marco kommt doch nicht mit, also nur ich",
      "buche den billigsten",
    ],
    answers: { ...me },
    goal: {
      orders: [
        {
          flight: { from: "CGN", to: ["LHR", "LGW", "STN", "LTN", "LCY"], on: "{friday after 42 days}", travelers: 1 },
        },
      ],
    },
  },
  {
    id: "de-mit-kind",
    language: "de",
    kind: "child",
    say: [
      "flug für mich und meine tochter lina, 9 jahre, von düsseldorf nach palma, {in 66 days short}, nur hinflug",
      "geht auch ein tag früher?",
      "ja gut, den günstigsten davon buchen",
    ],
    answers: { ...me, passengers: "ein Erwachsener und ein Kind", companions: "Lina Traveler", childAges: "9 Jahre" },
    goal: { orders: [{ flight: { from: "DUS", to: "PMI", on: "{in 65 days}", travelers: 2 } }] },
  },
  {
    id: "de-business-klasse",
    language: "de",
    kind: "cabin",
    say: [
      "Was kostet ein Flug in der Business Class von Frankfurt nach New York am {in 47 days}?",
      "Puh, das ist zu teuer. Dann Premium Economy",
      "ok, den günstigsten bitte buchen",
    ],
    answers: { ...me },
    goal: {
      calls: [{ tool: SEARCH, args: { origin: "FRA", cabinClass: "business" } }],
      orders: [{ flight: { from: "FRA", to: ["JFK", "EWR"], on: "{in 47 days}", cabin: "premium_economy" } }],
    },
  },
  {
    id: "de-hoechstens",
    language: "de",
    kind: "price-limit",
    say: [
      "Ich suche einen Flug von Berlin nach Madrid am {in 43 days}, höchstens 50 Euro",
      "Na gut, bis 450 Euro",
      "Dann nehme ich den billigsten",
    ],
    answers: { ...me },
    goal: { orders: [{ flight: { from: "BER", to: "MAD", on: "{in 43 days}", atMost: 600 } }] },
  },
  {
    id: "de-abends",
    language: "de",
    kind: "time-of-day",
    say: [
      "am {thursday after 33 days weekday} nach zürich, ab hamburg, möglichst abends",
      "morgens ist doch besser, vor 12 uhr",
      "buch mir den günstigsten",
    ],
    answers: { ...me },
    goal: {
      orders: [{ flight: { from: "HAM", to: "ZRH", on: "{thursday after 33 days}", departs: { until: "12:00" } } }],
    },
  },
  {
    id: "de-ohne-umsteigen",
    language: "de",
    kind: "non-stop",
    say: [
      "Gibt es einen Direktflug von Frankfurt nach Barcelona am {in 61 days}?",
      "Oder nach Madrid, am selben Tag, auch ohne Umsteigen",
      "Den günstigsten davon bitte.",
    ],
    answers: { ...me },
    goal: { orders: [{ flight: { from: "FRA", to: "MAD", on: "{in 61 days}", isNonStop: true } }] },
  },
  {
    id: "de-hotel-drei-naechte",
    language: "de",
    kind: "stay",
    say: [
      "Hotel in Wien ab {in 39 days}, drei Nächte, eine Person",
      "ach, zwei Nächte reichen",
      "das günstigste bitte buchen",
    ],
    answers: { guests: "eine Person", confirmation: "ja", email: "tess.traveler@example.com" },
    goal: {
      calls: [{ tool: "search_hotels", args: { location: /wien|vienna/iu, checkInDate: "{in 39 days}" } }],
      orders: [{ stay: { from: "{in 39 days}", to: "{in 41 days}" } }],
    },
  },
  {
    id: "de-hotel-zu-zweit",
    language: "de",
    kind: "stay-guests",
    say: [
      "ich suche ein doppelzimmer für zwei personen in rom nähe kolosseum, vom {in 64 days short} bis {in 67 days short}",
      "lieber in der nähe vom pantheon",
      "das erste nehmen wir, für marco und mich",
    ],
    answers: { guests: "zwei", companions: "Marco Traveler", confirmation: "Ja", email: "tess.traveler@example.com" },
    goal: {
      calls: [{ tool: ["search_hotels", "search_family_hotels"], args: { location: /pantheon/iu } }],
      orders: [{ stay: { from: "{in 64 days}", to: "{in 67 days}", guests: 2 } }],
    },
  },
  {
    id: "de-hotel-preis",
    language: "de",
    kind: "stay-price",
    say: [
      "Bitte ein Hotel in Hamburg am {tuesday after 50 days weekday} für eine Nacht, maximal 20 Euro",
      "Dann eben bis 400 Euro, aber kostenlos stornierbar",
      "Bitte das billigste buchen",
    ],
    answers: { guests: "eine Person", confirmation: "Ja, gerne", email: "tess.traveler@example.com" },
    goal: {
      orders: [{ stay: { from: "{tuesday after 50 days}", to: "{tuesday after 50 days plus 1}", atMost: 480 } }],
    },
  },
  {
    id: "de-auswahl",
    language: "de",
    kind: "choosing",
    say: [
      "Zeig mir Flüge von Stuttgart nach Amsterdam, {in 31 days}, ein Erwachsener",
      "welcher ist der schnellste?",
      "ich nehm doch lieber den billigsten",
    ],
    answers: { ...me },
    goal: { orders: [{ flight: { from: "STR", to: "AMS", on: "{in 31 days}" } }] },
  },
  {
    id: "de-umbuchen",
    language: "de",
    kind: "changing",
    given: [{ flight: { origin: "MUC", destination: "BCN", departureDate: "{in 49 days}" } }],
    say: [
      "Kann ich meinen Flug nach Barcelona um einen Tag nach hinten verschieben?",
      "Besser gleich zwei Tage später, also am {in 51 days}",
      "Gut, nimm die günstigste Möglichkeit und buche um",
    ],
    answers: { order: "den nach Barcelona", choice: "die günstigste", confirmation: "Ja" },
    goal: {
      calls: [{ tool: "confirm_order_change" }],
      orders: [{ flight: { from: "MUC", to: "BCN", on: "{in 51 days}" } }],
      never: BUYS,
    },
  },
  {
    id: "de-stornieren-doch-nicht",
    language: "de",
    kind: "cancelling",
    given: [
      { flight: { origin: "BER", destination: "LHR", departureDate: "{in 46 days}" } },
      { flight: { origin: "FRA", destination: "MAD", departureDate: "{in 75 days}" } },
    ],
    say: [
      "storniere meinen flug nach london",
      "Halt, den nach Madrid meinte ich. Den nach London behalte ich!",
      "ja, den nach Madrid stornieren",
    ],
    answers: { order: "der nach London", confirmation: [NEXT, "Ja"] },
    goal: {
      calls: [{ tool: "confirm_cancel_order" }],
      orders: [{ flight: { from: "BER", to: "LHR", on: "{in 46 days}" } }],
      cancelled: 1,
      never: BUYS,
    },
  },
  {
    id: "de-nein",
    language: "de",
    kind: "no",
    given: [{ flight: { origin: "ZRH", destination: "FCO", departureDate: "{in 57 days}" } }],
    say: [
      "Was bekomme ich zurück, wenn ich den Flug nach Rom storniere?",
      "dann stornier ihn",
      "Ich habe es mir anders überlegt, der Flug bleibt.",
    ],
    answers: { order: "der nach Rom", confirmation: "Nein" },
    goal: {
      calls: [{ tool: "cancel_order_quote" }],
      orders: [{ flight: { from: "ZRH", to: "FCO", on: "{in 57 days}" } }],
      never: ["confirm_cancel_order", ...BUYS],
    },
  },
  {
    id: "de-anders-ueberlegt",
    language: "de",
    kind: "withdrawal",
    say: [
      "Welche Flüge gibt es am {in 34 days} von Wien nach Paris? Nur für mich, einfach.",
      "den günstigsten bitte buchen",
      "warte, ist der auch direkt? sonst lieber nur direkte flüge zeigen",
      "ok, den günstigsten direkten buchen",
    ],
    answers: { ...me, confirmation: [NEXT, "Ja, bitte"] },
    goal: { orders: [{ flight: { from: "VIE", to: ["CDG", "ORY"], on: "{in 34 days}", isNonStop: true } }] },
  },
  {
    id: "de-reise-und-kasse",
    language: "de",
    kind: "treasury",
    given: [{ trip: { budgetUsdc: "40", tripSummary: "Messe in Hannover" } }],
    say: [
      "wieviel geld ist noch in der kasse?",
      "Und wie steht es um meine Reise, was ist vom Budget übrig",
      "Eigentlich wollte ich wissen, was ich schon gebucht habe",
    ],
    answers: { order: "die Messe" },
    goal: {
      calls: [{ tool: "check_treasury" }, { tool: ["list_trips", "read_trip"] }, { tool: "list_orders" }],
      orders: [],
    },
  },
  {
    id: "de-einreise",
    language: "de",
    kind: "eligibility",
    say: [
      "Brauche ich für die USA ein Visum? Urlaub, vom {in 85 days} bis {in 95 days}",
      "Und was wäre mit Kanada?",
      "Ach ja: erlaubt unsere Reiserichtlinie überhaupt Business Class?",
    ],
    answers: { purpose: "Urlaub", country: "Kanada", origin: "aus Deutschland" },
    goal: {
      calls: [
        { tool: "check_travel_eligibility", args: { destinationIso3: "USA", purpose: "leisure" } },
        { tool: "check_travel_eligibility", args: { destinationIso3: "CAN" } },
        { tool: ["read_policy", "check_policy"] },
      ],
      orders: [],
    },
  },
  {
    id: "de-wetter-und-uhrzeit",
    language: "de",
    kind: "time",
    say: ["wie spät ist es gerade in tokio?", "nein ich meinte Seoul", "und das wetter dort"],
    answers: { place: "Seoul" },
    goal: {
      calls: [
        { tool: "timezone_brief", args: { latitude: { about: 37.55 }, longitude: { about: 127 } } },
        { tool: "trip_weather_brief", args: { latitude: { about: 37.55 } } },
      ],
      orders: [],
    },
  },
  {
    id: "de-plaudern-und-essen",
    language: "de",
    kind: "restaurants",
    say: [
      "Hallo! Wie geht's dir?",
      "schreib mir ein gedicht über den frühling",
      "na gut. wo kann man in wien in der nähe vom stephansdom gut essen, italienisch?",
      "doch lieber japanisch, für vier leute",
      "und wie komme ich vom flughafen wien zum Stephansplatz 1",
    ],
    answers: { place: "Stephansdom, Wien", address: "Stephansplatz 1, Wien", guests: "vier" },
    goal: {
      calls: [
        {
          tool: ["recommend_restaurants", "restaurant_route_card"],
          args: { location: /ste(ph|f)an/iu, cuisine: /jap/iu },
        },
        { tool: ["airport_transfer_coordinator", "airport_arrival_playbook"], args: { airport: "VIE" } },
      ],
      orders: [],
    },
  },
];
