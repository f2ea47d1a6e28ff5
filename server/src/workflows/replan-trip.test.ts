import { afterAll, beforeAll, expect, it } from "vitest";
import { openAirlineChanges } from "../../test/support/airline-changes.ts";
import { openStays, type StaysWorld } from "../../test/support/stays-service.ts";

/** The run that answers an airline which changed booked flights: it begins by the supplier's event alone. */
let world: StaysWorld;
let airline: ReturnType<typeof openAirlineChanges>;
beforeAll(async () => {
  world = await openStays("shared");
  airline = openAirlineChanges(world);
});
afterAll(() => world?.close());

it("an airline that cancelled flights is refused only if the whole price comes back; nothing else is bought", async () => {
  const { orderId } = await world.bookFlexible();
  const changeId = await airline.changeFlights(orderId, null);
  const { shown } = await airline.waitForDecision(changeId);
  expect(shown.becomes).toEqual([]);
  expect(shown.options.map(({ kind }) => kind)).not.toContain("accept");
  expect((await airline.decide(changeId, "refuse")).end).toBe("refused");
  expect((await world.result("read_order", { orderId })).status).toBe("cancelled");
  await world.expectSameBooks();
});
