import { afterAll, beforeAll, expect, it } from "vitest";
import { openStays, type StaysWorld } from "../../../test/support/stays-service.ts";

/** One name may book a stay for several guests; the hotel may object, and there may be too few beds. */

let world: StaysWorld;
beforeAll(async () => {
  world = await openStays("shared");
});
afterAll(() => world.close());

const amelia = { givenName: "Amelia", familyName: "Hart" };
const CONTACT = { email: "amelia@example.com", phoneNumber: "+442080160508" };

async function bothSay(quoteId: string, guests: readonly object[]) {
  const args = { quoteId, ...CONTACT, guests };
  const { note, warnings } = await world.result("preview_call", { tool: "book_stay", args });
  const { next } = await world.result("book_stay", args);
  return { previewed: String(note), warnings, answered: String(next) };
}

let days = 40;

/** A quote for a room with one double bed, in nights of its own: a stay booked there before would be named. */
async function quotedFor(adults: number, childAges: readonly number[]) {
  days += 3;
  const checkIn = Temporal.Now.plainDateISO("UTC").add({ days });
  const dates = { checkInDate: checkIn.toString(), checkOutDate: checkIn.add({ days: 2 }).toString() };
  const search = { location: "Lisbon", adults, childAges, ...dates };
  const { accommodations } = Object(await world.result("search_family_hotels", search));
  for (const { rates } of accommodations) {
    const double = rates.find(
      ({ beds }: { beds: { type: string }[] }) => beds.length === 1 && beds[0]?.type === "double",
    );
    if (double !== undefined) return await world.quoted(double.id);
  }
  throw new Error("no room has one double bed");
}

it("names the unnamed members of a family, and the missing beds before and after the booking", async () => {
  const { id, warnings } = await quotedFor(2, [7, 9]);
  const tooFew = "Its beds (1 double) sleep 2, but there are 4 guests: ask the hotel for more beds";
  expect(warnings).toEqual([`${tooFew}, or search with rooms: 2.`]);
  const said = await bothSay(id, [amelia]);
  const unnamed =
    "The quote is for 4 guests (2 adults, children aged 7, 9) and names Amelia Hart: 3 guests are unnamed";
  expect(said.warnings).toEqual([...[warnings].flat(), expect.stringContaining(unnamed)]);
  expect(said.answered).toContain(unnamed);
  expect(said.answered).toContain(`${tooFew}.`);
});

it("does not propose more rooms than there are adults, and counts no child in a cot", async () => {
  const { warnings } = await quotedFor(1, [1, 7, 9]);
  expect(warnings).toEqual([
    "Its beds (1 double) sleep 2, but 3 of the 4 guests need a bed: ask the hotel for more beds, or take another rate.",
  ]);
});

it("says nothing if everyone is named and has a bed; a child in a cot needs none", async () => {
  const { id, warnings } = await quotedFor(2, [1]);
  const baby = {
    givenName: "Bea",
    familyName: "Hart",
    bornOn: Temporal.Now.plainDateISO("UTC").subtract({ months: 15 }).toString(),
  };
  // Not Amelia: another test has booked her a stay there.
  const said = await bothSay(id, [{ ...amelia, givenName: "Cora" }, { ...amelia, givenName: "Ben" }, baby]);
  expect([warnings, said.warnings]).toEqual([[], []]);
  for (const text of [said.previewed, said.answered]) {
    expect(text).not.toContain("unnamed");
    expect(text).not.toContain("Its beds");
  }
});
