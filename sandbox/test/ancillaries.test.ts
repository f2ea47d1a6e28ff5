// Seats and bags: shown, bought with an order, added to one later, taken and given back.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import {
  BagService,
  brand,
  freeSeat,
  listElements,
  listSeats,
  readBags,
  readOrder,
  ServicedOrder,
  seatMaps,
  servicingBooks,
  ticketedOrder,
} from "./servicing.ts";
import { startTestSandbox, type TestSandbox } from "./start.ts";
import {
  arm,
  cents,
  checkLedgerAddsUp,
  instantBody,
  ledger,
  Offer,
  orderBody,
  parseData,
  parseError,
  pickOffer,
  search,
  tick,
} from "./supplier.ts";

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(async () => {
  await sandbox?.close();
});

const order = (data: unknown) => sandbox.call("POST", "/air/orders", data);
const wish = (...ids: string[]) => ids.map((id) => ({ id, quantity: 1 }));
const sum = (...amounts: string[]) =>
  (Number(amounts.reduce((total, amount) => total + cents(amount), 0n)) / 100).toFixed(2);
const balance = (amount: string) => ({ type: "balance", amount, currency: "USD" });
const priced = (amount: string) => cents(amount) > 0n;

describe("seat maps", () => {
  test("one for each segment, the same every time: free, priced, restricted and exit seats, and seats of others", async () => {
    const offer = await pickOffer(sandbox, brand("Standard"), { returnDays: 70 });
    const maps = await seatMaps(sandbox, offer.id);
    expect(await seatMaps(sandbox, offer.id)).toEqual(maps);
    expect(maps.map((map) => map.segment_id)).toEqual(
      offer.slices.flatMap((slice) => slice.segments.map((segment) => segment.id)),
    );
    for (const map of maps) {
      for (const cabin of map.cabins) for (const row of cabin.rows) expect(row.sections).toHaveLength(cabin.aisles + 1);
      const seats = listSeats(map);
      expect(new Set(seats.map((seat) => seat.designator)).size).toBe(seats.length);
      const exits = map.cabins.flatMap(({ rows }) =>
        rows.filter((row) => row.sections.some(({ elements }) => elements.some(({ type }) => type === "exit_row"))),
      );
      // In a row of their own, one at each side of the aircraft; between two aisles there is nothing in it.
      expect(exits.length).toBeGreaterThan(0);
      for (const { sections } of exits)
        expect(sections.map(({ elements }) => elements.map(({ type }) => type))).toEqual(
          sections.map((_, index) => (index === 0 || index === sections.length - 1 ? ["exit_row"] : [])),
        );
      for (const type of ["galley", "lavatory"]) expect(listElements(map).some((one) => one.type === type)).toBe(true);
      expect(seats.some((seat) => seat.type === "restricted_seat_general")).toBe(true);
      const taken = seats.filter((seat) => seat.available_services.length === 0).length / seats.length;
      expect(taken).toBeGreaterThan(0.2);
      expect(taken).toBeLessThan(0.5);
      const prices = seats.flatMap((seat) => seat.available_services.map((service) => service.total_amount));
      expect(prices.some(priced)).toBe(true);
      expect(prices).toContain("0.00");
      const exit = seats.find((seat) => seat.name === "Exit row seat");
      expect(exit?.disclosures.length).toBeGreaterThan(0);
    }
  });

  test("children have no exit seats, infants none at all, business ones cost nothing", async () => {
    const passengers = [{ type: "adult" }, { age: 8 }, { type: "infant_without_seat" }];
    const offer = await pickOffer(sandbox, brand("Standard"), { passengers });
    const [adult = "", child = ""] = offer.passengers.map((passenger) => passenger.id);
    const seats = (await seatMaps(sandbox, offer.id)).flatMap(listSeats);
    const sellable = seats.filter((seat) => seat.available_services.length > 0);
    for (const seat of sellable) {
      const expected = seat.name === "Exit row seat" ? [adult] : [adult, child];
      expect(seat.available_services.map((service) => service.passenger_id)).toEqual(expected);
    }
    const business = await pickOffer(sandbox, undefined, { cabin_class: "business" });
    const [map] = await seatMaps(sandbox, business.id);
    if (map === undefined) throw new Error("a wide-body aircraft has a seat map");
    expect(map.cabins[0]?.cabin_class).toBe("business");
    expect(map.cabins[0]?.rows[0]?.sections[0]?.elements).toEqual([{ type: "closet" }]);
    const prices = listSeats(map).flatMap((seat) => seat.available_services.map((service) => service.total_amount));
    expect(new Set(prices)).toEqual(new Set(["0.00"]));
  });

  test("an aircraft of two decks has stairs between them", async () => {
    // The aircraft of a flight depends on its date.
    const searches = await Promise.all(
      [60, 61, 62, 63, 64, 65, 66].map((days) => search(sandbox, { origin: "DXB", destination: "SYD", days })),
    );
    const offers = searches.flatMap((found) => found.offers);
    const Craft = z.looseObject({ aircraft: z.looseObject({ iata_code: z.string() }) });
    const listCraft = (offer: (typeof offers)[number]) =>
      offer.slices.flatMap(({ segments }) => segments.map((one) => Craft.parse(one).aircraft.iata_code));
    const hasStairs = async (isLarge: boolean) => {
      const found = offers.find(
        (offer) => listCraft(offer).includes("388") === isLarge && listCraft(offer).length === 1,
      );
      if (found === undefined) throw new Error("no such aircraft flies this route");
      return (await seatMaps(sandbox, found.id)).flatMap(listElements).some(({ type }) => type === "stairs");
    };
    expect([await hasStairs(true), await hasStairs(false)]).toEqual([true, false]);
  });

  test("an aircraft without seat numbers has none, an offer that is gone is refused", async () => {
    const { offers } = await search(sandbox, { origin: "ABX", destination: "SYD" });
    const Craft = z.looseObject({ aircraft: z.looseObject({ iata_code: z.enum(["DH4", "AT7"]) }) });
    const small = offers.find((offer) =>
      offer.slices.every((slice) => slice.segments.every((segment) => Craft.safeParse(segment).success)),
    );
    if (small === undefined) throw new Error("no turboprop flies this route");
    expect(await seatMaps(sandbox, small.id)).toEqual([]);
    expect(parseError(await sandbox.call("GET", "/air/seat_maps"))).toMatchObject({ code: "validation_required" });
    expect(parseError(await sandbox.call("GET", "/air/seat_maps?offer_id=off_none"))).toMatchObject({ status: 404 });
    await arm(sandbox, { match: { path: "/air/seat_maps" }, fault: "sold_out" });
    const gone = () => sandbox.call("GET", `/air/seat_maps?offer_id=${small.id}`);
    expect(parseError(await gone())).toMatchObject({ code: "offer_no_longer_available" });
    expect(parseError(await gone())).toMatchObject({ code: "offer_no_longer_available" });
  });
});

