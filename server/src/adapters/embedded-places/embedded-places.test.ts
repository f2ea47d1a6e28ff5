import { expect, test } from "vitest";
import { openMaps } from "../../outside/maps.ts";
import { foldedName } from "./city-table.ts";
import { ElevationGrid } from "./elevation-grid.ts";
import { createEmbeddedPlaces } from "./index.ts";
import { loadAirports, loadCities, loadSummits } from "./load.ts";
import { aliases, mainAirports } from "./names.ts";

const maps = openMaps({ geocodingProviders: ["embedded"] }, { nominatim: undefined }, createEmbeddedPlaces());

const first: [text: string, label: string, precision: string, latitude: number, longitude: number][] = [
  ["LHR", "London Heathrow Airport (LHR), London, United Kingdom", "airport", 51.47, -0.46],
  ["lhr", "London Heathrow Airport (LHR), London, United Kingdom", "airport", 51.47, -0.46],
  ["JFK airport", "John F. Kennedy International Airport (JFK), New York, United States", "airport", 40.64, -73.78],
  ["Heathrow", "London Heathrow Airport (LHR), London, United Kingdom", "airport", 51.47, -0.46],
  ["Heathrow, London", "London Heathrow Airport (LHR), London, United Kingdom", "airport", 51.47, -0.46],
  ["LON", "London, United Kingdom", "city", 51.51, -0.13],
  ["TYO", "Tokyo, Japan", "city", 35.69, 139.69],
  ["Paris, France", "Paris, France", "city", 48.85, 2.35],
  ["Lisbon, PT", "Lisbon, Portugal", "city", 38.72, -9.14],
  ["Lisbon Portugal", "Lisbon, Portugal", "city", 38.72, -9.14],
  ["New York", "New York, NY, United States", "city", 40.71, -74.01],
  ["New York, NY, USA", "New York, NY, United States", "city", 40.71, -74.01],
  ["São Paulo", "São Paulo, Brazil", "city", -23.55, -46.64],
  ["sao paulo", "São Paulo, Brazil", "city", -23.55, -46.64],
  ["  ZÜRICH ", "Zürich, Switzerland", "city", 47.37, 8.55],
  ["München", "Munich, Germany", "city", 48.14, 11.58],
  ["Wien", "Vienna, Austria", "city", 48.21, 16.37],
  ["Bombay", "Mumbai, India", "city", 19.07, 72.88],
  ["St. Petersburg, FL", "St. Petersburg, FL, United States", "city", 27.77, -82.68],
  ["Saint Petersburg", "Saint Petersburg, Russia", "city", 59.94, 30.31],
  ["Washington", "Washington, DC, United States", "city", 38.9, -77.04],
  ["Springfield, IL", "Springfield, IL, United States", "city", 39.8, -89.64],
  ["Springfield, Illinois", "Springfield, IL, United States", "city", 39.8, -89.64],
  ["Portland, Maine", "Portland, ME, United States", "city", 43.66, -70.26],
  ["London, Ontario", "London, ON, Canada", "city", 42.98, -81.23],
  ["Atlanta, Georgia", "Atlanta, GA, United States", "city", 33.75, -84.39],
  ["Tbilisi, Georgia", "Tbilisi, Georgia", "city", 41.69, 44.83],
  ["Singapore", "Singapore, Singapore", "city", 1.29, 103.85],
  ["Valencia", "Valencia, Spain", "city", 39.47, -0.38],
  ["Brooklyn, NY", "Brooklyn, NY, United States", "city", 40.65, -73.95],
  ["Shibuya, Tokyo", "Shibuya, Tokyo, Japan", "neighborhood", 35.66, 139.7],
  ["Shibuya, Tokyo, Japan", "Shibuya, Tokyo, Japan", "neighborhood", 35.66, 139.7],
  ["Sentosa, Singapore", "Sentosa, Singapore, Singapore", "landmark", 1.25, 103.83],
  ["Eiffel Tower Paris", "Eiffel Tower, Paris, France", "landmark", 48.858, 2.294],
  ["Alhambra", "Alhambra, Granada, Spain", "landmark", 37.176, -3.588],
  ["Gràcia, Barcelona", "Gràcia, Spain", "neighborhood", 41.402, 2.156],
  ["Kreuzberg", "Kreuzberg, Germany", "neighborhood", 52.5, 13.4],
  ["Barcelona, Gràcia", "Gràcia, Spain", "neighborhood", 41.402, 2.156],
  ["Berlin Kreuzberg", "Kreuzberg, Germany", "neighborhood", 52.5, 13.4],
  ["Paris, Eiffel Tower", "Eiffel Tower, Paris, France", "landmark", 48.858, 2.294],
  ["New York Times Square", "Times Square, New York, United States", "landmark", 40.76, -73.99],
  ["Eiffel Tower Paris France", "Eiffel Tower, Paris, France", "landmark", 48.858, 2.294],
  ["Central Park New York USA", "Central Park, New York, United States", "landmark", 40.78, -73.97],
  ["hotels near the Colosseum", "Colosseum, Rome, Italy", "landmark", 41.89, 12.49],
  ["downtown Chicago", "Chicago, IL, United States", "city", 41.85, -87.65],
  ["Heathrow Terminal 5", "London Heathrow Airport (LHR), London, United Kingdom", "airport", 51.47, -0.46],
  ["Hoboken, New York", "Hoboken, NJ, United States", "city", 40.74, -74.03],
  ["東京", "Tokyo, Japan", "city", 35.69, 139.69],
  ["Ｔｏｋｙｏ", "Tokyo, Japan", "city", 35.69, 139.69],
  ["القاهرة", "Cairo, Egypt", "city", 30.06, 31.25],
  ["दिल्ली", "Delhi, India", "city", 28.65, 77.23],
  ["Paris 🗼, France", "Paris, France", "city", 48.85, 2.35],
  ["75001 Paris", "Paris, France", "city", 48.85, 2.35],
  ["12 Main St, Boston, MA 02110, USA", "Boston, MA, United States", "city", 42.36, -71.06],
];

