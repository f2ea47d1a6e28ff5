import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult } from "../../../test/support/treasury.ts";

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

const Found = z.object({
  offers: z.array(
    z.object({
      id: z.string(),
      slices: z.array(z.object({ segments: z.array(z.object({ arrivingAt: z.string() })) })),
    }),
  ),
});
const Transfer = z.looseObject({
  schedule: z.looseObject({
    atDestination: z.looseObject({ likely: z.string() }).nullable(),
    atDestinationWhereTheyLeft: z.looseObject({ likely: z.string() }).nullable(),
  }),
});
const askTransfer = async (args: object) =>
  Transfer.parse(
    requireResult(
      await service.call("airport_transfer_coordinator", {
        airport: "LHR",
        destinationAddress: "Soho, London",
        ...args,
      }),
    ),
  );

it("has the times by the clock of the airport that the traveler's booked flight left, for people who wait there", async () => {
  const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: 75 }).toString();
  const route = { origin: "JFK", destination: "LHR", departureDate };
  const found = Found.parse(requireResult(await service.call("search_flights", route)));
  const [offer] = found.offers;
  requireResult(await service.call("book_flight", { offerId: offer?.id }));
  const landing = Temporal.PlainDateTime.from(offer?.slices[0]?.segments.at(-1)?.arrivingAt ?? "")
    .toZonedDateTime("Europe/London")
    .toInstant();
  const { schedule } = await askTransfer({ arrivalTimeIso: landing.add({ minutes: 40 }).toString() });
  const { likely = "" } = schedule.atDestination ?? {};
  expect(schedule.atDestinationWhereTheyLeft).toMatchObject({
    ...{ airport: "JFK", timeZone: "America/New_York" },
    likely: Temporal.Instant.from(likely).toZonedDateTimeISO("America/New_York").toPlainDateTime().toString(),
  });
  // No booked flight lands there then.
  const other = await askTransfer({ arrivalTimeIso: landing.add({ hours: 13 }).toString() });
  expect(other.schedule.atDestinationWhereTheyLeft).toBeNull();
});
