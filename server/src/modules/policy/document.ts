import { z } from "zod";
import { countryAlpha3Codes, toCountryAlpha2 } from "../../domain/countries.ts";
import { fromNumber } from "../../domain/money.ts";
import { CabinClass, IsoDate } from "../../domain/schemas.ts";

/** A policy document. An omitted part limits nothing. */

export const severities = ["warn", "require_approval", "deny"] as const;
export type Severity = (typeof severities)[number];

export const Severity = z.enum(severities);
const severity = Severity.default("require_approval").describe("What happens if the rule is broken");

const MOST_USD = 1_000_000_000;
/** The most entries in a list, and the most rules in total. */
const MOST_RULES = 5_000;
const MOST_ENTRIES = 5_000;
const MOST_STEPS = 20;

const Usd = z
  .number()
  .refine((value) => value >= 0 && value <= MOST_USD && fromNumber(value) !== undefined, {
    message: `must be an amount of 0 to ${MOST_USD} with at most 6 decimal places`,
  })
  .describe("US dollars");
const Percent = z.number().min(0).max(10_000);
const Hours = z.number().positive().max(1_000);
const Days = z.int().min(0).max(365);

const countryCodes: ReadonlySet<string | undefined> = new Set(countryAlpha3Codes.map(toCountryAlpha2));
const Country = z
  .string()
  .refine((code) => countryCodes.has(code), { message: "must be an ISO 3166-1 alpha-2 code in capitals, such as FR" });
const Airline = z.string().regex(/^(?=.*[A-Z])[A-Z0-9]{2}$/, "must be a two-character IATA airline code in capitals");
export const City = z
  .string()
  .regex(/^[A-Z]{3}$/, "must be a three-letter IATA code of a city in capitals, such as NYC");
const Address = z.string().regex(/^0x[0-9a-f]{40}$/, "must be an address in lower case");
const Text = z.string().trim().min(1).max(500);
const Id = z.string().trim().min(1).max(200);
const list = <Item extends z.ZodType>(item: Item) => z.array(item).max(MOST_ENTRIES);

const MaxPrice = z.strictObject({
  severity,
  default: Usd.optional().describe("For the whole booking, for flights that no byDuration entry covers"),
  byDuration: z
    .array(z.strictObject({ maxHours: Hours.describe("Duration of the longest leg"), amount: Usd }))
    .max(MOST_STEPS)
    .optional()
    .describe("The first entry whose maxHours is not exceeded applies"),
  dynamic: z
    .strictObject({
      basis: z
        .enum(["lowest_logical", "median"])
        .describe("Among offers from the same search, in the same cabin, at a similar time of day"),
      plusPercent: Percent.default(0),
      plusUsd: Usd.default(0),
      windowHours: z.number().min(0).max(48).default(4).describe("How far apart departures may be"),
    })
    .optional(),
});

const MaxCabin = z.strictObject({
  severity,
  default: CabinClass,
  byDuration: z
    .array(z.strictObject({ minHours: Hours.describe("Of the leg"), cabin: CabinClass }))
    .max(MOST_STEPS)
    .optional()
    .describe("Higher cabins for longer legs"),
  overnight: CabinClass.optional().describe("For legs that arrive on a later date than they depart"),
});

const Flight = z.strictObject({
  maxPrice: MaxPrice.optional(),
  maxCabin: MaxCabin.optional(),
  advancePurchaseDays: z
    .strictObject({ severity, domestic: Days.optional(), international: Days.optional() })
    .optional()
    .describe("From today to the departure, both in the departure place's calendar"),
  carriers: z
    .strictObject({
      severity: severity.describe("Applies to blocked and only; choosing one that is not preferred is a warning"),
      preferred: list(Airline).optional(),
      blocked: list(Airline).optional(),
      only: list(Airline).optional(),
    })
    .optional(),
  fare: z
    .strictObject({
      severity,
      requireRefundableAbove: Usd.optional(),
      requireChangeableAbove: Usd.optional(),
      allowBasicEconomy: z.boolean().optional().describe("false: no fare whose name contains basic"),
    })
    .optional(),
  itinerary: z
    .strictObject({ severity, maxStops: z.int().min(0).max(10).optional(), maxDurationHours: Hours.optional() })
    .optional()
    .describe("Per leg"),
  emissions: z.strictObject({ severity, maxKgPerPassenger: z.number().min(0).max(100_000) }).optional(),
});

