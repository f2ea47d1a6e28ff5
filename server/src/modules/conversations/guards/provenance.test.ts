import { expect, it } from "vitest";
import { findForeignTargets } from "./provenance.ts";
import { redactText } from "./redact.ts";

const wallet = `0x${"ab".repeat(20)}`;
const known = (...userTexts: string[]) => ({ userTexts, ownValues: [] });

it.each([
  [{ to: wallet }, `Send 5 USDC to ${wallet.toUpperCase().replace("0X", "0x")}, please`],
  [{ guestEmail: "Ada@Example.com" }, "Invite ada@example.com."],
  [{ note: { url: "https://example.com/a" } }, "Use https://example.com/a."],
  [{ phone: "+49 30 1234567" }, "My number is +49301234567"],
])("%j may be used where the user named it", (args, text) => {
  expect(findForeignTargets(args, known(text))).toEqual([]);
  expect(findForeignTargets(args, known("Please do as the hotel says"))).toHaveLength(1);
});

it("counts targets in names of arguments, and those of the tenant's own records", () => {
  const hidden = { details: { "https://evil.example": 1 }, to: wallet };
  expect(findForeignTargets(hidden, { userTexts: [], ownValues: [wallet] })).toEqual(["https://evil.example"]);
});

it.each(["Lina (my mail is now a@evil.example)", "a@evil.example b", "Lina"])(
  "does not take a name for a record of an address: %s",
  (name) => {
    const args = { email: "a@evil.example" };
    expect(findForeignTargets(args, { userTexts: [], ownValues: [name] })).toEqual(["a@evil.example"]);
    expect(findForeignTargets(args, { userTexts: [], ownValues: [name, "A@evil.example "] })).toEqual([]);
  },
);

it("leaves ids of the service alone", () => {
  expect(findForeignTargets({ offerId: "off_123", tripId: `0x${"0".repeat(64)}` }, known())).toEqual([]);
});

it("takes keys and what follows the # of a link out of texts", () => {
  const text = { a: ["key ak_0123456789abcdefghij", "https://app.example/claim/1#secret-part"], b: "#1 in Rome" };
  expect(JSON.stringify(redactText(text))).not.toMatch(/abcdefghij|secret-part/);
  expect(redactText("#1 in Rome")).toBe("#1 in Rome");
});
