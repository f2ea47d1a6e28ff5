import { expect, it } from "vitest";
import { sayFewerBags } from "./fewer-bags.ts";

const slice = (...checked: number[]) => ({
  segments: checked.map((quantity) => ({
    baggage: [
      { type: "carry_on", quantity: 1 },
      { type: "checked", quantity },
    ],
  })),
});

it.each([
  [
    [slice(1)],
    [slice(0)],
    "includes no checked bag for each passenger, and the flights it replaces include 1 checked bag",
  ],
  [
    [slice(2, 2)],
    [slice(2, 1)],
    "includes 1 checked bag for each passenger, and the flights it replaces include 2 checked bags",
  ],
  [[slice(1)], [{ segments: [{ baggage: [] }] }], "includes no checked bag"],
])("a change says that its fare has fewer bags, case %#", (removed, added, said) => {
  expect(sayFewerBags(removed, added)).toContain(said);
});

it.each([
  [[slice(1)], [slice(1)]],
  [[slice(0)], [slice(2)]],
  [[slice(1)], []],
  // On one of its flights no bag was included before.
  [[slice(1, 0)], [slice(0)]],
])("a change says nothing where it has as many, case %#", (removed, added) => {
  expect(sayFewerBags(removed, added)).toBeNull();
});