test.each(first)("%s is %s", async (text, label, precision, latitude, longitude) => {
  const { candidates, nearMatches } = await maps.findPlaces(text);
  expect(candidates[0]).toMatchObject({ label, precision });
  expect(candidates[0]?.latitude).toBeCloseTo(latitude, 1);
  expect(candidates[0]?.longitude).toBeCloseTo(longitude, 1);
  expect(nearMatches).toEqual([]);
});

test.each([
  "Amsterdam Qwxz depot",
  "Qwxz depot Amsterdam",
  "Amsterdam, Qwxz depot",
  "Qwxz depot, Amsterdam",
  "Amsterdam, Qwxz depot, Netherlands",
  "Qwxz depot Amsterdam Netherlands",
])("%s is in Amsterdam, and the depot is said to be unknown", async (text) => {
  const { candidates } = await maps.findPlaces(text);
  const label = "Amsterdam, Netherlands";
  expect(candidates).toMatchObject([{ label, precision: "city", unknownPart: "Qwxz depot" }]);
});

test.each([
  ["Amsterdam Centraal station", "Amsterdam-Centraal, Netherlands"],
  ["Centraal station, Amsterdam, Netherlands", "Amsterdam-Centraal, Netherlands"],
  ["Gare du Nord", "Paris Gare du Nord, France"],
  ["Rome Termini", "Roma Termini station, Italy"],
  ["Prague main station", "Praha hl.n., Czechia"],
  ["Lyon station", "Lyon Part-Dieu station, France"],
])("the station %s is %s", async (text, label) => {
  const { candidates } = await maps.findPlaces(text);
  expect(candidates).toMatchObject([{ label, precision: "landmark", unknownPart: null }]);
});

test.each([
  ["東京都千代田区丸の内1-9-1", "Chiyoda, Tokyo, Japan", "丸の内1-9-1"],
  ["〒530-0001 大阪府大阪市北区梅田3-1-1", "Osaka, Japan", "北区梅田3-1-1"],
  ["1-9-1 Marunouchi, Chiyoda-ku, Tokyo 100-0005", "Chiyoda, Tokyo, Japan", "1-9-1 Marunouchi"],
  ["上海市浦东新区世纪大道100号", "Pudong, Shanghai, China", "世纪大道100号"],
  ["广东省深圳市福田区深南大道1号", "Futian, Shenzhen, China", "深南大道1号"],
  ["台北市信義區信義路五段7號", "Xinyi, Taipei, Taiwan", "信義路五段7號"],
  ["서울특별시 중구 세종대로 110", "Jung-gu, Seoul, South Korea", "세종대로 110"],
])("the address %s is in %s, and its street is said to be unknown", async (text, label, unknownPart) => {
  expect((await maps.findPlaces(text)).candidates).toMatchObject([{ label, unknownPart }]);
});

test.each([
  ["Los Angelos", "Los Angeles, CA, United States"],
  ["Salt Lake Ciyt", "Salt Lake City, UT, United States"],
  ["Lisbonn", "Lisbon, Portugal"],
  ["Tokvo", "Tokyo, Japan"],
  ["Barcel", "Barcelona, Spain"],
  ["Brimingham", "Birmingham, United Kingdom"],
  ["Paris, Germany", "Paris, France"],
  ["Mexico", "Mexico City, Mexico"],
  ["California", "Los Angeles, CA, United States"],
])("%s is not found and %s is named", async (text, near) => {
  const { candidates, nearMatches } = await maps.findPlaces(text);
  expect(candidates).toEqual([]);
  expect(nearMatches[0]).toBe(near);
});

