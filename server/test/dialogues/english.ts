import { type Dialogue, NEXT } from "./dialogue.ts";

const SEARCH = ["search_flights", "search_more_flights"];
const BUYS = ["book_flight", "book_stay", "hold_flight"];
const me = { passengers: "just me", companions: "nobody else", returnDate: "no return, one way", confirmation: "Yes" };

export const english: readonly Dialogue[] = [
  {
    id: "en-one-way",
    language: "en",
    kind: "one-way",
    say: [
      "hi, i need a flight from frankfurt to lisbon on {in 40 days}, one way",
      "oh wait, can we do one day later instead",
      "ok book the cheapest one",
    ],
    answers: { ...me, choice: "the cheapest" },
    goal: {
      calls: [{ tool: SEARCH, args: { origin: "FRA", destination: "LIS", departureDate: "{in 41 days}" } }],
      orders: [{ flight: { from: "FRA", to: "LIS", on: "{in 41 days}", travelers: 1 } }],
    },
  },
  {
    id: "en-return",
    language: "en",
    kind: "return",
    say: [
      "I'd like to fly from London to New York on {in 50 days} and come back a week later.",
      "Actually make the return {in 60 days}, I want to stay a bit longer",
      "I'll take the first option",
    ],
    answers: { ...me, returnDate: "{in 60 days}" },
    goal: {
      calls: [{ tool: SEARCH, args: { departureDate: "{in 50 days}", returnDate: "{in 57 days}" } }],
      orders: [
        {
          flight: {
            from: ["LHR", "LGW", "STN", "LTN", "LCY"],
            to: ["JFK", "EWR", "LGA"],
            on: "{in 50 days}",
            back: "{in 60 days}",
          },
        },
      ],
    },
  },
  {
    id: "en-two-of-us",
    language: "en",
    kind: "several-passengers",
    say: [
      "two tickets madrid to rome {saturday after 45 days weekday} please, for me and marco",
      "hmm we'd rather fly from Barcelona",
      "book the cheapest",
    ],
    answers: { ...me, passengers: "two of us", companions: "Marco Traveler" },
    goal: {
      orders: [{ flight: { from: "BCN", to: ["FCO", "CIA"], on: "{saturday after 45 days}", travelers: 2 } }],
    },
  },
  {
    id: "en-with-a-child",
    language: "en",
    kind: "child",
    say: [
      "Me and my daughter Lina (she's 9) want to go from Munich to Barcelona on {in 62 days dayFirst}, only one way",
      "sorry, I meant Palma not Barcelona",
      "the cheapest is fine, book it",
    ],
    answers: { ...me, passengers: "one adult and one child", companions: "Lina Traveler", childAges: "9" },
    goal: { orders: [{ flight: { from: "MUC", to: "PMI", on: "{in 62 days}", travelers: 2 } }] },
  },
  {
    id: "en-business",
    language: "en",
    kind: "cabin",
    say: [
      "whats available from jfk to london heathrow on {in 33 days short}? economy",
      "and in business?",
      "book me the cheapest business class seat",
    ],
    answers: { ...me },
    goal: {
      calls: [{ tool: SEARCH, args: { origin: "JFK", destination: "LHR", cabinClass: "business" } }],
      orders: [{ flight: { from: "JFK", to: "LHR", on: "{in 33 days}", cabin: "business" } }],
    },
  },
  {
    id: "en-under-a-price",
    language: "en",
    kind: "price-limit",
    say: [
      "find me a flight paris to rome on {in 48 days}, must be under 60 dollars",
      "ok then at most $400",
      "great, book that cheapest one",
    ],
    answers: { ...me },
    goal: { orders: [{ flight: { from: ["CDG", "ORY"], to: ["FCO", "CIA"], on: "{in 48 days}", atMost: 400 } }] },
  },
  {
    id: "en-morning",
    language: "en",
    kind: "time-of-day",
    say: [
      "Need to be on a morning flight from Amsterdam to Madrid on {tuesday after 35 days weekday}",
      "evening would be better after all, after 5pm",
      "the cheapest of those please",
    ],
    answers: { ...me },
    goal: {
      orders: [{ flight: { from: "AMS", to: "MAD", on: "{tuesday after 35 days}", departs: { from: "17:00" } } }],
    },
  },
  {
    id: "en-non-stop",
    language: "en",
    kind: "non-stop",
    say: [
      "Are there any direct flights from San Francisco to New York {in 70 days}?",
      "make it the day after. still non-stop",
      "I'll go with the cheapest one",
    ],
    answers: { ...me },
    goal: { orders: [{ flight: { from: "SFO", to: ["JFK", "EWR"], on: "{in 71 days}", isNonStop: true } }] },
  },
  {
    id: "en-stay-three-nights",
    language: "en",
    kind: "stay",
    say: [
      "looking for a hotel in Lisbon from {in 41 days}, 3 nights, just me",
      "let's make that four nights",
      "book the cheapest",
    ],
    answers: { guests: "one", confirmation: "yes please", email: "tess.traveler@example.com" },
    goal: {
      calls: [{ tool: "search_hotels", args: { location: /lis/iu, checkInDate: "{in 41 days}" } }],
      orders: [{ stay: { from: "{in 41 days}", to: "{in 45 days}" } }],
    },
  },
  {
    id: "en-stay-near-for-two",
    language: "en",
    kind: "stay-near",
    say: [
      "hotel for 2 near the eiffel tower, the 7th for three nights",
      "or rather near the louvre, same dates",
      "The second one looks nice, book that one for me and Marco",
    ],
    answers: {
      guests: "2",
      companions: "Marco Traveler",
      confirmation: "Yes",
      checkInDate: "the 7th",
      email: "tess.traveler@example.com",
    },
    goal: {
      calls: [
        { tool: ["search_hotels", "search_family_hotels"], args: { location: /louvre/iu, checkInDate: "{day 7}" } },
      ],
      orders: [{ stay: { from: "{day 7}", to: "{day 7 plus 3}", guests: 2 } }],
    },
  },
  {
    id: "en-stay-refundable",
    language: "en",
    kind: "stay-refundable",
    say: [
      "I want a hotel in Barcelona {in 80 days} to {in 82 days}, has to be refundable, one person",
      "not more than 300 for the whole stay, if possible with at least 3 stars... no, forget the stars",
      "take the cheapest refundable one",
    ],
    answers: { guests: "1", confirmation: "ok", email: "tess.traveler@example.com" },
    goal: { orders: [{ stay: { from: "{in 80 days}", to: "{in 82 days}" } }] },
  },
  {
    id: "en-choosing-by-number",
    language: "en",
    kind: "choosing",
    say: [
      "Flights from Berlin to Vienna on {in 30 days}, one adult",
      "how much is the second one if i have to cancel?",
      "nah, I'll take number 1",
    ],
    answers: { ...me },
    goal: { orders: [{ flight: { from: "BER", to: "VIE", on: "{in 30 days}" } }] },
  },
  {
    id: "en-move-my-flight",
    language: "en",
    kind: "changing",
    given: [{ flight: { origin: "FRA", destination: "LIS", departureDate: "{in 55 days}" } }],
    say: [
      "i need to move my flight to lisbon to {in 57 days}",
      "no sorry, to {in 58 days}",
      "take the cheapest option and change it",
    ],
    answers: { choice: "the cheapest", order: "the one to Lisbon", confirmation: "yes" },
    goal: {
      calls: [{ tool: "confirm_order_change" }],
      orders: [{ flight: { from: "FRA", to: "LIS", on: "{in 58 days}" } }],
      never: BUYS,
    },
  },
  {
    id: "en-cancel-one-of-two",
    language: "en",
    kind: "cancelling",
    given: [
      { flight: { origin: "MAD", destination: "LHR", departureDate: "{in 44 days}" } },
      { stay: { location: "London", checkInDate: "{in 44 days}", checkOutDate: "{in 46 days}" } },
    ],
    say: [
      "What would I get back if I cancel my London hotel?",
      "ok and the flight?",
      "cancel the hotel then, and keep the flight",
    ],
    answers: { order: "the hotel", confirmation: [NEXT, NEXT, "Yes"] },
    goal: {
      calls: [{ tool: "confirm_cancel_order" }],
      orders: [{ flight: { from: "MAD", to: "LHR", on: "{in 44 days}" } }],
      cancelled: 1,
      never: BUYS,
    },
  },
  {
    id: "en-no-at-the-end",
    language: "en",
    kind: "no",
    say: [
      "Book me the cheapest flight from Dublin to Amsterdam on {in 28 days short}",
      "do you have something later that day?",
      "fine, book the cheapest of these",
    ],
    answers: { ...me, confirmation: "no" },
    goal: { calls: [{ tool: SEARCH, args: { origin: "DUB", destination: "AMS" } }], orders: [] },
  },
  {
    id: "en-hotel-instead",
    language: "en",
    kind: "withdrawal",
    say: [
      "show me flights from zurich to rome {in 36 days}, one way, only me",
      "book the cheapest",
      "hang on, first tell me what the weather is like in Rome",
      "alright, forget the flight. I need a hotel in Rome on {in 36 days} for 2 nights, one guest",
      "book the cheapest",
    ],
    answers: { ...me, guests: "1", confirmation: [NEXT, "yes"], email: "tess.traveler@example.com" },
    goal: { orders: [{ stay: { from: "{in 36 days}", to: "{in 38 days}" } }] },
  },
  {
    id: "en-trip-and-money",
    language: "en",
    kind: "trip-state",
    given: [{ trip: { budgetUsdc: "50", tripSummary: "Offsite in Porto" } }],
    say: [
      "how is my trip doing, how much of the budget is left?",
      "and whats in my wallet",
      "never mind. show me my trips again",
    ],
    answers: { order: "the Porto trip" },
    goal: { calls: [{ tool: ["list_trips", "read_trip"] }, { tool: "check_treasury" }], orders: [] },
  },
  {
    id: "en-policy-and-visa",
    language: "en",
    kind: "policy",
    say: [
      "Am I allowed to fly business according to our travel policy?",
      "ok. and do i need a visa for japan? i'd go {in 90 days} on holiday for 10 days",
      "sorry, for business, not on holiday",
    ],
    answers: {
      purpose: "business",
      country: "Japan",
      origin: "Germany",
      departureDate: "{in 90 days}",
      returnDate: "{in 100 days}",
    },
    goal: {
      calls: [
        { tool: ["read_policy", "check_policy"] },
        { tool: "check_travel_eligibility", args: { destinationIso3: "JPN", purpose: "business" } },
      ],
      orders: [],
    },
  },
  {
    id: "en-weather-and-time",
    language: "en",
    kind: "weather",
    say: ["what's the weather like in porto", "I meant Lisbon, not Porto", "and what time is it there right now?"],
    answers: { place: "Lisbon" },
    goal: {
      calls: [
        { tool: "trip_weather_brief", args: { latitude: { about: 38.72 }, longitude: { about: -9.14 } } },
        { tool: "timezone_brief", args: { latitude: { about: 38.72 } } },
      ],
      orders: [],
    },
  },
  {
    id: "en-car-then-transfer",
    language: "en",
    kind: "transfer",
    say: [
      "hey there, what can you do for me?",
      "can you rent me a car in Rome",
      "ok then how do I get from fiumicino airport to Via Veneto 50, Rome",
      "by public transport rather. and a good italian restaurant near the Pantheon?",
    ],
    answers: { address: "Via Veneto 50, Rome", place: "Pantheon, Rome" },
    goal: {
      calls: [
        {
          tool: ["airport_transfer_coordinator", "airport_arrival_playbook"],
          args: { destinationAddress: /veneto/iu },
        },
        { tool: ["recommend_restaurants", "restaurant_route_card"], args: { location: /pantheon/iu } },
      ],
      orders: [],
    },
  },
];
