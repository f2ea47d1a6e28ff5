import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { openAgent } from "../../../../test/support/agent.ts";
import type { TestService } from "../../../../test/support/service.ts";
import { openSharedService } from "../../../../test/support/shared-service.ts";

/** Travelers' passenger types, by age on the day of the journey's last departure. */
let service: TestService;
let agent: Awaited<ReturnType<typeof openAgent>>;
beforeAll(async () => {
  service = await openSharedService();
  agent = await openAgent(service);
});
afterAll(async () => {
  await agent?.close();
  await service?.[Symbol.asyncDispose]();
});

const out = Temporal.Now.plainDateISO("UTC").add({ days: 40 });
const back = out.add({ days: 10 });
const journey = { origin: "LHR", destination: "JFK", departureDate: out.toString(), returnDate: back.toString() };
/** A day of its own: the caller flies in several tests, and nobody buys two tickets for one flight. */
const later = (days: number) => ({
  departureDate: out.add({ days }).toString(),
  returnDate: back.add({ days }).toString(),
});
const Found = z.object({ offers: z.array(z.looseObject({ id: z.string() })).min(1) });
const Previewed = z.object({
  accepted: z.boolean(),
  problem: z.looseObject({ code: z.string(), detail: z.string() }).nullable(),
});

const SavedTraveler = z.object({ customerUserId: z.string().nullable() });
const profile = {
  givenName: "Kim",
  familyName: "Hopper",
  title: "ms",
  gender: "f",
  phoneNumber: "+442080160509",
};

let people = 0;
/** A complete traveler of this age on the day of the journey back, minus some days. */
async function person(years: number, daysYounger = 0) {
  people += 1;
  const userId = `user_${people}`;
  const bornOn = back.subtract({ years }).add({ days: daysYounger }).toString();
  await agent.ask(z.looseObject({}), "save_traveler", {
    ...profile,
    bornOn,
    userId,
    email: `${userId}-${service.tenantId}@example.com`,
  });
  const Made = z.object({ customerUserId: z.string() });
  const { customerUserId } = await agent.ask(Made, "ensure_flight_customer", { clerkUserId: userId });
  return { userId, customerUserId };
}

async function search(args: object = {}) {
  const { offers } = await agent.ask(Found, "search_flights", { ...journey, ...args });
  return offers[0]?.id;
}

/** The answers of a booking and its preview. */
async function book(args: Record<string, unknown>) {
  const preview = await agent.ask(Previewed, "preview_call", { tool: "book_flight", args });
  const { said, isError } = await agent.call("book_flight", args);
  return { said, isError, preview };
}

test("a traveler who is no customer of the supplier yet is named by the userId, and becomes one with the booking", async () => {
  const userId = "user_new_here";
  const email = `new-${service.tenantId}@example.com`;
  const saved = { ...profile, userId, email, bornOn: "1990-02-03" };
  const { customerUserId: none } = await agent.ask(SavedTraveler, "save_traveler", saved);
  expect(none).toBeNull();
  const args = { offerId: await search({ passengers: 2, ...later(1) }), additionalCustomerUserIds: [userId] };
  const { said, isError, preview } = await book(args);
  expect([isError, preview.accepted]).toEqual([false, true]);
  const { customerUserId } = await agent.ask(SavedTraveler, "save_traveler", { userId, title: "ms" });
  expect(customerUserId).toMatch(/^icu_/);
  const again = await agent.call("book_flight", { ...args, additionalCustomerUserIds: [customerUserId] });
  expect(again.said.orderId).toBe(said.orderId);
  const unknown = await book({ ...args, additionalCustomerUserIds: ["user_of_nobody"] });
  expect([unknown.said.code, unknown.preview]).toMatchObject(["customer_not_found", { accepted: false }]);
});

test("a child is not booked as an adult: the error names the child, the offer's passengers, and the tool that helps", async () => {
  const child = await person(6);
  const offerId = await search({ passengers: 2 });
  const { said, preview } = await book({ offerId, additionalCustomerUserIds: [child.customerUserId] });
  expect(said).toMatchObject({
    code: "passenger_type_mismatch",
    retryable: false,
    travelers: [child],
    travelDay: back.toString(),
    expectedPassengers: [{ type: "adult" }],
    detail: expect.stringContaining("search_more_flights"),
  });
  expect(said.detail).toContain(child.customerUserId);
  expect(preview).toMatchObject({ accepted: false, problem: { code: "passenger_type_mismatch", detail: said.detail } });
});

