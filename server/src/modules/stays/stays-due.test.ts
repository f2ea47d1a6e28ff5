import { afterAll, beforeAll, expect, it } from "vitest";
import { openStays, type StaysWorld } from "../../../test/support/stays-service.ts";

/** The amount due at the accommodation is shown permanently, as its payment there is not reported. */

let world: StaysWorld;
beforeAll(async () => {
  world = await openStays("shared");
});
afterAll(() => world.close());

it("is stated in the preview, the answer of book_stay and read_order", async () => {
  // Where the sandbox has a city tax.
  const { first } = await world.searchHotels({}, { location: "Barcelona" });
  const quote = await world.quoted(first.cheapestRate.id);
  const due = { amount: quote.dueAtAccommodationAmount, currency: quote.dueAtAccommodationCurrency };
  expect(due).toEqual({ amount: expect.any(String), currency: expect.any(String) });
  const said = `The guest still has to pay ${due.amount} ${due.currency} at the accommodation`;
  const args = {
    quoteId: quote.id,
    email: "amelia@example.com",
    phoneNumber: "+442080160508",
    guests: [{ givenName: "Amelia", familyName: "Hart" }],
  };
  const preview = await world.result("preview_call", { tool: "book_stay", args });
  expect(preview.note).toContain(said);
  const booked = await world.result("book_stay", args);
  expect(booked).toMatchObject({ dueAtAccommodation: due, next: expect.stringContaining(said) });
  expect(booked.next).not.toContain("Nothing is left to do");
  const order = await world.result("read_order", { orderId: booked.orderId });
  expect(order).toMatchObject({ stay: { dueAtAccommodation: due }, next: expect.stringContaining(said) });
});

it("is omitted if nothing is due there", async () => {
  const quote = await world.quoted();
  expect(quote.dueAtAccommodationAmount).toBeNull();
  const answer = await world.bookStay(quote.id);
  expect(answer.body.result).toMatchObject({
    dueAtAccommodation: null,
    next: expect.stringContaining("Nothing is left to do for this stay"),
  });
});
