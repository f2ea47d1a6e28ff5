import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { openServicing, type Servicing } from "../../../../test/support/servicing-service.ts";
import { newFundedTenant, requireResult } from "../../../../test/support/treasury.ts";

/** A second ticket is refused until the flight is found again after the refusal: then it is intended, and only warned of. */

let world: Servicing;
beforeAll(async () => {
  world = await openServicing("shared");
});
afterAll(() => world.close());

const Offers = z.object({
  offers: z.array(
    z.object({
      id: z.string(),
      fares: z.array(z.object({ id: z.string() })).optional(),
      paymentRequirements: z.object({ requiresInstantPayment: z.boolean() }),
      slices: z.array(z.object({ segments: z.array(z.object({ flightNumber: z.string(), departingAt: z.string() })) })),
    }),
  ),
});

const day = (days: number) => Temporal.Now.plainDateISO("UTC").add({ days }).toString();
const search = async (days: number, options = {}) => {
  const asked = { origin: "LHR", destination: "JFK", departureDate: day(days) };
  return Offers.parse(await world.result("search_flights", asked, options)).offers;
};
const preview = async (tool: string, args: object) =>
  JSON.stringify((await world.result("preview_call", { tool, args })).warnings);

/** The same flight in a later search. */
async function sameFlight(days: number, [flight]: { flightNumber: string }[] = [], mayHold = false) {
  const found = (await search(days)).find(
    ({ slices, paymentRequirements }) =>
      slices[0]?.segments[0]?.flightNumber === flight?.flightNumber &&
      (!mayHold || !paymentRequirements.requiresInstantPayment),
  );
  if (found === undefined) throw new Error("the flight is not found again");
  return found.id;
}

it("refuses another fare of the flight and the flight found again, naming the earlier order, until it is searched anew", async () => {
  const [first] = await search(61);
  const segments = first?.slices[0]?.segments ?? [];
  const [{ flightNumber, departingAt } = { flightNumber: "", departingAt: "" }] = segments;
  const offerId = first?.id ?? "";
  const foundBefore = await sameFlight(61, segments);
  expect(await preview("book_flight", { offerId })).not.toContain("already booked");
  const booked = await world.result("book_flight", { offerId });
  expect(booked.next).not.toContain("already booked");
  const said = `user_demo is already booked on ${flightNumber} of ${departingAt.slice(0, 10)}, as order ${booked.orderId}`;
  const foundAfter = await sameFlight(61, segments);
  const otherFare = first?.fares?.find(({ id }) => id !== offerId)?.id;
  if (otherFare === undefined) throw new Error("the flight has one fare only");
  const refused = { code: "already_booked", orderId: booked.orderId, differsIn: "fare" };
  for (const second of [foundBefore, foundAfter, otherFare, foundAfter]) {
    const answer = await world.service.call("book_flight", { offerId: second });
    expect(answer.body).toMatchObject({ ...refused, detail: expect.stringContaining(said) });
  }
  const args = { tool: "book_flight", args: { offerId: otherFare } };
  expect(await world.result("preview_call", args)).toMatchObject({ accepted: false, problem: refused });
  const holdable = await sameFlight(61, segments, true);
  expect(await preview("hold_flight", { offerId: holdable })).toContain(said);
  const held = await world.result("hold_flight", { offerId: holdable });
  expect(held.next).toContain(said);
  const meant = await sameFlight(61, segments);
  expect(await preview("book_flight", { offerId: meant })).toContain(said);
  const twice = await world.result("book_flight", { offerId: meant });
  expect(twice.next).toContain(said);
  // A cancelled order causes no remark.
  for (const orderId of [booked.orderId, held.orderId, twice.orderId]) {
    const { cancellationId } = await world.result("cancel_order_quote", { orderId });
    await world.result("confirm_cancel_order", { cancellationId });
  }
  expect(await world.result("preview_call", args)).toMatchObject({ accepted: true });
  expect(await preview("book_flight", { offerId: await sameFlight(61, segments) })).not.toContain("already booked");
});

it("books one of many offers of a flight that are bought at once", async () => {
  const [first] = await search(67);
  const segments = first?.slices[0]?.segments ?? [];
  const offers = await Promise.all(Array.from({ length: 20 }, () => sameFlight(67, segments)));
  const answers = await Promise.all(offers.map((offerId) => world.service.call("book_flight", { offerId })));
  const booked = answers.filter(({ status }) => status === 200);
  expect(booked).toHaveLength(1);
  const codes = answers.flatMap(({ status, body }) => (status === 200 ? [] : Object(body).code));
  expect(new Set(codes)).toEqual(new Set(["already_booked"]));
  const { orders } = await world.result("list_orders", { from: day(67), to: day(67) });
  expect(orders).toHaveLength(1);
});

it("does not warn of another day, of another traveler or of another tenant's order", async () => {
  const firstFlight = ({ slices }: z.output<typeof Offers>["offers"][number]) => slices[0]?.segments[0]?.flightNumber;
  const later = (await Promise.all([63, 64, 65].map((days) => search(days)))).flat();
  const first = (await search(62)).find((one) => later.some((other) => firstFlight(other) === firstFlight(one)));
  const segments = first?.slices[0]?.segments ?? [];
  await world.result("book_flight", { offerId: first?.id });
  const otherDay = later.find((one) => firstFlight(one) === segments[0]?.flightNumber);
  expect(await preview("book_flight", { offerId: otherDay?.id })).not.toContain("already booked");
  const profile = { familyName: "Hart", bornOn: "1988-02-03", title: "ms", gender: "f", phoneNumber: "+442080160509" };
  const person = { userId: "carol", givenName: "Carol", email: "carol.hart@example.com", ...profile };
  await world.result("save_traveler", person);
  const { customerUserId } = await world.result("ensure_flight_customer", { clerkUserId: "carol" });
  const forCarol = { offerId: await sameFlight(62, segments), additionalCustomerUserIds: [customerUserId] };
  expect(await preview("book_flight", forCarol)).not.toContain("already booked");
  const { as } = await newFundedTenant(world.service, "Same flight");
  const [theirs] = await search(62, as);
  const args = { tool: "book_flight", args: { offerId: theirs?.id } };
  const other = requireResult(await world.service.call("preview_call", args, as));
  expect(JSON.stringify(other.warnings)).not.toContain("already booked");
});

it("warns of another flight at the same time, and not of one on another day", async () => {
  const elsewhere = async (departureDate: string) =>
    Offers.parse(await world.result("search_flights", { origin: "LHR", destination: "CDG", departureDate })).offers;
  const departs = ({ slices }: z.output<typeof Offers>["offers"][number]) =>
    Temporal.PlainDateTime.from(slices[0]?.segments[0]?.departingAt ?? "");
  const paris = await elsewhere(day(66));
  // While the first flight is over the Atlantic, the second leaves from where the first came from.
  const pairs = (await search(66)).flatMap((first) =>
    paris.flatMap((second) => {
      const hours = departs(first).until(departs(second)).total("hours");
      return hours > 0 && hours < 6 ? [{ first, second }] : [];
    }),
  );
  const [pair] = pairs;
  if (pair === undefined) throw new Error("no two flights overlap");
  const booked = await world.result("book_flight", { offerId: pair.first.id });
  const atOnce = `as order ${booked.orderId}, which flies at the same time`;
  expect(await preview("book_flight", { offerId: pair.second.id })).toContain(atOnce);
  const [later] = await elsewhere(day(68));
  expect(await preview("book_flight", { offerId: later?.id })).not.toContain("already booked");
});