const Hotel = z.strictObject({
  maxNightly: z
    .strictObject({
      severity,
      default: Usd.optional(),
      byCity: z.record(z.string(), Usd).optional().describe("Keys: IATA codes of cities, such as NYC"),
    })
    .optional()
    .describe("Of one room"),
  stars: z.strictObject({ severity, max: z.number().min(1).max(7) }).optional(),
  advancePurchaseDays: z.strictObject({ severity, days: Days }).optional(),
  chains: z
    .strictObject({
      severity: severity.describe("Applies to blocked; choosing one that is not preferred is a warning"),
      preferred: list(Id).optional(),
      blocked: list(Id).optional(),
    })
    .optional()
    .describe("Ids of accommodations or chains, like supplierId of check_policy"),
  refund: z.strictObject({ severity, requireFreeCancellationAbove: Usd }).optional(),
});

const Destinations = z.strictObject({
  blockedCountries: list(Country).optional().describe("Denied"),
  approvalCountries: list(Country).optional(),
  riskLevels: z.record(z.string(), z.int().min(1).max(4)).optional().describe("Level by country; 4 is the highest"),
  approvalFromLevel: z.int().min(1).max(4).optional(),
  denyFromLevel: z.int().min(1).max(4).optional(),
});

const TravelDates = z.strictObject({
  severity,
  earliest: IsoDate.optional(),
  latest: IsoDate.optional(),
  blackouts: z
    .array(z.strictObject({ from: IsoDate, to: IsoDate, reason: Text.optional() }))
    .max(200)
    .optional(),
  maxDays: z.int().min(1).max(366).optional().describe("From the first to the last day, inclusive"),
});

const Booking = z.strictObject({
  severity,
  allowed: z
    .array(
      z.strictObject({
        booker: Id.describe("A userId, svc:<keyId>, or * for everyone"),
        travelers: z.union([z.enum(["self", "anyone"]), list(Id).min(1)]),
      }),
    )
    .min(1)
    .max(MOST_ENTRIES),
});

const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;

const When = z.strictObject({
  kind: z.enum(["flight", "hotel", "payment"]),
  priceUsdOver: Usd.optional(),
  nightlyUsdOver: Usd.optional(),
  carriers: list(Airline).min(1).optional(),
  cabins: z.array(CabinClass).min(1).max(4).optional(),
  suppliers: list(Id).min(1).optional(),
  cities: list(City).min(1).optional(),
  countries: list(Country).min(1).optional().describe("Destinations"),
  durationHoursOver: z.number().min(0).max(1_000).optional().describe("Of a leg"),
  stopsOver: z.int().min(0).max(10).optional().describe("Of a leg"),
  daysAheadUnder: Days.optional(),
  emissionsKgOver: z.number().min(0).max(100_000).optional(),
  refundable: z.boolean().optional(),
  startsFrom: IsoDate.optional(),
  startsUntil: IsoDate.optional(),
  weekdays: z.array(z.enum(weekdays)).min(1).max(7).optional().describe("Days on which the trip starts"),
  travelers: list(Id).min(1).optional().describe("userIds; applies if any of them travels"),
  bookers: list(Id).min(1).optional(),
  recipients: list(Address).min(1).optional(),
});

export const PolicyDocument = z.strictObject({
  title: Text.optional(),
  currency: z.enum(["USD"]).default("USD"),
  timeZone: z.string().max(64).default("UTC").describe("IANA time zone in which an activation date begins"),
  flight: Flight.optional(),
  hotel: Hotel.optional(),
  payments: z
    .strictObject({ severity, maxAmountUsd: Usd })
    .optional()
    .describe("Transfers and reservations without an offer"),
  destinations: Destinations.optional(),
  travelDates: TravelDates.optional(),
  booking: Booking.optional().describe("Who may book for whom; everyone else is refused"),
  rules: z
    .array(
      z.strictObject({
        id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, "must be 1 to 100 letters, digits, . _ or -"),
        severity,
        text: Text.optional().describe("What the caller is told"),
        when: When.describe("The rule is broken if all of these are true"),
      }),
    )
    .max(MOST_RULES)
    .optional(),
  approval: z
    .strictObject({
      role: z.enum(["approver", "finance", "admin"]).default("approver").describe("Who may decide"),
      expiresHours: z.int().min(1).max(720).default(24),
      toleranceUsd: Usd.default(0).describe("How much the price may rise after the approval"),
    })
    .optional(),
});

export type PolicyDocument = z.output<typeof PolicyDocument>;
export type CustomRule = NonNullable<PolicyDocument["rules"]>[number];
