import { expect, it } from "vitest";
import { toVisibleText } from "./visible-text.ts";

const family = "👨‍👩‍👧‍👦";

it.each([
  ["  Café\n\tdu  Monde\u0000 ", 20, "Café du Monde"],
  ["\u202Eevil\u2066", 20, "evil"],
  ["\uD800half", 20, "half"],
  [family.repeat(3), 3, family.repeat(3)],
  [family.repeat(4), 3, `${family.repeat(2)}…`],
  ["مطعم النخيل", 20, "مطعم النخيل"],
  ["x".repeat(10_000), 5, "xxxx…"],
])("%j in %i characters is %j", (text, maximumLength, shown) => {
  expect(toVisibleText(text, maximumLength)).toBe(shown);
});
