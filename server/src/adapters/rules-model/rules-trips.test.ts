import { describe, expect, it } from "vitest";
import { talkWithRules } from "../../../test/support/rules-talk.ts";

interface Turn {
  readonly text: string;
  readonly question: string | undefined;
  readonly calls: readonly { readonly name: string; readonly args: unknown }[];
}
const last = (turns: readonly Turn[], name: string) =>
  turns.flatMap(({ calls }) => calls.filter((one) => one.name === name)).at(-1)?.args;
const names = (turn: Turn | undefined) => turn?.calls.map(({ name }) => name);
const talk = async (locale: string, ...say: readonly string[]) =>
  await talkWithRules(say, { locale, companions: ["Anna Berger", "Ben Rao"] });

const LISBON =
  "A friend of mine, Priya Sharma, and I would like to get away for a long weekend in Lisbon. We'd fly from London next Friday evening, say after five, and come back on the Monday, but not before ten in the morning. We'd also need a hotel somewhere central, under 180 a night.";

describe("a message about a flight and a hotel begins with the flight", () => {
  it.each([
    [
      "en",
      LISBON,
      { origin: "LON", destination: "LIS", departureDate: "2026-12-04", returnDate: "2026-12-07", passengers: 2 },
      { departs: { from: "17:00" }, returnDeparts: { from: "10:00" } },
    ],
    [
      "de",
      "Ich müsste am Montag, dem 14. Dezember, beruflich von Frankfurt nach Wien, am liebsten morgens, aber nicht vor acht Uhr, und am Mittwochabend wieder zurück. Ein Hotel in der Nähe vom Stephansdom bräuchte ich auch.",
      { origin: "FRA", destination: "VIE", departureDate: "2026-12-14", returnDate: "2026-12-16" },
      { departs: { from: "08:00", until: "12:00" }, returnDeparts: { from: "17:00" } },
    ],
    [
      "es",
      "Quisiera viajar de Madrid a Roma el viernes que viene por la tarde y volver el domingo por la noche. También necesitaría un hotel cerca del Coliseo.",
      { origin: "MAD", destination: "ROM", departureDate: "2026-12-04", returnDate: "2026-12-06" },
      { departs: { from: "12:00" } },
    ],
  ])("in %s: %s", async (locale, said, search, filters) => {
    const turns = await talk(locale, said);
    expect(last(turns, "search_flights")).toMatchObject(search);
    expect(last(turns, "search_more_flights")).toMatchObject(filters);
    expect(names(turns[0])).not.toContain("search_hotels");
  });

  it("and says that a receipt comes later", async () => {
    const [turn] = await talk(
      "en",
      "Book the cheapest nonstop from Vienna to London on 12 January, back on the 14th, for Anna Berger and Ben Rao, and an invoice. Keep it under 900 euros with a hotel with two rooms.",
    );
    expect(names(turn)).toContain("search_flights");
    expect(turn?.text).toMatch(/hotel follows[\s\S]*receipt can be issued once this is booked/);
  });
});

describe("what the conversation knows is not asked again", () => {
  it.each([
    ["en", "A hotel in London from 12 to 14 January", "And the flight?", "from Vienna"],
    ["de", "Ein Hotel in London vom 12. bis 14. Januar", "Und der Flug?", "von Wien"],
    ["es", "Un hotel en Londres del 12 al 14 de enero", "¿Y el vuelo?", "desde Viena"],
  ])("the flight after the hotel is there and then: %s, %s", async (locale, ...said) => {
    expect(last(await talk(locale, ...said), "search_flights")).toMatchObject({
      ...{ origin: "VIE", destination: "LON", departureDate: "2027-01-12", returnDate: "2027-01-14" },
    });
  });

  it.each([
    "Heathrow would be a lot handier, in both directions",
    "fly from London Heathrow to Lisbon and back to Heathrow",
    "Lisbon. From Heathrow on Friday the 4th, back on Monday the 7th to Heathrow",
  ])("another airport of the city leaves the journey: %s", async (said) => {
    const first = "flight from London to Lisbon on 4 December, back on the 7th";
    expect(last(await talk("en", first, said), "search_flights")).toMatchObject({
      ...{ origin: "LHR", destination: "LIS", departureDate: "2026-12-04", returnDate: "2026-12-07" },
    });
  });

  it("a hotel near a sight is in the city of the flight that was booked", async () => {
    const turns = await talk(
      "es",
      "un hotel en Roma del 4 al 6 de diciembre",
      "vuelo de Madrid a Roma el 4 de diciembre, vuelta el 6",
      "el más barato",
      "Y ahora el hotel, cerca del Colosseo, dos noches",
    );
    expect(last(turns, "search_hotels")).toMatchObject({ location: "Colosseo, Roma", checkInDate: "2026-12-04" });
  });
});

it.each([
  ["de", "Ich möchte meinen Rückflug um einen Tag verschieben"],
  ["de", "Bitte verschieben Sie meinen Flug um einen Tag"],
])("a flight is moved by a day: %s, %s", async (locale, said) => {
  expect((await talk(locale, said))[0]?.question).toBe("order");
});