describe("services with an order", () => {
  test("bags are shown only when asked for, for everybody with a seat, none where the route has none", async () => {
    const offer = await pickOffer(sandbox, brand("Basic"), {
      returnDays: 70,
      passengers: [{ type: "adult" }, { type: "infant_without_seat" }],
    });
    const bags = await readBags(sandbox, offer.id);
    expect(bags.map((bag) => bag.segment_ids)).toEqual(
      offer.slices.map((slice) => slice.segments.map((segment) => segment.id)),
    );
    expect(new Set(bags.flatMap((bag) => bag.passenger_ids))).toEqual(new Set([offer.passengers[0]?.id]));
    const plain = await sandbox.call("GET", `/air/offers/${offer.id}`);
    expect(parseData(plain, z.looseObject({ available_services: z.null() })).available_services).toBeNull();
    const bagless = await pickOffer(sandbox, undefined, { origin: "BTS", destination: "MRU" });
    expect(await readBags(sandbox, bagless.id)).toEqual([]);
  });

  test("a seat and two bags are booked and paid with the flight, documented, and the seat is taken", async () => {
    const offer = await pickOffer(sandbox, brand("Basic"));
    const { seat, service } = freeSeat(await seatMaps(sandbox, offer.id), (candidate) =>
      candidate.available_services.some((found) => priced(found.total_amount)),
    );
    const [bag] = await readBags(sandbox, offer.id);
    if (bag === undefined) throw new Error("this offer sells bags");
    const services = [...wish(service.id), { id: bag.id, quantity: 2 }];
    const total = sum(offer.total_amount, service.total_amount, bag.total_amount, bag.total_amount);
    expect(parseError(await order(instantBody(offer, { services })))).toMatchObject({
      code: "payment_amount_does_not_match_order_amount",
    });
    const before = cents((await ledger(sandbox)).balance.amount);
    const body = instantBody(offer, { services, payments: [balance(total)], metadata: { booking: "b-seat" } });
    const booked = parseData(await order(body), ServicedOrder, 201);
    expect(booked.total_amount).toBe(total);
    expect(cents(booked.base_amount) + cents(booked.tax_amount)).toBe(cents(total));
    expect(booked.services.map((row) => [row.type, row.quantity, row.total_amount])).toEqual([
      ["seat", 1, service.total_amount],
      ["baggage", 2, sum(bag.total_amount, bag.total_amount)],
    ]);
    const segment = booked.slices[0]?.segments[0];
    expect(booked.services[0]?.segment_ids).toEqual([segment?.id]);
    expect(segment?.passengers[0]?.seat?.designator).toBe(seat.designator);
    await tick(sandbox, 2);
    expect((await readOrder(sandbox, booked.id)).documents.map((document) => document.type)).toEqual([
      "electronic_ticket",
      "electronic_miscellaneous_document_associated",
      "electronic_miscellaneous_document_associated",
    ]);
    const books = await ledger(sandbox);
    expect(before - cents(books.balance.amount)).toBe(cents(total));
    checkLedgerAddsUp(books);
    expect((await servicingBooks(sandbox, booked.id)).services).toEqual([
      expect.objectContaining({ type: "seat", metadata: { booking: "b-seat" } }),
      expect.objectContaining({ type: "baggage", metadata: { booking: "b-seat" } }),
    ]);
    // The same flight in another search shows the seat as taken, and the old offer cannot sell it again.
    const other = await pickOffer(
      sandbox,
      (candidate) =>
        candidate.slices[0]?.segments[0]?.marketing_carrier_flight_number ===
          offer.slices[0]?.segments[0]?.marketing_carrier_flight_number && brand("Flex")(candidate),
    );
    const same = (await seatMaps(sandbox, other.id))
      .flatMap(listSeats)
      .find((one) => one.designator === seat.designator);
    expect(same?.available_services).toEqual([]);
    const again = instantBody(offer, {
      services: wish(service.id),
      payments: [balance(sum(offer.total_amount, service.total_amount))],
    });
    expect(parseError(await order(again))).toMatchObject({ code: "validation_inclusion", pointer: "/services/0/id" });
    checkLedgerAddsUp(await ledger(sandbox));
  });

  test("ten who want the same seat: one gets it, nobody else pays", async () => {
    const offer = await pickOffer(sandbox, brand("Flex"));
    const { service } = freeSeat(await seatMaps(sandbox, offer.id), (seat) => seat.name === "Standard seat");
    const before = await ledger(sandbox);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => order(instantBody(offer, { services: wish(service.id) }))),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, ...Array(9).fill(422)]);
    const after = await ledger(sandbox);
    expect(cents(before.balance.amount) - cents(after.balance.amount)).toBe(cents(offer.total_amount));
    expect(after.orders.length).toBe(before.orders.length + 1);
  });

  test("what is not sold is refused at its place", async () => {
    const offer = await pickOffer(sandbox, brand("Flex"));
    const other = await pickOffer(sandbox, brand("Flex"));
    const maps = await seatMaps(sandbox, offer.id);
    const { seat, service } = freeSeat(maps);
    const second = freeSeat(maps, (candidate) => candidate.designator !== seat.designator).service;
    const [bag] = await readBags(sandbox, offer.id);
    const foreign = freeSeat(await seatMaps(sandbox, other.id)).service;
    const cases: [unknown[], string][] = [
      [wish("ase_none"), "/services/0/id"],
      [wish(foreign.id), "/services/0/id"],
      [wish(service.id, service.id), "/services/1/id"],
      [wish(service.id, second.id), "/services/1/id"],
      [[{ id: bag?.id, quantity: 3 }], "/services/0/quantity"],
      [[{ id: service.id, quantity: 2 }], "/services/0/quantity"],
    ];
    for (const [services, pointer] of cases) {
      expect(parseError(await order(instantBody(offer, { services })))).toMatchObject({
        status: 422,
        type: "validation_error",
        code: "validation_inclusion",
        pointer,
      });
    }
  });

  test("held orders have no services, unless the supplier is told that it can", async () => {
    const offer = await pickOffer(sandbox, brand("Basic"));
    const { service } = freeSeat(await seatMaps(sandbox, offer.id));
    const body = orderBody(offer, { services: wish(service.id) });
    expect(parseError(await order(body))).toMatchObject({ code: "validation_absence", pointer: "/services" });
    await sandbox.control("PUT", "/_sandbox/capabilities", { services_on_hold: true });
    const held = parseData(await order(body), ServicedOrder, 201);
    await sandbox.control("PUT", "/_sandbox/capabilities", { services_on_hold: false });
    expect(held.total_amount).toBe(sum(offer.total_amount, service.total_amount));
    expect(held.payment_status.awaiting_payment).toBe(true);
    expect(parseError(await order(body))).toMatchObject({ code: "validation_absence" });
    // A hold that lapses gives its seat back.
    await tick(sandbox, 73 * 3600);
    const later = await pickOffer(
      sandbox,
      (candidate) =>
        candidate.slices[0]?.segments[0]?.marketing_carrier_flight_number ===
          offer.slices[0]?.segments[0]?.marketing_carrier_flight_number && brand("Basic")(candidate),
      { days: 60 },
    );
    const seats = (await seatMaps(sandbox, later.id)).flatMap(listSeats);
    const designator = seats.find((seat) =>
      seat.available_services.some((one) => one.id.slice(-5) === service.id.slice(-5)),
    );
    expect(designator).toBeDefined();
    expect((await sandbox.control("PUT", "/_sandbox/capabilities", { other: true })).status).toBe(400);
  });
});

