import { afterAll, beforeAll, expect, it } from "vitest";
import { openServicing, type Servicing } from "../../../../test/support/servicing-service.ts";

/** An offer is booked once, and stays booked after its order is cancelled: the old answer must not pass for a new booking. */

let world: Servicing;
beforeAll(async () => {
  world = await openServicing("shared");
});
afterAll(() => world.close());

const preview = (tool: string, args: object) => world.result("preview_call", { tool, args });

async function cancel(orderId: unknown): Promise<void> {
  const { cancellationId } = await world.result("cancel_order_quote", { orderId });
  await world.result("confirm_cancel_order", { cancellationId });
}

it("reports first that nothing was booked, in the preview, the answer and to other travelers", async () => {
  const { id: offerId } = await world.flexibleOffer();
  const { orderId } = await world.result("book_flight", { offerId });
  const before = await preview("book_flight", { offerId });
  expect(before).toMatchObject({ accepted: true, movements: [] });
  expect(before.note).not.toContain("is cancelled");
  await cancel(orderId);

  const after = await preview("book_flight", { offerId });
  expect(after).toMatchObject({ accepted: true, movements: [] });
  expect(after.note).toContain("Nothing would be booked, because that order is cancelled.");
  const again = await world.result("book_flight", { offerId });
  expect(again).toMatchObject({
    orderId,
    status: "cancelled",
    next: expect.stringMatching(/^Nothing was booked now: /),
  });

  const person = { userId: "carol", givenName: "Carol", familyName: "Hart", bornOn: "1988-02-03" };
  const contact = { title: "ms", gender: "f", phoneNumber: "+442080160509", email: "carol.hart@example.com" };
  await world.result("save_traveler", { ...person, ...contact });
  const { customerUserId } = await world.result("ensure_flight_customer", { clerkUserId: "carol" });
  const forCarol = { offerId, additionalCustomerUserIds: [customerUserId] };
  const detail = `This offer was booked for other travelers, as order ${orderId}, and is cancelled. Nothing was done. Search again and book another offer.`;
  expect(await preview("book_flight", forCarol)).toMatchObject({
    accepted: false,
    problem: { code: "already_booked", detail },
  });
  expect((await world.service.call("book_flight", forCarol)).body).toMatchObject({ code: "already_booked", detail });

  const holding = { code: "already_booked", detail: expect.stringContaining(`as order ${orderId}, and is cancelled`) };
  expect(await preview("hold_flight", { offerId })).toMatchObject({ accepted: false, problem: holding });
  expect((await world.service.call("hold_flight", { offerId })).body).toMatchObject(holding);
});
