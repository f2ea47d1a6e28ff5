import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { readDocument } from "./read-document.ts";

it("a passport whose zone reads equally well upside down is read upright, and its dates are not taken for the zone", async () => {
  const bytes = readFileSync(
    new URL("../../../../test/fixtures/passport-with-failed-check-digit.png", import.meta.url),
  );
  const reading = await readDocument(bytes, "png", "id_document");
  const lines = reading.pages.flatMap((page) => page.lines.map(({ words }) => words.map(({ text }) => text).join(" ")));
  expect(lines).toEqual(expect.arrayContaining(["ERIKSSON", "15 APR 2031"]));
  const expiry = reading.pages[0]?.lines.find(({ words }) => words.some(({ text }) => text === "2031"))?.words[0];
  const [found] = reading.mrz;
  expect(found?.lines[0]).toBe("P<SWEERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<");
  expect(found?.box.y).toBeGreaterThan(expiry?.box.y ?? 1);
});