describe("the price of an offer", () => {
  const Priced = Offer.extend({
    intended_payment_methods: z.array(z.looseObject({ charge_amount: z.string(), surcharge_amount: z.string() })),
  });

  test("credits cover what they can, the rest is charged to the balance, services included", async () => {
    const offer = await pickOffer(sandbox, brand("Basic"));
    const [bag] = await readBags(sandbox, offer.id);
    if (bag === undefined) throw new Error("this offer sells bags");
    const credit = parseData(
      await sandbox.call("POST", "/air/airline_credits", {
        airline_iata_code: offer.owner.iata_code,
        amount: "40.00",
        amount_currency: "USD",
        code: "C-40",
        type: "mco",
        issued_on: "2026-01-01",
        expires_at: "2099-01-01",
      }),
      z.looseObject({ id: z.string() }),
      201,
    );
    const price = (methods: unknown[], services: unknown[]) =>
      sandbox.call("POST", `/air/offers/${offer.id}/actions/price`, {
        intended_payment_methods: methods,
        intended_services: services,
      });
    const methods = [{ type: "balance" }, { type: "airline_credit", airline_credit_id: credit.id }];
    const answer = parseData(await price(methods, wish(bag.id)), Priced);
    const total = sum(offer.total_amount, bag.total_amount);
    expect(answer.intended_payment_methods.map((method) => method.charge_amount)).toEqual([
      (Number(total) - 40).toFixed(2),
      "40.00",
    ]);
    expect(parseError(await price([{ type: "card", card_id: "tcd_1" }], []))).toMatchObject({
      pointer: "/intended_payment_methods/0/type",
    });
    expect(parseError(await price([{ type: "airline_credit", airline_credit_id: "acd_none" }], []))).toMatchObject({
      code: "ineligible_airline_credit",
    });
    expect(parseError(await price([], wish("ase_none")))).toMatchObject({ pointer: "/intended_services/0/id" });
  });
});

