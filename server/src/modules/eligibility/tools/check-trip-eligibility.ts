import { z } from "zod";
import type { Issue } from "../../../domain/errors.ts";
import { IsoDate } from "../../../domain/schemas.ts";
import { travelerErrors } from "../../travelers/index.ts";
import { Assessment, DISCLAIMER, describeAssessed } from "../answer.ts";
import { assessPassports, type Journey, readPerson } from "../assess-traveler.ts";
import { defineTool } from "../context.ts";
import { verdicts } from "../eligibility-rules.ts";
import { worstVerdict } from "../findings.ts";
import { CountryIso3, journeyFields, journeyIssues, utcToday } from "../journey-input.ts";
import { sayConsent } from "../minors.ts";
import { describeSupposed, supposePassport } from "../supposed-passport.ts";

const MOST_LEGS = 20;
const MOST_STAYS = 100;

const Leg = z.strictObject({
  ...journeyFields,
  returnDate: IsoDate.optional().describe("Default: the next leg's departureDate"),
});
type Leg = z.output<typeof Leg>;

const EarlierStay = z.strictObject({
  countryIso3: CountryIso3,
  from: IsoDate,
  to: IsoDate,
});

export const checkTripEligibility = defineTool({
  name: "check_trip_eligibility",
  title: "Check trip eligibility",
  summary: "Like check_travel_eligibility, for several legs: each is checked with earlier legs and stays.",
  area: "documents",
  effect: "read",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["eligibility", "travelers", "stores", "maps", "clock"],
  input: z.strictObject({
    travelerUserId: z.string().optional(),
    nationality: CountryIso3.optional().describe("Instead of travelerUserId"),
    legs: z.array(Leg).min(1).max(MOST_LEGS),
    earlierStays: z.array(EarlierStay).max(MOST_STAYS).default([]).describe("Stays not booked here"),
  }),
  output: z.object({
    verdict: z.enum(verdicts).describe("The worst verdict of all legs"),
    legs: z
      .array(
        Assessment.extend({
          originIso3: z.string(),
          destinationIso3: z.string(),
          departureDate: z.string(),
          returnDate: z.string().nullable(),
        }),
      )
      .readonly(),
    disclaimer: z.string(),
  }),
  errors: travelerErrors,
  example: (today) => {
    const on = (days: number) => today.add({ days }).toString();
    const purpose = "leisure" as const;
    return {
      travelerUserId: "user_demo",
      legs: [
        { originIso3: "GBR", destinationIso3: "FRA", departureDate: on(30), purpose },
        { originIso3: "FRA", destinationIso3: "ITA", departureDate: on(40), purpose },
        { originIso3: "ITA", destinationIso3: "GBR", departureDate: on(50), purpose },
      ],
      earlierStays: [{ countryIso3: "ESP", from: on(-60), to: on(-30) }],
    };
  },
  remember: ({ legs }, { verdict }) => ({
    kind: "decision",
    text: `Entry on a trip of ${legs.length} legs was checked: ${verdict}.`,
    details: { verdict, countries: legs.map(({ destinationIso3 }) => destinationIso3) },
  }),

  async run(input, { eligibility, travelers, stores, maps, clock, caller, fail, invalid }) {
    const { travelerUserId, nationality, legs, earlierStays } = input;
    const today = utcToday(clock);
    const issues = tripIssues(input, today);
    if (issues.length > 0) throw invalid(...issues);
    const traveler =
      nationality === undefined
        ? await readPerson({ travelers, stores, maps }, caller, travelerUserId ?? "")
        : supposePassport(nationality, today);
    if (traveler === undefined) throw fail("traveler_not_found");
    const journeys = legs.map((leg, index) => ({
      ...toJourney(leg, legs[index + 1]),
      ...(index === 0 ? {} : { startedInIso3: legs[0]?.originIso3 }),
    }));
    const known = [
      ...traveler.bookedStays,
      ...earlierStays.map(({ countryIso3, from, to }) => ({
        countryIso3,
        from: Temporal.PlainDate.from(from),
        to: Temporal.PlainDate.from(to),
      })),
    ];
    const assessed = journeys.map((journey, index) => {
      const bookedStays = [...known, ...staysBefore(journeys.slice(0, index))];
      return assessPassports(eligibility, { ...traveler, bookedStays }, journey, today);
    });
    const firstRecalled = assessed.findIndex(([best]) => best?.assessment.recalled);
    const countries = legs.flatMap(({ originIso3, destinationIso3 }) => [originIso3, destinationIso3]);
    const judged = journeys.map((journey, index) => {
      const { originIso3 = "", departureDate = "" } = legs[index] ?? {};
      const passports = assessed[index] ?? [];
      const isFirst = index === firstRecalled;
      const described = {
        ...describeAssessed(passports, { isFirst }),
        ...(nationality === undefined ? {} : describeSupposed(passports, isFirst)),
      };
      const consent = index === 0 ? sayConsent("The traveler", traveler, { day: journey.arrivesOn, countries }) : [];
      return {
        ...described,
        nextSteps: [...described.nextSteps, ...consent],
        originIso3,
        destinationIso3: journey.destinationIso3,
        departureDate,
        returnDate: journey.leavesOn?.toString() ?? null,
      };
    });
    return { verdict: worstVerdict(judged.map(({ verdict }) => verdict)), legs: judged, disclaimer: DISCLAIMER };
  },
});

interface Asked {
  readonly travelerUserId?: string | undefined;
  readonly nationality?: string | undefined;
  readonly legs: readonly Leg[];
  readonly earlierStays: readonly z.output<typeof EarlierStay>[];
}

function tripIssues({ travelerUserId, nationality, legs, earlierStays }: Asked, today: Temporal.PlainDate): Issue[] {
  const isOne = (travelerUserId === undefined) !== (nationality === undefined);
  return [
    ...(isOne ? [] : [{ path: "travelerUserId", message: "give either travelerUserId or nationality" }]),
    ...legs.flatMap((leg, index) => {
      const path = `legs.${index}`;
      const before = legs[index - 1];
      const isEarly = before !== undefined && leg.departureDate < before.departureDate;
      const message = "must not be before the departureDate of the previous leg";
      return [...journeyIssues(leg, today, path), ...(isEarly ? [{ path: `${path}.departureDate`, message }] : [])];
    }),
    ...earlierStays.flatMap(({ from, to }, index) =>
      to < from ? [{ path: `earlierStays.${index}.to`, message: "must not be before from" }] : [],
    ),
  ];
}

function toJourney(
  { originIso3, destinationIso3, departureDate, returnDate, purpose }: Leg,
  next: Leg | undefined,
): Journey {
  const leaves = returnDate ?? next?.departureDate;
  return {
    originIso3,
    destinationIso3,
    arrivesOn: Temporal.PlainDate.from(departureDate),
    leavesOn: leaves === undefined ? undefined : Temporal.PlainDate.from(leaves),
    purpose,
    turnsBack: next?.destinationIso3 === originIso3,
  };
}

/** An airside stay is no stay in the country. */
function staysBefore(journeys: readonly Journey[]) {
  return journeys.flatMap(({ destinationIso3, arrivesOn, leavesOn, purpose }) =>
    leavesOn === undefined || purpose === "transit"
      ? []
      : [{ countryIso3: destinationIso3, from: arrivesOn, to: leavesOn }],
  );
}