test("a traveler who comes of age on the day of the journey back is an adult, and a day later is not", async () => {
  const [grown, minor] = [await person(18), await person(18, 1)];
  const offerId = await search({ passengers: 2 });
  const tooYoung = await book({ offerId, additionalCustomerUserIds: [minor.customerUserId] });
  expect(tooYoung.said).toMatchObject({ code: "passenger_type_mismatch", travelers: [minor] });
  const booked = await book({ offerId, additionalCustomerUserIds: [grown.customerUserId] });
  expect(booked).toMatchObject({ said: { pnr: expect.any(String) }, isError: false, preview: { accepted: true } });
});

test("a minor who would travel alone is refused, and so is the preview", async () => {
  const minor = await person(16);
  const offerId = await search({ leisureFareTypes: ["student"] });
  const { said, preview } = await book({ offerId, additionalCustomerUserIds: [minor.customerUserId] });
  expect(said).toMatchObject({ code: "passenger_type_mismatch", travelers: [minor] });
  expect(said.detail).toContain("unaccompanied minors");
  expect(preview).toMatchObject({ accepted: false, problem: { code: "passenger_type_mismatch", detail: said.detail } });
});

const Wire = z.object({ requests: z.array(z.object({ path: z.string(), body: z.string() })) });
const WireBody = z.object({ data: z.looseObject({ passengers: z.array(z.looseObject({})) }) });

/** The passengers in the last request to a path of the supplier that contains the text. */
async function passengersSent(path: string, text: string) {
  const answer = await fetch(`${service.supplierUrl}/_sandbox/requests?contains=${text}`);
  const { requests } = Wire.parse(await answer.json());
  const last = requests.findLast((request) => request.path.split("?")[0] === path);
  return WireBody.parse(JSON.parse(last?.body ?? "{}")).data.passengers;
}

test("ages are searched as the supplier takes them, and each traveler is booked as the passenger of that age", async () => {
  const [baby, child] = [await person(1), await person(6)];
  const Passengers = z.array(z.looseObject({ id: z.string(), type: z.string() }));
  const Aged = z.object({ offers: z.array(z.looseObject({ id: z.string(), passengers: Passengers })).min(1) });
  const { offers } = await agent.ask(Aged, "search_more_flights", { ...journey, ...later(2), ages: [6, 36, 1] });
  expect(await passengersSent("/air/offer_requests", later(2).departureDate)).toMatchObject([
    { age: 6 },
    { type: "adult" },
    { age: 1 },
  ]);
  const [first] = offers;
  expect(first?.passengers).toMatchObject([
    { type: "child", age: 6 },
    { type: "adult" },
    { type: "infant_without_seat", age: 1 },
  ]);
  const offerId = first?.id;
  const older = await person(7);
  const wrong = await book({ offerId, additionalCustomerUserIds: [older.customerUserId, baby.customerUserId] });
  expect(wrong.said).toMatchObject({
    code: "passenger_type_mismatch",
    travelers: [older],
    expectedPassengers: [{ type: "child", age: 6 }],
  });
  expect(wrong.said.detail).toContain("a child of 6");
  const few = await book({ offerId, additionalCustomerUserIds: [baby.customerUserId] });
  expect(few.said).toMatchObject({
    code: "passenger_type_mismatch",
    travelers: [],
    expectedPassengers: [{ type: "child", age: 6 }],
  });
  for (const { preview, said } of [wrong, few]) {
    expect(preview).toMatchObject({ accepted: false, problem: { code: said.code, detail: said.detail } });
  }
  const right = await book({ offerId, additionalCustomerUserIds: [baby.customerUserId, child.customerUserId] });
  expect(right).toMatchObject({ said: { pnr: expect.any(String) }, isError: false, preview: { accepted: true } });
  const ids = first?.passengers.map(({ id }) => id) ?? [];
  expect(await passengersSent("/air/orders", `${ids[1]}`)).toMatchObject([
    { id: ids[0], user_id: child.customerUserId },
    { id: ids[1], given_name: "Tess", infant_passenger_id: ids[2] },
    { id: ids[2], user_id: baby.customerUserId },
  ]);
});

test("children who would travel alone and infants without a lap are refused before the supplier is asked", async () => {
  for (const [ages, said] of [
    [[15, 12], "unaccompanied minors"],
    [[30, 1, 0], "an adult for each infant"],
  ] as const) {
    const { said: refusal } = await agent.call("search_more_flights", { ...journey, ages });
    expect(refusal).toMatchObject({
      code: "invalid_input",
      issues: [{ path: "ages", message: expect.stringContaining(said) }],
    });
  }
});
