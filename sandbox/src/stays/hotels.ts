// Hotels that do not exist, the same ones at the same places every time: each cell of a fine grid has its own.
import { base62Digit, base62Value, chance, hashedCode, pickWhole } from "../hash.ts";
import { distanceKm, type Position } from "../inventory/geography.ts";
import { airports, type CityRecord, cities } from "../reference/data.ts";
import { type Chain, chooseChain } from "./chains.ts";

export type Hotel = {
  readonly id: string;
  readonly name: string;
  readonly position: Position;
  readonly city: CityRecord | undefined;
  readonly country: string;
  readonly timeZone: string;
  /** 1 to 5 */
  readonly rating: number;
  readonly reviewScore: number;
  readonly reviewCount: number;
  readonly street: string;
  readonly postalCode: string;
  readonly chain: Chain | null;
};

const CELL_DEGREES = 0.02;
const MOST_HOTELS = 40;
const HOTELS_IN_OPEN_COUNTRY = 0.35;
const CITY_REACH_KM = 25;
const ID_PLACE_LENGTH = 7;
const ID_CHECK_LENGTH = 11;

/** Where test bookings are made in the supplier's own test mode. */
export const TEST_PLACE: Position = { lat: -24.38, lon: -128.32 };
const TEST_HOTELS = 6;

const FIRST_WORDS =
  "Amber Anchor Beacon Birch Bramble Bridge Cedar Clover Copper Coral Cypress Driftwood Elm Fern Fountain Garnet Gable Harbour Hawthorn Heron Indigo Ivory Juniper Kestrel Lantern Laurel Linden Magnolia Maple Marigold Meridian Mulberry Orchard Osprey Quarry Quill Saffron Sparrow Willow Wren".split(
    " ",
  );
const SECOND_WORDS = "House Lodge Court Gardens Inn Suites Rooms Residence Quarters Palace Terrace Park".split(" ");
const STREETS = "Station Market Mill Church Garden Harbour Castle River King Park Bridge Linden".split(" ");

const citiesByDegree = new Map<string, CityRecord[]>();
for (const city of cities) {
  const key = `${Math.floor(city.lat)}:${Math.floor(city.lon)}`;
  citiesByDegree.set(key, [...(citiesByDegree.get(key) ?? []), city]);
}

function citiesNear(position: Position): readonly { city: CityRecord; km: number }[] {
  const near: { city: CityRecord; km: number }[] = [];
  for (let lat = -1; lat <= 1; lat += 1) {
    for (let lon = -1; lon <= 1; lon += 1) {
      for (const city of citiesByDegree.get(`${Math.floor(position.lat) + lat}:${Math.floor(position.lon) + lon}`) ??
        []) {
        const km = distanceKm(city, position);
        if (km <= CITY_REACH_KM) near.push({ city, km });
      }
    }
  }
  return near;
}

/** The city a hotel says it is in: the one that weighs most from there. */
function cityAt(position: Position): CityRecord | undefined {
  const ranked = citiesNear(position).map(({ city, km }) => ({ city, weight: city.population / (km + 3) ** 2 }));
  return ranked.sort((a, b) => b.weight - a.weight)[0]?.city;
}

function expectedHotels(position: Position): number {
  let expected = HOTELS_IN_OPEN_COUNTRY;
  for (const { city, km } of citiesNear(position)) {
    const atCentre = 0.8 + 0.55 * Math.log10(city.population / 100_000 + 1) * 2;
    expected = Math.max(expected, atCentre / (1 + (km / 4) ** 2));
  }
  return expected;
}

type Cell = { readonly row: number; readonly column: number };

function findCell(position: Position): Cell {
  return {
    row: Math.floor((position.lat + 90) / CELL_DEGREES),
    column: Math.floor((position.lon + 180) / CELL_DEGREES),
  };
}

function cellMiddle(cell: Cell): Position {
  return { lat: (cell.row + 0.5) * CELL_DEGREES - 90, lon: (cell.column + 0.5) * CELL_DEGREES - 180 };
}

const testCell = findCell(TEST_PLACE);

function isTestCell(cell: Cell): boolean {
  return cell.row === testCell.row && cell.column === testCell.column;
}

function countIn(seed: string, cell: Cell): number {
  if (isTestCell(cell)) return TEST_HOTELS;
  const expected = expectedHotels(cellMiddle(cell));
  const whole = Math.floor(expected);
  return whole + (chance(seed, "hotels", cell.row, cell.column) < expected - whole ? 1 : 0);
}

function nearestAirport(position: Position) {
  let best = { tz: "UTC", country: "", km: Number.POSITIVE_INFINITY };
  for (const airport of airports) {
    if (Math.abs(airport.lat - position.lat) > 15) continue;
    const km = distanceKm(airport, position);
    if (km < best.km) best = { tz: airport.tz, country: airport.country, km };
  }
  return best;
}

