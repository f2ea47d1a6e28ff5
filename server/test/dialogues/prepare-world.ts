import { z } from "zod";
import { DEMO_TRAVELER_ID } from "../../src/domain/user-ids.ts";
import type { TestService } from "../support/service.ts";
import type { Given, GivenFlight, GivenStay } from "./dialogue.ts";
import { listDays } from "./render-dates.ts";

/** The traveler is Tess, with a German passport; Marco and Lina may come along. */
const TRAVELERS = [
  {
    userId: DEMO_TRAVELER_ID,
    passports: [{ nationality: "DEU", number: "C01X00T47", issuedOn: "2022-01-01", expiresOn: "2031-12-31" }],
  },
  {
    userId: "user_marco",
    givenName: "Marco",
    familyName: "Traveler",
    bornOn: "1988-04-12",
    title: "mr",
    gender: "m",
    email: "marco.traveler@example.com",
    phoneNumber: "+14155550124",
  },
  {
    userId: "user_lina",
    givenName: "Lina",
    familyName: "Traveler",
    bornOn: Temporal.Now.plainDateISO("UTC").subtract({ years: 9, months: 4 }).toString(),
    title: "miss",
    gender: "f",
    email: "lina.traveler@example.com",
    phoneNumber: "+14155550125",
  },
];

const Search = z.object({
  offers: z.array(z.object({ id: z.string() })).min(1),
  picks: z.object({ cheapestChangeable: z.object({ id: z.string() }).nullish() }),
});
const Hotels = z.object({
  accommodations: z.array(z.object({ cheapestRate: z.object({ id: z.string() }).nullable() })),
});
const Quote = z.object({ id: z.string() });

/** Calls the tool as the tenant's agent; it must succeed. */
export async function callTool<Shape extends z.ZodType>(
  service: TestService,
  shape: Shape,
  tool: string,
  args: Readonly<Record<string, unknown>>,
): Promise<z.output<Shape>> {
  const { status, text } = await service.call(tool, args);
  if (status !== 200) throw new Error(`${tool} answered ${status}: ${text}`);
  return shape.parse(z.object({ result: z.unknown() }).parse(JSON.parse(text)).result);
}

/** Makes the travelers, and what the dialogue begins with. */
export async function prepareWorld(
  service: TestService,
  given: readonly Given[],
  today: Temporal.PlainDate,
): Promise<void> {
  for (const traveler of TRAVELERS) await callTool(service, z.unknown(), "save_traveler", traveler);
  const date = (template: string): string => listDays(template, today)[0] ?? template;
  for (const one of given) {
    if ("trip" in one) await callTool(service, z.unknown(), "prefund_trip", one.trip);
    else if ("flight" in one) await bookFlight(service, one.flight, date);
    else await bookStay(service, one.stay, date);
  }
}

async function bookFlight(
  service: TestService,
  { origin, destination, departureDate }: GivenFlight,
  date: (template: string) => string,
): Promise<void> {
  const { offers, picks } = await callTool(service, Search, "search_flights", {
    origin,
    destination,
    departureDate: date(departureDate),
  });
  await callTool(service, z.unknown(), "book_flight", { offerId: picks.cheapestChangeable?.id ?? offers[0]?.id });
}

async function bookStay(
  service: TestService,
  { location, checkInDate, checkOutDate }: GivenStay,
  date: (template: string) => string,
): Promise<void> {
  const dates = { checkInDate: date(checkInDate), checkOutDate: date(checkOutDate) };
  const { accommodations } = await callTool(service, Hotels, "search_hotels", { location, ...dates });
  const rateId = accommodations.find(({ cheapestRate }) => cheapestRate !== null)?.cheapestRate?.id;
  const { id: quoteId } = await callTool(service, Quote, "quote_stay", { rateId });
  const guests = [{ givenName: "Tess", familyName: "Traveler" }];
  await callTool(service, z.unknown(), "book_stay", { quoteId, email: "tess.traveler@example.com", guests });
}
