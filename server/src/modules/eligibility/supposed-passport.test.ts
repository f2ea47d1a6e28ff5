import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

const Answer = z.object({
  result: z.object({
    verdict: z.string(),
    legs: z.array(z.object({ summary: z.string(), passport: z.null(), checks: z.array(z.unknown()) })).length(1),
  }),
});
const today = Temporal.Now.plainDateISO("UTC");
const leg = (originIso3: string, destinationIso3: string) => ({
  ...{ originIso3, destinationIso3, purpose: "leisure" },
  ...{ departureDate: today.add({ days: 30 }).toString(), returnDate: today.add({ days: 37 }).toString() },
});

test.each([
  ["IND", "ESP", "visa_required"],
  ["DEU", "FRA", "eligible"],
])("whoever has a passport of %s and no profile is told about %s: %s", async (nationality, destination, verdict) => {
  const legs = [leg(nationality, destination)];
  const { status, text } = await service.call("check_trip_eligibility", { nationality, legs });
  expect(status, text).toBe(200);
  const { result } = Answer.parse(JSON.parse(text));
  expect(result.verdict).toBe(verdict);
  expect(result.legs[0]?.summary).toContain("supposes an ordinary passport");
  // The supposed dates are nobody's.
  expect(text).not.toContain(today.add({ years: 9 }).toString());
});

test.each([
  ["neither", {}],
  ["both", { nationality: "IND", travelerUserId: "user_demo" }],
])("%s of traveler and nationality is refused", async (_, who) => {
  const { status, text } = await service.call("check_trip_eligibility", { ...who, legs: [leg("IND", "ESP")] });
  expect(status).toBe(400);
  expect(text).toContain("give either travelerUserId or nationality");
});
