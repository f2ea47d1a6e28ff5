// The supplier's own client against the sandbox: what it sends is understood, and what it gives back is what was done.
import { Duffel, DuffelError } from "@duffel/api";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import {
  Coverage,
  Identified,
  listMethods,
  only,
  reasonNotCovered,
  tableOfReadme,
  takeFirst,
  untyped,
  untypedList,
} from "./sdk-coverage.ts";
import { startTestSandbox, type TestSandbox, TOKEN } from "./start.ts";
import { daysAhead, getOrder, hold, instantBody, type Order, orderBody, pickOffer, tick } from "./supplier.ts";

let sandbox: TestSandbox;
let duffel: Duffel;
const coverage = new Coverage();
beforeAll(async () => {
  sandbox = await startTestSandbox();
  duffel = new Duffel({ token: TOKEN, basePath: `${sandbox.url}/` });
  coverage.start();
});
afterAll(async () => {
  coverage.stop();
  await sandbox?.close();
});

const NO_CONTENT = "cannot read an answer without content (204): throws a TypeError after the call was done";

/** The client ends in an error of its own after the sandbox has done what it was asked. */
async function crashes(method: string, call: () => Promise<unknown>) {
  await expect(coverage.seen(method, call, NO_CONTENT), method).rejects.toThrow(TypeError);
}

async function paidOrder(accept?: Parameters<typeof pickOffer>[1]): Promise<Order> {
  const answer = await sandbox.call("POST", "/air/orders", instantBody(await pickOffer(sandbox, accept)));
  const { data } = z.object({ data: Identified }).parse(answer.body);
  await tick(sandbox, 2);
  return getOrder(sandbox, data.id);
}

test("reference data", async () => {
  const lists = { airlines: duffel.airlines, airports: duffel.airports, aircraft: duffel.aircraft };
  for (const [name, resource] of Object.entries(lists)) {
    const { data } = await coverage.seen<{ data: { id: string }[] }>(`${name}.list`, () => resource.list({ limit: 3 }));
    expect(data).toHaveLength(3);
    const first = only(data);
    const got = await coverage.seen<{ data: { id: string } }>(`${name}.get`, () => resource.get(first.id));
    expect(got.data).toEqual(first);
  }
  expect(
    await coverage.seen("airlines.listWithGenerator", () => takeFirst(duffel.airlines.listWithGenerator(), 60)),
  ).toHaveLength(60);
  expect(
    await coverage.seen("airports.listWithGenerator", () => takeFirst(duffel.airports.listWithGenerator(), 60)),
  ).toHaveLength(60);
  const types = await coverage.seen("aircraft.listWithGenerator", () =>
    takeFirst(duffel.aircraft.listWithGenerator(), 3),
  );
  expect(new Set(types.map((type) => type.data.id)).size).toBe(3);
  const { data: programmes } = await coverage.seen("loyaltyProgrammes.list", () => duffel.loyaltyProgrammes.list());
  const programme = await coverage.seen("loyaltyProgrammes.get", () =>
    duffel.loyaltyProgrammes.get(only(programmes).id),
  );
  expect(programme.data).toEqual(only(programmes));
  const { data: places } = await coverage.seen("suggestions.list", () => duffel.suggestions.list({ query: "lond" }));
  expect(only(places)).toMatchObject({ type: "city", iata_code: "LON" });
});