function hotelId(seed: string, cell: Cell, index: number): string {
  const digits = (value: number, length: number) => {
    let text = "";
    let rest = value;
    for (let place = 0; place < length; place += 1) {
      text = base62Digit(rest % 62) + text;
      rest = Math.floor(rest / 62);
    }
    return text;
  };
  const place = digits(cell.row, 3) + digits(cell.column, 3) + digits(index, 1);
  return `acc_0000${place}${hashedCode(ID_CHECK_LENGTH, seed, "hotel", place)}`;
}

function hotelAt(seed: string, cell: Cell, index: number): Hotel {
  const id = hotelId(seed, cell, index);
  const corner = cellMiddle(cell);
  const spread = CELL_DEGREES * 0.96;
  const position = isTestCell(cell)
    ? TEST_PLACE
    : {
        lat: Math.round((corner.lat + (chance(id, "lat") - 0.5) * spread) * 1e5) / 1e5,
        lon: Math.round((corner.lon + (chance(id, "lon") - 0.5) * spread) * 1e5) / 1e5,
      };
  const airport = nearestAirport(position);
  const city = cityAt(position);
  const rating = [1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5][pickWhole(0, 10, id, "rating")] ?? 3;
  const words = `${FIRST_WORDS[pickWhole(0, FIRST_WORDS.length - 1, id, "first")]} ${SECOND_WORDS[pickWhole(0, SECOND_WORDS.length - 1, id, "second")]}`;
  return {
    id,
    name: isTestCell(cell) ? `Test Hotel ${index + 1} (Sandbox)` : `${words} (Sandbox)`,
    position,
    city,
    country: city?.country ?? airport.country,
    timeZone: airport.tz,
    rating,
    reviewScore: Math.round((6.1 + rating * 0.45 + chance(id, "score") * 1.4) * 10) / 10,
    reviewCount: pickWhole(12, 2400, id, "reviews"),
    street: `${pickWhole(1, 180, id, "number")} ${STREETS[pickWhole(0, STREETS.length - 1, id, "street")]} Street`,
    postalCode: String(pickWhole(10_000, 99_999, id, "postal")),
    chain: chooseChain(id, rating, isTestCell(cell)),
  };
}

/** The hotels within a radius, nearest first. */
export function hotelsAround(seed: string, centre: Position, radiusKm: number): readonly Hotel[] {
  const start = findCell(centre);
  const rowKm = CELL_DEGREES * 111.2;
  const columnKm = Math.max(0.05, rowKm * Math.cos((centre.lat * Math.PI) / 180));
  const lastRow = Math.ceil(radiusKm / rowKm);
  const found: { hotel: Hotel; km: number }[] = [];
  // Band by band outwards, until those found are certainly the nearest.
  for (let ring = 0; ring <= lastRow; ring += 1) {
    const width = Math.ceil(((ring + 1) * rowKm) / columnKm);
    const innerWidth = ring === 0 ? -1 : Math.ceil((ring * rowKm) / columnKm);
    for (let row = -ring; row <= ring; row += 1) {
      for (let column = -width; column <= width; column += 1) {
        if (Math.abs(row) < ring && Math.abs(column) <= innerWidth) continue;
        const columns = Math.round(360 / CELL_DEGREES);
        const cell = { row: start.row + row, column: (start.column + column + columns) % columns };
        if (cell.row < 0 || cell.row >= 180 / CELL_DEGREES) continue;
        const count = countIn(seed, cell);
        for (let index = 0; index < count; index += 1) {
          const hotel = hotelAt(seed, cell, index);
          const km = distanceKm(centre, hotel.position);
          if (km <= radiusKm) found.push({ hotel, km });
        }
      }
    }
    if (found.filter((entry) => entry.km <= ring * rowKm).length >= MOST_HOTELS) break;
  }
  found.sort((a, b) => a.km - b.km || (a.hotel.id < b.hotel.id ? -1 : 1));
  return found.slice(0, MOST_HOTELS).map((entry) => entry.hotel);
}

export function findHotel(seed: string, id: string): Hotel | undefined {
  const place = id.slice("acc_0000".length, "acc_0000".length + ID_PLACE_LENGTH);
  if (!/^acc_0000[0-9A-Za-z]{18}$/u.test(id)) return undefined;
  const cell = { row: base62Value(place.slice(0, 3)), column: base62Value(place.slice(3, 6)) };
  const index = base62Value(place.slice(6, 7));
  if (hotelId(seed, cell, index) !== id || index >= countIn(seed, cell)) return undefined;
  return hotelAt(seed, cell, index);
}