it("an airport that is looked up for a way is not that of the flight", async () => {
  const turns = await talkWithRules(
    ["vuelo de Madrid a Roma el 4 de diciembre", "¿cómo llego del aeropuerto al centro de Roma?", "el 5 de diciembre"],
    { locale: "es", answers: { find_airports_nearby: { airports: [{ iataCode: "CIA", cityName: "Roma" }] } } },
  );
  expect(last(turns, "search_flights")).toMatchObject({ destination: "ROM" });
});

it("the closest flights keep the times, where nothing fits all wishes", async () => {
  const search_more_flights = { searchId: "sea_1", offers: [] };
  const [turn] = await talkWithRules(
    ["nonstop flight from Hamburg to Madrid on 12 January in the morning, back on 15 January in the evening"],
    { answers: { search_more_flights } },
  );
  const tried = (turn?.calls ?? []).filter(({ name }) => name === "search_more_flights").map(({ args }) => args);
  expect(tried).toHaveLength(5);
  expect(tried[1]).not.toHaveProperty("directOnly");
  expect(tried[1]).toMatchObject({ departs: { from: "05:00" }, returnDeparts: { from: "17:00" } });
  expect(turn?.text).toMatch(/closest/);
});

it("says that no price includes breakfast", async () => {
  const [turn] = await talk("en", "a hotel in Lisbon from 4 to 7 December, with breakfast");
  expect(turn?.text).toMatch(/None of these prices includes breakfast/);
});

describe("money", () => {
  const orders = [
    { orderId: "ord_1", kind: "flight", status: "confirmed", pnr: "ZZADYX", what: "VIE to LGW", totalUsdc: "535.83" },
    { orderId: "ord_2", kind: "flight", status: "confirmed", pnr: "ZZOTHR", what: "VIE to MAD", totalUsdc: "99.00" },
  ];

  it.each([
    ["en", "What did we pay for booking ZZADYX?"],
    ["de", "Was haben wir für die Buchung ZZADYX bezahlt?"],
    ["es", "¿Cuánto pagamos por la reserva ZZADYX?"],
    ["en", "What did the London trip cost me in total?"],
  ])("paid for one booking is its price: %s, %s", async (locale, said) => {
    const [turn] = await talkWithRules([said], { locale, answers: { list_orders: { orders } } });
    expect(turn?.text).toMatch(/535[.,]83/);
    expect(turn?.text).not.toMatch(/ZZOTHR/);
  });

  it.each([
    ["en", "Give me the receipt for booking ZZADYX, please", /SANDBOX-REC-1: .*535\.83.*https:\/\/files/],
    ["de", "Bitte die Quittung für die Buchung ZZADYX", /SANDBOX-REC-1: .*535,83.*https:\/\/files/],
  ])("a receipt is issued: %s, %s", async (locale, said, expected) => {
    const answers = {
      list_orders: { orders },
      generate_booking_invoice: {
        ...{ invoiceNumber: "SANDBOX-REC-1", pdfUrl: "https://files.example/1", total: "535.83", currency: "USDC" },
      },
    };
    const turns = await talkWithRules([said], { locale, answers });
    expect(last(turns, "generate_booking_invoice")).toEqual({ bookingId: "ord_1" });
    expect(turns[0]?.text).toMatch(expected);
  });

  it("a hotel within the days of another journey, too, is not counted for a trip", async () => {
    const on = (startsOn: string, endsOn: string) => ({ status: "confirmed", startsOn, endsOn });
    const list_orders = {
      orders: [
        {
          orderId: "ord_1",
          kind: "flight",
          what: "LHR to LIS",
          totalUsdc: "900.00",
          ...on("2026-12-04", "2026-12-07"),
        },
        {
          orderId: "ord_2",
          kind: "flight",
          what: "MAD to FCO",
          totalUsdc: "300.00",
          ...on("2026-12-04", "2026-12-06"),
        },
        { orderId: "bok_1", kind: "stay", what: "Hotel A", totalUsdc: "100.00", ...on("2026-12-04", "2026-12-07") },
        { orderId: "bok_2", kind: "stay", what: "Hotel B", totalUsdc: "200.00", ...on("2026-12-04", "2026-12-06") },
      ],
    };
    const [turn] = await talkWithRules(["What did the Lisbon trip cost me in total?"], { answers: { list_orders } });
    expect(turn?.text).toMatch(/1,000\.00/);
    expect(turn?.text).not.toMatch(/Hotel B/);
  });

  it("what was spent today counts where the day in UTC is another one", async () => {
    const turns = await talkWithRules(["What did we spend this month?"], {
      timeZone: "America/New_York",
      now: Temporal.Instant.from("2026-11-28T00:35:00Z"),
    });
    expect(last(turns, "list_movements")).toMatchObject({ from: "2026-11-01", to: "2026-11-28" });
  });

  it("a refund for a hotel, whose order names no city, is shown", async () => {
    const answers = {
      list_orders: { orders: [{ orderId: "bok_1", kind: "stay", status: "cancelled", what: "Copper Quarters" }] },
      list_movements: {
        movements: [
          { kind: "order_refund", at: "2026-11-28T00:00:00Z", token: "USDC", amount: "64.83", orderId: "bok_1" },
        ],
      },
    };
    for (const said of ["Where is my refund for the Porto hotel I cancelled?", "How much money have I got back?"]) {
      const [turn] = await talkWithRules([said], { answers });
      expect(turn?.text).toMatch(/64\.83.*Copper Quarters/);
    }
  });
});