test("search, offers and seat maps", async () => {
  const { data: asked } = await coverage.seen("offerRequests.create", () =>
    duffel.offerRequests.create({
      slices: [
        { origin: "LHR", destination: "JFK", departure_date: daysAhead(60), arrival_time: null, departure_time: null },
      ],
      passengers: [{ type: "adult" }],
      cabin_class: "economy",
      return_offers: true,
    }),
  );
  const { data: again } = await coverage.seen("offerRequests.get", () => duffel.offerRequests.get(asked.id));
  expect(again.offers?.map((offer) => offer.id)).toEqual(asked.offers?.map((offer) => offer.id));
  const query = { offer_request_id: asked.id };
  const { data: offers, meta } = await coverage.seen("offers.list", () =>
    duffel.offers.list({ ...query, sort: "total_amount", limit: 2 }),
  );
  expect(offers).toHaveLength(2);
  expect(meta?.after).toEqual(expect.any(String));
  const all = await coverage.seen("offers.listWithGenerator", () =>
    takeFirst(duffel.offers.listWithGenerator(query), 55),
  );
  expect(new Set(all.map((offer) => offer.data.id)).size).toBe(Math.min(55, asked.offers?.length ?? 0));
  const { data: offer } = await coverage.seen("offers.get", () =>
    duffel.offers.get(only(offers).id, { return_available_services: true }),
  );
  expect(offer).toMatchObject({ id: only(offers).id, total_amount: only(offers).total_amount });
  const priced = await coverage.seen("offers.getPriced", () =>
    untyped(duffel.offers.getPriced, offer.id, { intended_payment_methods: [], intended_services: [] }),
  );
  expect(priced.data).toMatchObject({ id: offer.id, total_amount: offer.total_amount });
  const { data: maps } = await coverage.seen("seatMaps.get", () => duffel.seatMaps.get({ offer_id: offer.id }));
  expect(maps.map((map) => map.segment_id)).toEqual(
    expect.arrayContaining(
      offer.slices.flatMap((slice) => slice.segments.map((segment) => segment.id)).slice(0, maps.length),
    ),
  );
});

test("orders, payments, services and cancellations", async () => {
  const offer = await pickOffer(sandbox);
  const { data: made } = await coverage.seen("orders.create", () => untyped(duffel.orders.create, orderBody(offer)));
  const { data: order } = await coverage.seen("orders.get", () => duffel.orders.get(made.id));
  expect(order).toMatchObject({
    id: made.id,
    total_amount: offer.total_amount,
    payment_status: { awaiting_payment: true },
  });
  const payment = { type: "balance" as const, amount: order.total_amount, currency: order.total_currency };
  const { data: paid } = await coverage.seen("payments.create", () =>
    duffel.payments.create({ order_id: order.id, payment }),
  );
  expect(paid).toMatchObject({ amount: order.total_amount, type: "balance" });
  await tick(sandbox, 2);
  expect((await duffel.orders.get(order.id)).data.documents).toHaveLength(1);
  const { data: listed } = await coverage.seen("orders.list", () =>
    duffel.orders.list({ booking_reference: order.booking_reference, limit: 1 }),
  );
  expect(only(listed).id).toBe(order.id);
  const streamed = await coverage.seen("orders.listWithGenerator", () =>
    takeFirst(duffel.orders.listWithGenerator(), 1),
  );
  expect(only(streamed).data.id).toBe(order.id);
  await coverage.seen(
    "orders.update",
    () => untyped(duffel.orders.update, order.id, { metadata: { told: "nobody" } }),
    "sends `{options: {metadata}}` where the wire has `{metadata}`, so nothing changes",
  );
  expect((await getOrder(sandbox, order.id)).metadata).toEqual({});
  const { data: services } = await coverage.seen("orders.getAvailableServices", () =>
    duffel.orders.getAvailableServices(order.id),
  );
  const service = services.find((candidate) => Number(candidate.total_amount) > 0);
  if (service === undefined) throw new Error("the order has no paid services");
  const extra = { type: "balance" as const, amount: service.total_amount, currency: service.total_currency };
  const bought = await coverage.seen("orders.addServices", () =>
    untyped(duffel.orders.addServices, order.id, { payment: extra, add_services: [{ id: service.id, quantity: 1 }] }),
  );
  expect(bought.data.services).toEqual([expect.objectContaining({ total_amount: service.total_amount })]);

  const refundable = await paidOrder((candidate) => candidate.conditions.refund_before_departure.allowed);
  const { data: quote } = await coverage.seen("orderCancellations.create", () =>
    duffel.orderCancellations.create({ order_id: refundable.id }),
  );
  const { data: read } = await coverage.seen("orderCancellations.get", () => duffel.orderCancellations.get(quote.id));
  expect(read).toEqual(quote);
  const { data: quotes } = await coverage.seen("orderCancellations.list", () =>
    duffel.orderCancellations.list({ limit: 1 }),
  );
  expect(only(quotes).id).toBe(quote.id);
  const streamedQuotes = await coverage.seen("orderCancellations.listWithGenerator", () =>
    takeFirst(duffel.orderCancellations.listWithGenerator({ order_id: refundable.id }), 2),
  );
  expect(streamedQuotes).toHaveLength(1);
  const { data: confirmed } = await coverage.seen("orderCancellations.confirm", () =>
    duffel.orderCancellations.confirm(quote.id),
  );
  expect(confirmed).toMatchObject({ id: quote.id, refund_amount: quote.refund_amount });
  expect((await getOrder(sandbox, refundable.id)).cancelled_at).not.toBeNull();
});

