import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { z } from "zod";
import { isAirportCode } from "./airport-codes.ts";

const Airports = z.array(z.tuple([z.string()]).rest(z.unknown()));
const file = new URL("../../../../adapters/embedded-places/data/airports.json", import.meta.url);

it("knows exactly the airports of the embedded places", () => {
  const codes = new Set(Airports.parse(JSON.parse(readFileSync(file, "utf8"))).map(([code]) => code));
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  const all = letters.flatMap((one) => letters.flatMap((two) => letters.map((three) => one + two + three)));
  expect(all.filter(isAirportCode).sort()).toEqual([...codes].sort());
});