describe("services added to an order", () => {
  const add = (id: string, data: unknown) => sandbox.call("POST", `/air/orders/${id}/services`, data);
  const available = async (id: string) =>
    parseData(await sandbox.call("GET", `/air/orders/${id}/available_services`), z.array(BagService));

  test("a bag is paid exactly, shows, and is offered less often afterwards", async () => {
    const { order: booked } = await ticketedOrder(sandbox, brand("Basic"));
    const [bag] = await available(booked.id);
    if (bag === undefined) throw new Error("this order may have bags");
    expect(bag).toMatchObject({ maximum_quantity: 2, segment_ids: [booked.slices[0]?.segments[0]?.id] });
    const path = "/air/orders/{id}/available_services";
    await arm(sandbox, { match: { path, method: "GET" }, fault: "service_taken" });
    expect(await available(booked.id)).toEqual([]);
    const services = { add_services: wish(bag.id) };
    expect(parseError(await add(booked.id, services))).toMatchObject({
      code: "validation_required",
      pointer: "/payment",
    });
    expect(parseError(await add(booked.id, { ...services, payment: balance("1.00") }))).toMatchObject({
      code: "payment_amount_does_not_match_order_amount",
    });
    const pounds = { ...balance(bag.total_amount), currency: "GBP" };
    expect(parseError(await add(booked.id, { ...services, payment: pounds }))).toMatchObject({
      code: "payment_currency_does_not_match_order_currency",
    });
    const before = cents((await ledger(sandbox)).balance.amount);
    const payment = balance(bag.total_amount);
    const added = parseData(await add(booked.id, { ...services, payment }), ServicedOrder, 201);
    expect(added.total_amount).toBe(sum(booked.total_amount, bag.total_amount));
    expect(added.documents).toHaveLength(2);
    expect((await available(booked.id))[0]?.maximum_quantity).toBe(1);
    await add(booked.id, { ...services, payment });
    expect(await available(booked.id)).toEqual([]);
    expect(parseError(await add(booked.id, { ...services, payment }))).toMatchObject({
      pointer: "/add_services/0/quantity",
    });
    const books = await ledger(sandbox);
    expect(before - cents(books.balance.amount)).toBe(2n * cents(bag.total_amount));
    checkLedgerAddsUp(books);
  });

  test("an order that is not paid or is cancelled takes none", async () => {
    const offer = await pickOffer(sandbox, brand("Basic"));
    const held = parseData(await order(orderBody(offer)), ServicedOrder, 201);
    expect(await available(held.id)).toEqual([]);
    const data = { add_services: wish("ase_1"), payment: balance("1.00") };
    expect(parseError(await add(held.id, data))).toMatchObject({ type: "invalid_state_error", code: "order_not_paid" });
    expect(parseError(await add("ord_none", data))).toMatchObject({ status: 404 });
  });

  test("faults: a dearer bag, a bag somebody else got, a lost answer", async () => {
    const { order: booked } = await ticketedOrder(sandbox, brand("Basic"));
    const match = { path: "/air/orders/{id}/services", method: "POST" };
    const [bag] = await available(booked.id);
    if (bag === undefined) throw new Error("this order may have bags");
    const data = { add_services: wish(bag.id), payment: balance(bag.total_amount) };
    await arm(sandbox, { match, fault: "service_taken" });
    expect(parseError(await add(booked.id, data))).toMatchObject({ pointer: "/add_services/0/id" });
    await arm(sandbox, { match, fault: "insufficient_balance" });
    expect(parseError(await add(booked.id, data))).toMatchObject({ code: "insufficient_balance" });
    await arm(sandbox, { match, fault: "price_changed" });
    expect(parseError(await add(booked.id, data))).toMatchObject({ code: "price_changed" });
    const [dearer] = await available(booked.id);
    expect(cents(dearer?.total_amount ?? "0.00")).toBeGreaterThan(cents(bag.total_amount));
    expect((await servicingBooks(sandbox, booked.id)).services).toEqual([]);
    await arm(sandbox, { match, fault: "reset_after_effect" });
    const payment = balance(dearer?.total_amount ?? "");
    await expect(add(booked.id, { ...data, payment })).rejects.toThrow();
    expect((await servicingBooks(sandbox, booked.id)).services).toHaveLength(1);
  });
});
