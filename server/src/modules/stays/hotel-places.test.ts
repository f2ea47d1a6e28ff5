import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult } from "../../../test/support/treasury.ts";

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

describe("search_hotels", () => {
  const search = async (location: string) => {
    const today = Temporal.Now.plainDateISO("UTC");
    const [checkInDate, checkOutDate] = [40, 42].map((days) => today.add({ days }).toString());
    return requireResult(await service.call("search_hotels", { location, checkInDate, checkOutDate })).location;
  };

  it("names the place that a bare name was interpreted as, and the alternatives", async () => {
    // Nobody means the small namesake in Texas.
    expect(await search("Paris")).toMatchObject({
      label: "Paris, France",
      otherPlaces: [],
      note: expect.stringMatching(/taken as Paris, France\. Tell/),
    });
    expect(await search("San Jose")).toMatchObject({
      otherPlaces: expect.arrayContaining([expect.stringMatching(/^San Jos/)]),
      note: expect.stringMatching(/taken as San Jos.*It could also be: .*San Jos/),
    });
    expect(await search("Soho")).toMatchObject({
      label: "Soho, London, United Kingdom",
      otherPlaces: expect.arrayContaining([expect.stringContaining("Indonesia")]),
      note: expect.stringMatching(/taken as Soho, London, United Kingdom\. It could also be: .*Indonesia/),
    });
    for (const location of ["Lisbon, Portugal", "LIS", "38.71, -9.14"])
      expect(await search(location)).toMatchObject({ otherPlaces: [], note: null });
  });

  it("rounds the price of a night", async () => {
    const today = Temporal.Now.plainDateISO("UTC");
    const [checkInDate, checkOutDate] = [40, 47].map((days) => today.add({ days }).toString());
    const found = requireResult(await service.call("search_hotels", { location: "Paris", checkInDate, checkOutDate }));
    const Rates = z.array(z.object({ totalAmount: z.string(), perNightAmount: z.string() }));
    const rates = z
      .array(z.object({ rates: Rates }))
      .parse(found.accommodations)
      .flatMap((one) => one.rates);
    const cents = ({ totalAmount }: { totalAmount: string }) => Math.round(Number(totalAmount) * 100);
    // Half of them would be cut.
    expect(rates.some((rate) => cents(rate) % 7 > 3)).toBe(true);
    for (const rate of rates) expect(rate.perNightAmount).toBe((Math.round(cents(rate) / 7) / 100).toFixed(2));
  });
});