test("changes, the caller's and the airline's", async () => {
  const order = await paidOrder((offer) => offer.conditions.change_before_departure.allowed);
  const slice = only(order.slices);
  const add = [{ origin: "LHR", destination: "JFK", departure_date: daysAhead(75), cabin_class: "economy" as const }];
  const { data: request } = await coverage.seen("orderChangeRequests.create", () =>
    duffel.orderChangeRequests.create({ order_id: order.id, slices: { remove: [{ slice_id: slice.id }], add } }),
  );
  const { data: readRequest } = await coverage.seen("orderChangeRequests.get", () =>
    duffel.orderChangeRequests.get(request.id),
  );
  expect(readRequest.order_change_offers.map((one) => one.id)).toEqual(
    request.order_change_offers.map((one) => one.id),
  );
  const query = { order_change_request_id: request.id, sort: "change_total_amount" as const };
  const { data: offers } = await coverage.seen("orderChangeOffers.list", () =>
    untypedList(duffel.orderChangeOffers.list, query),
  );
  const { data: offer } = await coverage.seen("orderChangeOffers.get", () =>
    duffel.orderChangeOffers.get(only(offers).id),
  );
  expect(offer.id).toBe(only(offers).id);
  await expect(
    coverage.seen(
      "orderChangeOffers.listWithGenerator",
      () => takeFirst(duffel.orderChangeOffers.listWithGenerator(), 1),
      "takes no order_change_request_id, which the route needs: refused",
    ),
  ).rejects.toBeInstanceOf(DuffelError);
  const { data: change } = await coverage.seen("orderChanges.create", () =>
    duffel.orderChanges.create({ selected_order_change_offer: offer.id }),
  );
  expect((await coverage.seen("orderChanges.get", () => duffel.orderChanges.get(change.id))).data.id).toBe(change.id);
  const due = Number(change.change_total_amount) > 0;
  const payment = { type: "balance", amount: change.change_total_amount, currency: change.change_total_currency };
  const confirmed = await coverage.seen("orderChanges.confirm", () =>
    untyped(duffel.orderChanges.confirm, change.id, due ? { payment } : undefined),
  );
  expect(confirmed.data.confirmed_at).toEqual(expect.any(String));
  expect(only((await getOrder(sandbox, order.id)).slices).id).not.toBe(slice.id);

  const changes = [await paidOrder(), await paidOrder()];
  for (const moved of changes) {
    const answer = await sandbox.control("POST", "/_sandbox/schedule_changes", { order_id: moved.id });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  }
  const pending = async (orderId: string) =>
    only(
      (await coverage.seen("airlineInitiatedChanges.list", () => duffel.airlineInitiatedChanges.list(orderId))).data,
    );
  const [one, two] = [await pending(changes[0]?.id ?? ""), await pending(changes[1]?.id ?? "")];
  const accepted = await coverage.seen("airlineInitiatedChanges.accept", () =>
    duffel.airlineInitiatedChanges.accept(one.id),
  );
  expect(accepted.data).toMatchObject({ id: one.id, action_taken: "accepted" });
  const updated = await coverage.seen("airlineInitiatedChanges.update", () =>
    duffel.airlineInitiatedChanges.update(two.id, "cancelled"),
  );
  expect(updated.data).toMatchObject({ id: two.id, action_taken: "cancelled" });
});

