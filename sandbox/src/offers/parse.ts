// Reads and checks the body of `POST /air/offer_requests`.
import { z } from "zod";
import { invalidField } from "../http/errors.ts";
import { derivedId } from "../ids.ts";
import { isKnownFareType } from "../inventory/fares.ts";
import { airlineByCode, CabinClass, findAirports } from "../reference/data.ts";
import type { OfferRequest, RequestPassenger } from "./request.ts";

const Time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/u, "must be HH:MM");
const TimeWindow = z.object({ from: Time.optional(), to: Time.optional() });

const Passenger = z.object({
  type: z.enum(["adult", "child", "infant_without_seat"]).nullish(),
  age: z.number().int().min(0).max(130).nullish(),
  fare_type: z.string().nullish(),
  given_name: z.string().min(1).nullish(),
  family_name: z.string().min(1).nullish(),
  loyalty_programme_accounts: z
    .array(z.object({ airline_iata_code: z.string(), account_number: z.string().min(1) }))
    .nullish(),
});

export const OfferRequestBody = z.object({
  slices: z
    .array(
      z.object({
        origin: z.string(),
        destination: z.string(),
        departure_date: z.string(),
        departure_time: TimeWindow.nullish(),
        arrival_time: TimeWindow.nullish(),
      }),
    )
    .min(1)
    .max(6),
  passengers: z.array(Passenger).min(1).max(9),
  cabin_class: CabinClass.nullish(),
  max_connections: z.union([z.literal(0), z.literal(1), z.literal(2)]).nullish(),
  private_fares: z
    .record(
      z.string(),
      z.array(
        z.object({
          corporate_code: z.string().min(1).optional(),
          tour_code: z.string().min(1).optional(),
          tracking_reference: z.string().min(1).optional(),
          account_number: z.string().min(1).optional(),
        }),
      ),
    )
    .nullish(),
  airline_credit_ids: z.array(z.string()).nullish(),
});
export type OfferRequestBody = z.infer<typeof OfferRequestBody>;

/** Airlines that know a corporate customer only by both of its codes. */
const NEED_BOTH_CODES = new Set(["AA", "UA", "WN"]);
const ADULT_AGE = 18;
const INFANT_AGE = 2;

function readDate(text: string, pointer: string): Temporal.PlainDate {
  if (!/^\d{4}-\d{2}-\d{2}$/u.test(text))
    throw invalidField("validation_format", pointer, "must be a date as YYYY-MM-DD");
  try {
    return Temporal.PlainDate.from(text, { overflow: "reject" });
  } catch {
    throw invalidField("validation_format", pointer, "is not a date of the calendar");
  }
}

function checkSlices(body: OfferRequestBody, nowMs: number): OfferRequest["slices"] {
  let earliest: Temporal.PlainDate | undefined;
  return body.slices.map((slice, index) => {
    const pointer = `slices/${index}`;
    const [origin] = findAirports(slice.origin);
    if (origin === undefined)
      throw invalidField("validation_inclusion", `${pointer}/origin`, "is not an IATA code of an airport or city");
    if (findAirports(slice.destination).length === 0) {
      throw invalidField("validation_inclusion", `${pointer}/destination`, "is not an IATA code of an airport or city");
    }
    if (slice.origin === slice.destination)
      throw invalidField("validation_exclusion", `${pointer}/destination`, "must differ from the origin");
    const date = readDate(slice.departure_date, `${pointer}/departure_date`);
    const today = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(origin.tz).toPlainDate();
    if (Temporal.PlainDate.compare(date, today) < 0)
      throw invalidField("validation_date_in_past", `${pointer}/departure_date`, "is in the past");
    if (earliest !== undefined && Temporal.PlainDate.compare(date, earliest) < 0) {
      throw invalidField("validation_date_order", `${pointer}/departure_date`, "is before the slice ahead of it");
    }
    earliest = date;
    return {
      origin: slice.origin,
      destination: slice.destination,
      departureDate: date.toString(),
      departureTime: slice.departure_time ?? null,
      arrivalTime: slice.arrival_time ?? null,
    };
  });
}