test.each(["", "   ", ",,,", "Xyzzyqq", "TXL", "🗼🗼", "a".repeat(100_000), "__proto__", "constructor"])(
  "%.20s finds nothing and breaks nothing",
  async (text) => {
    expect((await maps.findPlaces(text)).candidates).toEqual([]);
  },
);

test("places with the same name are listed largest first, up to the limit", async () => {
  const { candidates, provenance } = await maps.findPlaces("Springfield", { limit: 2 });
  expect(candidates.map((place) => place.label)).toEqual([
    "Springfield, MO, United States",
    "Springfield, MA, United States",
  ]);
  expect(provenance).toEqual({
    source: "embedded-places",
    sourceLevel: "embedded",
    asOf: "2023-03-05",
    fallbackFrom: [],
    attribution: expect.arrayContaining([expect.stringContaining("GeoNames")]),
  });
});

test("airports and metropolitan codes", () => {
  expect(maps.airport("lhr")).toEqual({
    iataCode: "LHR",
    metroCode: "LON",
    name: "London Heathrow Airport",
    cityName: "London",
    countryCode: "GB",
    latitude: expect.closeTo(51.468, 2),
    longitude: expect.closeTo(-0.459, 2),
    timeZone: "Europe/London",
  });
  const mains = ["LON", "NYC", "PAR", "TYO", "ROM", "MIL", "CHI", "WAS", "BUE", "BJS"].map(
    (code) => maps.airport(code)?.iataCode,
  );
  expect(mains).toEqual(["LHR", "JFK", "CDG", "HND", "FCO", "MXP", "ORD", "IAD", "EZE", "PEK"]);
  expect(["LGW", "LON", "EWR", "NRT", "zrh"].map((code) => maps.metroCode(code))).toEqual([
    "LON",
    "LON",
    "NYC",
    "TYO",
    "ZRH",
  ]);
  expect(maps.airport("ZZZ")).toBeUndefined();
  expect(maps.metroCode("ZZZ")).toBe("ZZZ");
});

test("the data: time zones exist and match the longitude, positions are valid, closed airports are gone", () => {
  const { all, byCode } = loadAirports();
  expect(all.length).toBeGreaterThan(1_200);
  expect(new Set(all.map((airport) => airport.iataCode)).size).toBe(all.length);
  const now = Temporal.Instant.from("2026-01-15T00:00:00Z");
  const wrong = all.filter(({ latitude, longitude, timeZone }) => {
    const offsetHours = now.toZonedDateTimeISO(timeZone).offsetNanoseconds / 3.6e12;
    const apart = Math.abs(((offsetHours - longitude / 15 + 36) % 24) - 12);
    return apart > 3.3 || Math.abs(latitude) > 90 || (Math.abs(latitude) < 0.01 && Math.abs(longitude) < 0.01);
  });
  expect(wrong).toEqual([]);
  expect(["TXL", "SXF", "JRA", "XOF"].filter((code) => byCode.has(code))).toEqual([]);
  const zones = {
    SYD: "Australia/Sydney",
    HNL: "Pacific/Honolulu",
    DEL: "Asia/Kolkata",
    KTM: "Asia/Kathmandu",
    IST: "Europe/Istanbul",
    LAX: "America/Los_Angeles",
    PHX: "America/Phoenix",
    BER: "Europe/Berlin",
    GRU: "America/Sao_Paulo",
    KEF: "Atlantic/Reykjavik",
    APW: "Pacific/Apia",
  };
  expect(Object.fromEntries(Object.keys(zones).map((code) => [code, byCode.get(code)?.timeZone]))).toEqual(zones);
});

test("every curated name leads to a place in the tables", () => {
  const cities = loadCities();
  const { byCode } = loadAirports();
  const lost = [...aliases].filter(([, target]) => {
    const [name = "", country] = target.split("|");
    return !cities.named(name).some((city) => city.countryCode === country && foldedName(city) === name);
  });
  expect(lost).toEqual([]);
  const stray = [...mainAirports].filter(([metro, code]) => byCode.get(code)?.metroCode !== metro);
  expect(stray).toEqual([]);
});

test("recalled summits rise above the grid at their stated positions", () => {
  const grid = new ElevationGrid();
  const wrong = loadSummits().filter((summit) => {
    const above = summit.meters - (grid.around(summit)?.highest ?? Number.NaN);
    return !(above > -300 && above < 2_500);
  });
  expect(wrong).toEqual([]);
  expect(loadSummits().length).toBeGreaterThan(100);
});
