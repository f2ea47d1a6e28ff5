import { expect, it } from "vitest";
import { contradictions } from "./same-person.ts";

it.each([
  ["Müller", "MUELLER"],
  ["Müller", "MULLER"],
  ["Åström", "AASTROEM"],
  ["Łukasiewicz", "LUKASIEWICZ"],
  ["Groß", "GROSS"],
  ["O'Brien", "OBRIEN"],
  ["van der Berg", "VAN DER BERG"],
  ["García", "GARCIA LOPEZ"],
  ["Иванов", "IVANOV"],
])("the family name %s agrees with %s", (familyName, scanned) => {
  expect(contradictions({ familyName }, { familyName: scanned })).toEqual([]);
});

it.each([
  ["Anna", "ANNA MARIA"],
  ["Anna Maria", "ANNA"],
  ["Anna-Maria", "ANNAMARIA"],
  ["A.", "ANNA"],
  ["Zoë", "ZOE"],
])("the given name %s agrees with %s", (givenName, scanned) => {
  expect(contradictions({ givenName }, { givenName: scanned })).toEqual([]);
});

it("contradictions are named, and values unknown on one side are not", () => {
  const anna = { familyName: "ERIKSSON", givenName: "ANNA MARIA", bornOn: "1974-08-12" };
  expect(contradictions(anna, { familyName: "LINDQVIST", givenName: "BO", bornOn: "1980-01-02" })).toEqual([
    "familyName",
    "givenName",
    "bornOn",
  ]);
  expect(contradictions(anna, { ...anna, givenName: "BO" })).toEqual(["givenName"]);
  expect(contradictions(anna, { ...anna, bornOn: "1974-08-13" })).toEqual(["bornOn"]);
  expect(contradictions({ familyName: "van der Berg" }, { familyName: "VAN DER MEER" })).toEqual(["familyName"]);
  expect(contradictions({}, anna)).toEqual([]);
  expect(contradictions(anna, {})).toEqual([]);
});
