import { type Dialogue, NEXT } from "./dialogue.ts";

const SEARCH = ["search_flights", "search_more_flights"];
const BUYS = ["book_flight", "book_stay", "hold_flight"];
const me = { passengers: "solo yo", companions: "nadie más", returnDate: "solo ida", confirmation: "Sí, adelante" };

export const spanish: readonly Dialogue[] = [
  {
    id: "es-solo-ida",
    language: "es",
    kind: "one-way",
    say: [
      "hola, quiero un vuelo de madrid a roma el {in 37 days}, solo ida",
      "perdón, mejor el {in 39 days}",
      "resérvame el más barato",
    ],
    answers: { ...me },
    goal: {
      calls: [{ tool: SEARCH, args: { origin: "MAD", departureDate: "{in 39 days}" } }],
      orders: [{ flight: { from: "MAD", to: ["FCO", "CIA"], on: "{in 39 days}", travelers: 1 } }],
    },
  },
  {
    id: "es-ida-y-vuelta",
    language: "es",
    kind: "return",
    say: [
      "Necesito ir de Barcelona a Londres el {in 53 days} y volver el {in 55 days}.",
      "Mejor vuelvo un día después",
      "Me quedo con el primero",
    ],
    answers: { ...me, returnDate: "el {in 56 days}" },
    goal: {
      calls: [{ tool: SEARCH, args: { origin: "BCN", departureDate: "{in 53 days}", returnDate: "{in 55 days}" } }],
      orders: [
        {
          flight: {
            from: "BCN",
            to: ["LHR", "LGW", "STN", "LTN", "LCY"],
            on: "{in 53 days}",
            back: "{in 56 days}",
          },
        },
      ],
    },
  },
  {
    id: "es-con-marco",
    language: "es",
    kind: "several-passengers",
    say: [
      "vuelo para mi y para marco de valencia a paris, {saturday after 40 days weekday}, solo ida",
      "salimos mejor desde Alicante",
      "vale, reserva el mas barato",
    ],
    answers: { ...me, passengers: "dos", companions: "Marco Traveler" },
    goal: {
      orders: [{ flight: { from: "ALC", to: ["CDG", "ORY"], on: "{saturday after 40 days}", travelers: 2 } }],
    },
  },
  {
    id: "es-con-mi-hija",
    language: "es",
    kind: "child",
    say: [
      "Quiero volar con mi hija Lina, de 9 años, de Sevilla a Barcelona el {in 63 days}. Solo ida.",
      "¿Y a Palma de Mallorca?",
      "Perfecto, el más barato a Palma",
    ],
    answers: { ...me, passengers: "un adulto y una niña", companions: "Lina Traveler", childAges: "9 años" },
    goal: { orders: [{ flight: { from: "SVQ", to: "PMI", on: "{in 63 days}", travelers: 2 } }] },
  },
  {
    id: "es-clase-ejecutiva",
    language: "es",
    kind: "cabin",
    say: ["busco vuelo madrid nueva york en turista, {in 45 days short}", "mejor en business", "reserva el más barato"],
    answers: { ...me },
    goal: {
      calls: [{ tool: SEARCH, args: { origin: "MAD", cabinClass: "business" } }],
      orders: [{ flight: { from: "MAD", to: ["JFK", "EWR"], on: "{in 45 days}", cabin: "business" } }],
    },
  },
  {
    id: "es-precio-maximo",
    language: "es",
    kind: "price-limit",
    say: [
      "Un vuelo de Lisboa a Madrid el {in 41 days}, por menos de 30 dólares",
      "bueno, hasta 350 dólares",
      "Ese, el más barato, resérvalo",
    ],
    answers: { ...me },
    goal: { orders: [{ flight: { from: "LIS", to: "MAD", on: "{in 41 days}", atMost: 350 } }] },
  },
  {
    id: "es-por-la-manana",
    language: "es",
    kind: "time-of-day",
    say: [
      "quiero salir el {wednesday after 32 days weekday} por la tarde de barcelona a amsterdam",
      "no, mejor por la mañana, antes de las 12",
      "el más barato, por favor",
    ],
    answers: { ...me },
    goal: {
      orders: [{ flight: { from: "BCN", to: "AMS", on: "{wednesday after 32 days}", departs: { until: "12:00" } } }],
    },
  },
  {
    id: "es-sin-escalas",
    language: "es",
    kind: "non-stop",
    say: [
      "¿Hay vuelos directos de Madrid a Ciudad de México el {in 68 days}?",
      "¿Y dos días más tarde? También sin escalas",
      "Reserva el más barato",
    ],
    answers: { ...me },
    goal: { orders: [{ flight: { from: "MAD", to: "MEX", on: "{in 70 days}", isNonStop: true } }] },
  },
  {
    id: "es-hotel",
    language: "es",
    kind: "stay",
    say: [
      "busco hotel en sevilla desde el {in 44 days}, 2 noches, una persona",
      "que sean tres noches",
      "reserva el más barato",
    ],
    answers: { guests: "una persona", confirmation: "sí", email: "tess.traveler@example.com" },
    goal: {
      calls: [{ tool: "search_hotels", args: { location: /sevill/iu, checkInDate: "{in 44 days}" } }],
      orders: [{ stay: { from: "{in 44 days}", to: "{in 47 days}" } }],
    },
  },
  {
    id: "es-hotel-cerca",
    language: "es",
    kind: "stay-near",
    say: [
      "Quisiera un hotel para dos personas cerca de la Sagrada Familia, el día 12, cuatro noches.",
      "Perdone, solo tres noches.",
      "El segundo, para Marco y para mí",
    ],
    answers: {
      guests: "dos",
      companions: "Marco Traveler",
      confirmation: "Sí",
      checkInDate: "el día 12",
      email: "tess.traveler@example.com",
    },
    goal: {
      calls: [{ tool: ["search_hotels", "search_family_hotels"], args: { location: /sagrada/iu } }],
      orders: [{ stay: { from: "{day 12}", to: "{day 12 plus 3}", guests: 2 } }],
    },
  },
  {
    id: "es-hotel-reembolsable",
    language: "es",
    kind: "stay-refundable",
    say: [
      "necesito hotel en Lisboa del {in 72 days} al {in 74 days}, uno barato, para mi solo",
      "tiene que tener cancelación gratis, y como mucho 400 dólares en total",
      "el más barato de esos",
    ],
    answers: { guests: "uno", confirmation: "vale", email: "tess.traveler@example.com" },
    goal: { orders: [{ stay: { from: "{in 72 days}", to: "{in 74 days}", atMost: 400 } }] },
  },
  {
    id: "es-elegir",
    language: "es",
    kind: "choosing",
    say: [
      "vuelos de bilbao a frankfurt el {in 29 days} para una persona",
      "cuál es el más rápido?",
      "entonces el segundo... no, el primero",
    ],
    answers: { ...me },
    goal: { orders: [{ flight: { from: "BIO", to: "FRA", on: "{in 29 days}" } }] },
  },
  {
    id: "es-cambiar",
    language: "es",
    kind: "changing",
    given: [{ flight: { origin: "MAD", destination: "LIS", departureDate: "{in 60 days}" } }],
    say: [
      "Tengo que cambiar mi vuelo a Lisboa, quiero salir el {in 61 days}",
      "uy no, el {in 62 days}",
      "la opción más barata, cámbialo",
    ],
    answers: { order: "el de Lisboa", choice: "la más barata", confirmation: "Sí" },
    goal: {
      calls: [{ tool: "confirm_order_change" }],
      orders: [{ flight: { from: "MAD", to: "LIS", on: "{in 62 days}" } }],
      never: BUYS,
    },
  },
  {
    id: "es-cancelar",
    language: "es",
    kind: "cancelling",
    given: [{ stay: { location: "Roma", checkInDate: "{in 47 days}", checkOutDate: "{in 49 days}" } }],
    say: [
      "¿puedo cambiar las fechas de mi hotel en roma?",
      "entonces quiero cancelarlo, cuanto me devuelven?",
      "ok, cancélalo",
    ],
    answers: { order: "el hotel de Roma", confirmation: "Sí" },
    goal: { calls: [{ tool: "confirm_cancel_order" }], orders: [], cancelled: 1, never: BUYS },
  },
  {
    id: "es-no",
    language: "es",
    kind: "no",
    say: [
      "Reserva el hotel más barato en Granada para el {friday after 30 days weekday}, una noche, una persona",
      "no, en Málaga mejor",
      "el más barato",
    ],
    answers: { guests: "una", confirmation: "No", email: "tess.traveler@example.com" },
    goal: { calls: [{ tool: "search_hotels", args: { location: /m[aá]laga/iu } }], orders: [] },
  },
  {
    id: "es-otra-cosa",
    language: "es",
    kind: "withdrawal",
    say: [
      "qué vuelos hay de málaga a berlín el {in 35 days}? una persona, solo ida",
      "reserva el más barato",
      "espera, ¿cuánto dinero tengo en la cuenta?",
      "bien, entonces resérvalo",
    ],
    answers: { ...me, confirmation: [NEXT, "sí"] },
    goal: {
      calls: [{ tool: "check_treasury" }],
      orders: [{ flight: { from: "AGP", to: "BER", on: "{in 35 days}" } }],
    },
  },
  {
    id: "es-mi-viaje",
    language: "es",
    kind: "trip-state",
    given: [
      { trip: { budgetUsdc: "60", tripSummary: "Feria de Bilbao" } },
      { flight: { origin: "MAD", destination: "BCN", departureDate: "{in 59 days}" } },
    ],
    say: [
      "¿cómo va mi viaje? ¿cuánto queda del presupuesto?",
      "y qué vuelos tengo reservados?",
      "cancela el de barcelona... no, déjalo, no canceles nada",
    ],
    answers: { order: "el de Barcelona", confirmation: "No" },
    goal: {
      calls: [{ tool: ["list_trips", "read_trip"] }, { tool: "list_orders" }],
      orders: [{ flight: { from: "MAD", to: "BCN", on: "{in 59 days}" } }],
      never: ["confirm_cancel_order", ...BUYS],
    },
  },
  {
    id: "es-visado",
    language: "es",
    kind: "eligibility",
    say: [
      "necesito visado para japon? voy de vacaciones el {in 88 days}, dos semanas",
      "perdona, a corea del sur, no a japón",
      "y qué dice la política de viajes sobre los hoteles?",
    ],
    answers: {
      purpose: "vacaciones",
      country: "Corea del Sur",
      origin: "desde Alemania",
      returnDate: "dos semanas después",
    },
    goal: {
      calls: [
        {
          tool: "check_travel_eligibility",
          args: { destinationIso3: "KOR", purpose: "leisure", departureDate: "{in 88 days}" },
        },
        { tool: ["read_policy", "check_policy"] },
      ],
      orders: [],
    },
  },
  {
    id: "es-tiempo-y-hora",
    language: "es",
    kind: "weather",
    say: ["qué tiempo hace en buenos aires", "digo en Montevideo", "¿y qué hora es allí?"],
    answers: { place: "Montevideo" },
    goal: {
      calls: [
        { tool: "trip_weather_brief", args: { latitude: { about: -34.9 }, longitude: { about: -56.17 } } },
        { tool: "timezone_brief", args: { latitude: { about: -34.9 }, longitude: { about: -56.17 } } },
      ],
      orders: [],
    },
  },
  {
    id: "es-charla-y-traslado",
    language: "es",
    kind: "small-talk",
    say: [
      "buenas! quién eres?",
      "resérvame un crucero por el mediterráneo",
      "vale, pues dime cómo llegar del aeropuerto de Barcelona al Passeig de Gràcia 43, en taxi",
      "mejor en transporte público",
      "y restaurantes de tapas cerca de la plaza de catalunya, no muy caros",
    ],
    answers: { address: "Passeig de Gràcia 43, Barcelona", place: "Plaça de Catalunya, Barcelona" },
    goal: {
      calls: [
        { tool: ["airport_transfer_coordinator", "airport_arrival_playbook"], args: { airport: "BCN" } },
        {
          tool: ["airport_transfer_coordinator", "airport_arrival_playbook"],
          args: { airport: "BCN", mode: "transit" },
        },
        { tool: ["recommend_restaurants", "restaurant_route_card"], args: { location: /catalu/iu } },
      ],
      orders: [],
    },
  },
];
