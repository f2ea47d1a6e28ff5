import { z } from "zod";
import { travelerErrors } from "../../travelers/index.ts";
import { Assessment, DISCLAIMER, describeAssessed } from "../answer.ts";
import { assessPassports, readPerson } from "../assess-traveler.ts";
import { defineTool } from "../context.ts";
import { journeyFields, journeyIssues, utcToday } from "../journey-input.ts";
import { sayConsent } from "../minors.ts";

export const checkTravelEligibility = defineTool({
  name: "check_travel_eligibility",
  title: "Check travel eligibility",
  summary:
    "Check whether a traveler's passports allow entry to a country on given dates, and which visa or authorization is needed.",
  advice: "Call it before book_flight. unknown is never a yes. For several countries: check_trip_eligibility.",
  area: "documents",
  effect: "read",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["eligibility", "travelers", "stores", "maps", "clock"],
  input: z.strictObject({ travelerUserId: z.string().describe("userId from list_travelers"), ...journeyFields }),
  output: Assessment.extend({ disclaimer: z.string() }),
  errors: travelerErrors,
  example: (today) => ({
    travelerUserId: "user_demo",
    originIso3: "GBR",
    destinationIso3: "JPN",
    departureDate: today.add({ days: 30 }).toString(),
    returnDate: today.add({ days: 40 }).toString(),
    purpose: "business" as const,
  }),
  remember: ({ destinationIso3, departureDate, purpose }, { verdict }) => ({
    kind: "decision",
    text: `Entry into ${destinationIso3} on ${departureDate} for ${purpose} was checked: ${verdict}.`,
    details: { verdict, destinationIso3, departureDate, purpose },
  }),

  async run({ travelerUserId, ...asked }, { eligibility, travelers, stores, maps, clock, caller, fail, invalid }) {
    const today = utcToday(clock);
    const issues = journeyIssues(asked, today);
    if (issues.length > 0) throw invalid(...issues);
    const traveler = await readPerson({ travelers, stores, maps }, caller, travelerUserId);
    if (traveler === undefined) throw fail("traveler_not_found");
    const { originIso3, destinationIso3, departureDate, returnDate, purpose } = asked;
    const journey = {
      originIso3,
      destinationIso3,
      arrivesOn: Temporal.PlainDate.from(departureDate),
      leavesOn: returnDate === undefined ? undefined : Temporal.PlainDate.from(returnDate),
      purpose,
    };
    const assessed = assessPassports(eligibility, traveler, journey, today);
    const described = describeAssessed(assessed, { isFirst: true });
    const countries = [originIso3, destinationIso3];
    const consent = sayConsent("The traveler", traveler, { day: journey.arrivesOn, countries });
    return { ...described, nextSteps: [...described.nextSteps, ...consent], disclaimer: DISCLAIMER };
  },
});