test("stays", async () => {
  const { stays } = duffel;
  const place = { radius: 2, geographic_coordinates: { latitude: -24.38, longitude: -128.32 } };
  const { data: found } = await coverage.seen("stays.search", () =>
    stays.search({
      rooms: 1,
      guests: [{ type: "adult" }],
      check_in_date: daysAhead(60),
      check_out_date: daysAhead(62),
      location: place,
    }),
  );
  const result = only(found.results);
  const hotel = result.accommodation;
  const { data: full } = await coverage.seen("stays.searchResults.fetchAllRates", () =>
    stays.searchResults.fetchAllRates(result.id),
  );
  const rate = only(full.accommodation.rooms.flatMap((room) => room.rates));
  const { data: quote } = await coverage.seen("stays.quotes.create", () => stays.quotes.create(rate.id));
  expect(quote.total_amount).toBe(rate.total_amount);
  expect((await coverage.seen("stays.quotes.get", () => stays.quotes.get(quote.id))).data).toEqual(quote);
  const { data: booking } = await coverage.seen("stays.bookings.create", () =>
    stays.bookings.create({
      quote_id: quote.id,
      email: "amelia@example.com",
      phone_number: "+442080160509",
      guests: [{ given_name: "Amelia", family_name: "Earhart" }],
      metadata: { booking_id: "by the client" },
    }),
  );
  expect(booking).toMatchObject({ status: "confirmed", metadata: { booking_id: "by the client" } });
  expect((await coverage.seen("stays.bookings.get", () => stays.bookings.get(booking.id))).data).toEqual(booking);
  const { data: listed } = await coverage.seen("stays.bookings.list", () => stays.bookings.list({ limit: 1 }));
  expect(listed).toEqual([booking]);
  const streamed = await coverage.seen("stays.bookings.listWithGenerator", () =>
    takeFirst(stays.bookings.listWithGenerator(), 1),
  );
  expect(only(streamed).data.id).toBe(booking.id);
  const { data: cancelled } = await coverage.seen("stays.bookings.cancel", () => stays.bookings.cancel(booking.id));
  expect(cancelled).toMatchObject({ id: booking.id, status: "cancelled" });

  const around = { ...place.geographic_coordinates, radius: 2 };
  const hotels = await coverage.seen("stays.accommodation.list", () =>
    untypedList(stays.accommodation.list, { ...around, limit: 2 }),
  );
  expect(hotels.data).toHaveLength(2);
  const walked = await coverage.seen("stays.accommodation.listWithGenerator", () =>
    takeFirst(Reflect.apply(stays.accommodation.listWithGenerator, undefined, [{ ...around, limit: 2 }]), 4),
  );
  expect(walked).toHaveLength(4);
  expect((await coverage.seen("stays.accommodation.get", () => stays.accommodation.get(hotel.id))).data.name).toBe(
    hotel.name,
  );
  const { data: said } = await coverage.seen("stays.accommodation.reviews", () =>
    stays.accommodation.reviews(hotel.id),
  );
  expect(said.reviews.length).toBeGreaterThan(0);
  const { data: names } = await coverage.seen("stays.accommodation.suggestions", () =>
    stays.accommodation.suggestions("test hotel", place),
  );
  expect(names.map((name) => name.accommodation_id)).toContain(hotel.id);
  const { data: brands } = await coverage.seen("stays.brands.list", () => stays.brands.list());
  expect((await coverage.seen("stays.brands.get", () => stays.brands.get(only(brands).id))).data).toEqual(only(brands));
  const { data: programmes } = await coverage.seen("stays.loyaltyProgrammes.list", () =>
    stays.loyaltyProgrammes.list(),
  );
  expect(only(programmes).reference).toBe("duffel_hotel_group_rewards");

  const rates = stays.negotiatedRates;
  const agreed = { rate_access_code: "ACME1", display_name: "Acme", accommodation_ids: [hotel.id] };
  const { data: made } = await coverage.seen("stays.negotiatedRates.create", () => rates.create(agreed));
  expect(made).toMatchObject(agreed);
  expect((await coverage.seen("stays.negotiatedRates.get", () => rates.get(made.id))).data).toEqual(made);
  const { data: renamed } = await coverage.seen("stays.negotiatedRates.update", () =>
    rates.update(made.id, { display_name: "Acme 2" }),
  );
  expect(renamed).toEqual({ ...made, display_name: "Acme 2" });
  expect((await coverage.seen("stays.negotiatedRates.list", () => rates.list({ limit: 1 }))).data).toEqual([renamed]);
  expect(
    await coverage.seen("stays.negotiatedRates.listWithGenerator", () => takeFirst(rates.listWithGenerator(), 2)),
  ).toHaveLength(1);
  await crashes("stays.negotiatedRates.delete", () => rates.delete(made.id));
  expect((await rates.list()).data).toEqual([]);
});

