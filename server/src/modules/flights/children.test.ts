import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { openAgent } from "../../../test/support/agent.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";

/** Who is booked as whom, by the age on the day on which the last part of the journey leaves. */
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
const Found = z.object({ offers: z.array(z.looseObject({ id: z.string() })).min(1) });
const Previewed = z.object({
  accepted: z.boolean(),
  problem: z.looseObject({ code: z.string(), detail: z.string() }).nullable(),
});

let people = 0;
/** A complete traveler of so many years on the day of the journey back, less some days. */
async function person(years: number, daysYounger = 0) {
  people += 1;
  const userId = `user_${people}`;
  const bornOn = back.subtract({ years }).add({ days: daysYounger }).toString();
  const profile = {
    givenName: "Kim",
    familyName: "Hopper",
    bornOn,
    title: "ms",
    gender: "f",
    phoneNumber: "+442080160509",
  };
  await agent.ask(z.looseObject({}), "save_traveler", {
    ...profile,
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

/** What a booking and the preview of it say. */
async function book(args: Record<string, unknown>) {
  const preview = await agent.ask(Previewed, "preview_call", { tool: "book_flight", args });
  const { said, isError } = await agent.call("book_flight", args);
  return { said, isError, preview };
}

test("a child is not booked as an adult: the call names the child, whom the offer is for, and the tool that helps", async () => {
  const child = await person(6);
  const offerId = await search({ passengers: 2 });
  const { said, preview } = await book({ offerId, additionalCustomerUserIds: [child.customerUserId] });
  expect(said).toMatchObject({
    ...{ code: "passenger_type_mismatch", retryable: false, travelers: [child], travelDay: back.toString() },
    expectedPassengers: [{ type: "adult" }],
    detail: expect.stringContaining("search_more_flights"),
  });
  expect(said.detail).toContain(child.customerUserId);
  expect(preview).toMatchObject({ accepted: false, problem: { code: "passenger_type_mismatch", detail: said.detail } });
});

test("who comes of age on the day of the journey back is an adult, and the day after is not", async () => {
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
  expect(said.detail).toContain("travel alone");
  expect(preview).toMatchObject({ accepted: false, problem: { code: "passenger_type_mismatch", detail: said.detail } });
});