function passengerType(passenger: OfferRequestBody["passengers"][number]): RequestPassenger["type"] {
  const { type, age } = passenger;
  if (type !== null && type !== undefined) return type;
  if (age === null || age === undefined || age >= ADULT_AGE) return "adult";
  return age < INFANT_AGE ? "infant_without_seat" : "child";
}

function checkPassengers(body: OfferRequestBody, core: string): OfferRequest["passengers"] {
  const passengers = body.passengers.map((passenger, index): RequestPassenger => {
    const pointer = `passengers/${index}`;
    const { type, age, fare_type: fareType, given_name: given, family_name: family } = passenger;
    const accounts = passenger.loyalty_programme_accounts ?? [];
    if ((type ?? null) === null && (age ?? null) === null && (fareType ?? null) === null) {
      throw invalidField("validation_required", `${pointer}/type`, "one of type, age or fare_type is required");
    }
    if (fareType !== null && fareType !== undefined && !isKnownFareType(fareType)) {
      throw invalidField("validation_inclusion", `${pointer}/fare_type`, `'${fareType}' is not a known fare type`);
    }
    if (accounts.length > 0 && ((given ?? null) === null || (family ?? null) === null)) {
      throw invalidField(
        "validation_required",
        `${pointer}/given_name`,
        "given_name and family_name are required with loyalty programme accounts",
      );
    }
    for (const [place, account] of accounts.entries()) {
      if (!airlineByCode.has(account.airline_iata_code)) {
        throw invalidField(
          "validation_inclusion",
          `${pointer}/loyalty_programme_accounts/${place}/airline_iata_code`,
          "is not a known airline",
        );
      }
    }
    return {
      id: derivedId("pas", core, index),
      type: passengerType(passenger),
      age: age ?? null,
      fareType: fareType ?? null,
      givenName: given ?? null,
      familyName: family ?? null,
      loyaltyAccounts: accounts,
    };
  });
  const infants = passengers.filter((passenger) => passenger.type === "infant_without_seat").length;
  const adults = passengers.filter((passenger) => passenger.type === "adult").length;
  if (infants > adults) throw invalidField("validation_length", "passengers", "every infant needs an adult of its own");
  return passengers;
}

function checkPrivateFares(body: OfferRequestBody): OfferRequest["privateFares"] {
  const fares: OfferRequest["privateFares"] = {};
  for (const [airline, codes] of Object.entries(body.private_fares ?? {})) {
    const pointer = `private_fares/${airline}`;
    const [only, ...others] = codes;
    if (!airlineByCode.has(airline)) throw invalidField("validation_inclusion", pointer, "is not a known airline");
    if (only === undefined || others.length > 0)
      throw invalidField("validation_length", pointer, "takes exactly one object of codes");
    if (only.corporate_code === undefined && only.tour_code === undefined) {
      throw invalidField(
        "validation_required",
        `${pointer}/0/corporate_code`,
        "a corporate_code or tour_code is required",
      );
    }
    if (NEED_BOTH_CODES.has(airline) && (only.corporate_code === undefined || only.tour_code === undefined)) {
      throw invalidField("validation_required", `${pointer}/0`, "this airline needs both corporate_code and tour_code");
    }
    fares[airline] = only;
  }
  return fares;
}

export function toOfferRequest(
  body: OfferRequestBody,
  context: { core: string; nowMs: number; credits: OfferRequest["credits"] },
): OfferRequest {
  return {
    core: context.core,
    createdAtMs: context.nowMs,
    cabinClass: body.cabin_class ?? "economy",
    maxConnections: body.max_connections ?? 1,
    slices: checkSlices(body, context.nowMs),
    passengers: checkPassengers(body, context.core),
    privateFares: checkPrivateFares(body),
    credits: context.credits,
  };
}