test("customers, groups and webhooks", async () => {
  const { customerUsers: users, customerUserGroups: groups } = duffel.identity;
  const person = { email: "amelia@example.com", given_name: "Amelia", family_name: "Earhart" };
  const { data: user } = await coverage.seen("identity.customerUsers.create", () => users.create(person));
  expect((await coverage.seen("identity.customerUsers.get", () => users.get(user.id))).data).toEqual(user);
  const { data: group } = await coverage.seen("identity.customerUserGroups.create", () =>
    groups.create({ name: "Sales", user_ids: [user.id] }),
  );
  expect((await coverage.seen("identity.customerUserGroups.get", () => groups.get(group.id))).data).toEqual(group);
  const { data: renamed } = await coverage.seen("identity.customerUsers.update", () =>
    users.update(user.id, { ...person, given_name: "Bessie" }),
  );
  expect(renamed).toMatchObject({ given_name: "Bessie", group: { id: group.id, name: "Sales" } });
  const { data: found } = await coverage.seen("identity.customerUsers.list", () => users.list({ email: person.email }));
  expect(found).toEqual([renamed]);
  const changed = await coverage.seen("identity.customerUserGroups.update", () =>
    groups.update(group.id, { name: "Field", user_ids: [] }),
  );
  expect(changed.data).toEqual({ id: group.id, name: "Field", user_ids: [] });
  expect((await coverage.seen("identity.customerUserGroups.list", () => groups.list())).data).toEqual([changed.data]);
  await crashes("identity.customerUserGroups.delete", () => groups.delete(group.id));
  expect((await groups.list()).data).toEqual([]);

  // Nobody listens there: what counts is that the attempts are on the log.
  const wanted = { url: "http://127.0.0.1:9/hook", events: ["order.created"] };
  const { data: hook } = await coverage.seen("webhooks.create", () => duffel.webhooks.create(wanted));
  expect(hook).toMatchObject({ ...wanted, active: true, secret: expect.any(String) });
  expect((await coverage.seen("webhooks.list", () => duffel.webhooks.list({ limit: 1 }))).data).toMatchObject([
    { id: hook.id },
  ]);
  await hold(sandbox, await pickOffer(sandbox));
  const { data: log } = await coverage.seen("webhooks.listDeliveries", () =>
    duffel.webhooks.listDeliveries({ endpoint_id: hook.id, delivery_success: false, type: "order.created" }),
  );
  const sent = only(log);
  expect(sent).toMatchObject({ endpoint_id: hook.id, url: wanted.url, type: "order.created", delivery_success: false });
  expect((await coverage.seen("webhooks.get", () => duffel.webhooks.get(sent.event_id))).data).toMatchObject({
    id: sent.event_id,
  });
  const deliveries = async () =>
    (await duffel.webhooks.listDeliveries({ endpoint_id: hook.id, delivery_success: false })).data;
  await crashes("webhooks.redeliver", () => duffel.webhooks.redeliver(sent.event_id));
  await crashes("webhooks.ping", () => duffel.webhooks.ping(hook.id));
  expect((await deliveries()).map((delivery) => delivery.type)).toEqual([
    "ping.triggered",
    "order.created",
    "order.created",
  ]);
  const change = { active: false, events: ["ping.triggered"], url: wanted.url };
  expect((await coverage.seen("webhooks.update", () => duffel.webhooks.update(hook.id, change))).data).toMatchObject(
    change,
  );
  await crashes("webhooks.delete", () => duffel.webhooks.delete(hook.id));
  expect((await duffel.webhooks.list({})).data).toEqual([]);
});

test("a refusal reaches the caller as the client's own error, with what the sandbox said", async () => {
  const failed = await duffel.orders.get("ord_none").catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(DuffelError);
  expect(failed).toMatchObject({
    meta: { status: 404 },
    errors: [{ type: "invalid_request_error", code: "not_found" }],
  });
});

test("every call of the client was made, or says why not; the README has the list", () => {
  const covered = coverage.methods();
  const missing = listMethods(duffel).filter(
    (method) => !covered.includes(method) && reasonNotCovered(method) === undefined,
  );
  expect(missing).toEqual([]);
  expect(covered.filter((method) => reasonNotCovered(method) !== undefined)).toEqual([]);
  expect(tableOfReadme()).toBe(coverage.table());
});
