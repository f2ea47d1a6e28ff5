import { expect, it } from "vitest";
import { findEndOfQuiet } from "./quiet-hours.ts";

const berlin = { timeZone: "Europe/Berlin", quietFrom: "22:00", quietUntil: "07:00" };
const at = (text: string) => Temporal.Instant.from(text);

it.each([
  ["in the evening, until the next morning", "2026-11-27T21:30:00Z", "2026-11-28T06:00:00Z"],
  ["after midnight, until the same morning", "2026-11-28T02:00:00Z", "2026-11-28T06:00:00Z"],
  ["at its very beginning", "2026-11-27T21:00:00Z", "2026-11-28T06:00:00Z"],
  ["over a change of the clocks", "2026-03-28T23:00:00Z", "2026-03-29T05:00:00Z"],
])("is quiet %s", (_name, now, end) => {
  expect(findEndOfQuiet(at(now), berlin)).toEqual(at(end));
});

it.each([
  ["at its very end", "2026-11-28T06:00:00Z", berlin],
  ["by day", "2026-11-28T12:00:00Z", berlin],
  ["where nobody asked for it", "2026-11-28T02:00:00Z", { ...berlin, quietFrom: undefined, quietUntil: undefined }],
  ["at the same hour elsewhere", "2026-11-28T02:00:00Z", { ...berlin, timeZone: "Asia/Tokyo" }],
])("is not quiet %s", (_name, now, hours) => {
  expect(findEndOfQuiet(at(now), hours)).toBeUndefined();
});

it("is quiet at noon where the quiet time does not pass midnight", () => {
  const noon = { timeZone: "UTC", quietFrom: "12:00", quietUntil: "13:00" };
  expect(findEndOfQuiet(at("2026-11-28T12:30:00Z"), noon)).toEqual(at("2026-11-28T13:00:00Z"));
});
