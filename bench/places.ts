import { readFileSync } from "node:fs";
import { z } from "zod";
import { createEmbeddedPlaces } from "../server/src/adapters/embedded-places/index.ts";
import { openMaps } from "../server/src/outside/maps.ts";

/** Embedded geocoding and time zones on one core: each slice is a kind of question, and each must hold by itself. */
const GEOCODING = { perSecond: 5_000, p99Milliseconds: 5 };
const TIME_ZONES = { perSecond: 20_000, p99Milliseconds: 5 };
const MEASURED_MILLISECONDS = 1_500;
const MOST_MEGABYTES = 60;

const Known = z.array(
  z.object({
    name: z.string(),
    city: z.string().optional(),
    countryCode: z.string(),
    latitude: z.number(),
    longitude: z.number(),
  }),
);
const fixture = z
  .object({ places: Known, neighborhoods: Known, sights: Known })
  .parse(JSON.parse(readFileSync(new URL("../server/test/fixtures/known-places.json", import.meta.url), "utf8")));

const embedded = createEmbeddedPlaces();
const maps = openMaps({ geocodingProviders: ["embedded"] }, { nominatim: undefined }, embedded);
const english = new Intl.DisplayNames("en", { type: "region" });
const places = fixture.places.map(({ name }) => name);

/** The same numbers in every run. */
function* fractions(): Generator<number> {
  for (let seed = 1; ; seed = (seed * 48_271) % 2_147_483_647) yield seed / 2_147_483_647;
}
const numbers = fractions();
const next = (): number => numbers.next().value ?? 0;
const point = () => ({ latitude: next() * 180 - 90, longitude: next() * 360 - 180 });
const nearby = ({ latitude, longitude }: { latitude: number; longitude: number }) => ({
  latitude: latitude + (next() - 0.5) / 5,
  longitude: longitude + (next() - 0.5) / 5,
});

/** Megabytes that are still needed, as far as the collector was let loose. */
function held(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 1e6;
}

/** Loaded first: a slice is what comes after the first question. */
async function load(): Promise<void> {
  const before = held();
  const start = performance.now();
  await maps.findPlaces("Paris");
  const loaded = performance.now();
  await maps.findPlaces("Xyzzyqq");
  maps.timeZonesAt({ latitude: 48.85, longitude: 2.35 });
  maps.countryCodeAt({ latitude: 48.85, longitude: 2.35 });
  await embedded.elevation.ask({ latitude: 48.85, longitude: 2.35 });
  maps.nearestCity({ latitude: 48.85, longitude: 2.35 }, { withinKilometers: 10 });
  const megabytes = held() - before;
  const milliseconds = [loaded - start, performance.now() - loaded].map(Math.round).join(" and ");
  process.stdout.write(`first questions: ${milliseconds} ms, ${megabytes.toFixed(0)} MB of memory\n`);
  judge(megabytes <= MOST_MEGABYTES, `more than ${MOST_MEGABYTES} MB`);
}

function judge(holds: boolean, what: string): void {
  if (holds) return;
  process.stdout.write(`  missed: ${what}\n`);
  process.exitCode = 1;
}

async function slice<Question>(
  name: string,
  questions: readonly Question[],
  ask: (question: Question) => unknown,
  target: { perSecond: number; p99Milliseconds: number },
): Promise<void> {
  for (const question of questions.slice(0, 50)) await ask(question);
  const took: number[] = [];
  const start = performance.now();
  for (let at = 0; performance.now() - start < MEASURED_MILLISECONDS; at += 1) {
    const question = questions[at % questions.length];
    if (question === undefined) break;
    const began = performance.now();
    await ask(question);
    took.push(performance.now() - began);
  }
  const perSecond = (took.length / (performance.now() - start)) * 1_000;
  took.sort((a, b) => a - b);
  const p99 = took[Math.floor(took.length * 0.99)] ?? 0;
  process.stdout.write(`${name}: ${Math.round(perSecond)}/s, p99 ${p99.toFixed(2)} ms\n`);
  judge(perSecond >= target.perSecond, `${target.perSecond}/s`);
  judge(p99 <= target.p99Milliseconds, `p99 ${target.p99Milliseconds} ms`);
}

const geocode = (text: string) => maps.findPlaces(text);
const withCountry = ({ name, city, countryCode }: z.infer<typeof Known>[number]): string =>
  [name, ...(city === undefined ? [] : [city]), english.of(countryCode)].join(", ");

await load();
await slice("cities", places, geocode, GEOCODING);
await slice("cities with countries", fixture.places.map(withCountry), geocode, GEOCODING);
await slice(
  "cities without commas",
  fixture.places.map((one) => withCountry(one).replaceAll(",", "")),
  geocode,
  GEOCODING,
);
await slice("neighborhoods", fixture.neighborhoods.map(withCountry), geocode, GEOCODING);
await slice("sights", fixture.sights.map(withCountry), geocode, GEOCODING);
await slice(
  "streets",
  fixture.places.map((one) => `12 Long Street, 10115 ${withCountry(one)}`),
  geocode,
  GEOCODING,
);
await slice(
  "other scripts",
  ["東京", "Москва", "القاهرة", "दिल्ली", "서울", "Αθήνα", "กรุงเทพมหานคร"],
  geocode,
  GEOCODING,
);
await slice(
  "misspelt",
  places.map((name) => `${name.slice(0, 2)}x${name.slice(2)}`),
  geocode,
  GEOCODING,
);
await slice(
  "nothing",
  places.map((name) => `${[...name].toReversed().join("")}zzq`),
  geocode,
  GEOCODING,
);
await slice(
  "long texts",
  places.map((name) => `${name} `.repeat(250).slice(0, 2_000)),
  geocode,
  GEOCODING,
);
const anywhere = Array.from({ length: 50_000 }, point);
const around = Array.from({ length: 50_000 }, (_, index) =>
  nearby(fixture.places[index % fixture.places.length] ?? point()),
);
const zone = (position: { latitude: number; longitude: number }) => maps.timeZonesAt(position);
await slice("time zones of known places", fixture.places, zone, TIME_ZONES);
await slice("time zones around known places", around, zone, TIME_ZONES);
await slice("time zones anywhere", anywhere, zone, TIME_ZONES);
process.stdout.write(`memory of the whole process at the end: ${Math.round(process.memoryUsage().rss / 1e6)} MB\n`);
