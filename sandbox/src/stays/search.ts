import { z } from "zod";
import { invalidField } from "../http/errors.ts";

const Guest = z.object({ type: z.enum(["adult", "child"]), age: z.number().int().min(0).max(17).optional() });

export const StaySearchBody = z
  .object({
    rooms: z.number().int().min(1).max(9),
    guests: z.array(Guest).min(1).max(36),
    check_in_date: z.string(),
    check_out_date: z.string(),
    location: z
      .object({
        radius: z.number().positive().max(100).default(5),
        geographic_coordinates: z.object({
          latitude: z.number().min(-90).max(90),
          longitude: z.number().min(-180).max(180),
        }),
      })
      .optional(),
    accommodation: z
      .object({ ids: z.array(z.string()).min(1).max(200), fetch_rates: z.boolean().optional() })
      .optional(),
    free_cancellation_only: z.boolean().default(false),
    mobile: z.boolean().optional(),
    negotiated_rate_ids: z.array(z.string()).optional(),
  })
  .refine((body) => (body.location === undefined) !== (body.accommodation === undefined), {
    message: "exactly one of location and accommodation is required",
    path: ["location"],
  });
export type StaySearchBody = z.infer<typeof StaySearchBody>;

/** An agreed rate as it was when the search was made: its results stay what they are. */
const NegotiatedRate = z.object({
  id: z.string(),
  displayName: z.string(),
  chainId: z.string().nullable(),
  accommodationIds: z.array(z.string()),
});
export type NegotiatedRate = z.infer<typeof NegotiatedRate>;

/** A search as it is stored: its results and rates follow from it. */
export const StaySearch = z.object({
  core: z.string(),
  createdAtMs: z.number(),
  checkIn: z.string(),
  checkOut: z.string(),
  rooms: z.number(),
  /** Age is null for adults. */
  guests: z.array(z.object({ age: z.number().nullable() })),
  location: z.object({ lat: z.number(), lon: z.number(), radiusKm: z.number() }).nullable(),
  accommodationIds: z.array(z.string()),
  freeCancellationOnly: z.boolean(),
  negotiatedRates: z.array(NegotiatedRate).default([]),
});
export type StaySearch = z.infer<typeof StaySearch>;

export const STAY_SEARCH_LIFE_MS = 30 * 60_000;
const MOST_NIGHTS = 99;
const MOST_DAYS_AHEAD = 330;
/** The date line is a day wide: somewhere it is still yesterday. */
const EARLIEST_OFFSET_MS = 12 * 3_600_000;

function readDate(text: string, field: string): Temporal.PlainDate {
  try {
    if (/^\d{4}-\d{2}-\d{2}$/u.test(text)) return Temporal.PlainDate.from(text, { overflow: "reject" });
  } catch {
    // Falls through to the one answer for both.
  }
  throw invalidField("validation_format", field, "is not a date of the calendar as YYYY-MM-DD");
}

export function toStaySearch(
  body: StaySearchBody,
  core: string,
  nowMs: number,
  negotiatedRates: readonly NegotiatedRate[] = [],
): StaySearch {
  const checkIn = readDate(body.check_in_date, "check_in_date");
  const checkOut = readDate(body.check_out_date, "check_out_date");
  const today = Temporal.Instant.fromEpochMilliseconds(nowMs - EARLIEST_OFFSET_MS)
    .toZonedDateTimeISO("UTC")
    .toPlainDate();
  const nights = checkIn.until(checkOut).days;
  if (Temporal.PlainDate.compare(checkIn, today) < 0)
    throw invalidField("validation_date_in_past", "check_in_date", "is in the past");
  if (today.until(checkIn).days > MOST_DAYS_AHEAD)
    throw invalidField("validation_inclusion", "check_in_date", `is more than ${MOST_DAYS_AHEAD} days ahead`);
  if (nights < 1 || nights > MOST_NIGHTS)
    throw invalidField("validation_inclusion", "check_out_date", `must be 1 to ${MOST_NIGHTS} nights after check-in`);
  if (body.guests.filter((guest) => guest.type === "adult").length < body.rooms) {
    throw invalidField("validation_length", "guests", "every room needs an adult");
  }
  for (const [index, guest] of body.guests.entries()) {
    if (guest.type === "child" && guest.age === undefined)
      throw invalidField("validation_required", `guests/${index}/age`, "Field 'age' can't be blank");
  }
  const place = body.location;
  return {
    core,
    createdAtMs: nowMs,
    checkIn: checkIn.toString(),
    checkOut: checkOut.toString(),
    rooms: body.rooms,
    guests: body.guests.map((guest) => ({ age: guest.type === "adult" ? null : (guest.age ?? 0) })),
    location:
      place === undefined
        ? null
        : {
            lat: place.geographic_coordinates.latitude,
            lon: place.geographic_coordinates.longitude,
            radiusKm: place.radius,
          },
    accommodationIds: body.accommodation?.ids ?? [],
    freeCancellationOnly: body.free_cancellation_only,
    negotiatedRates: [...negotiatedRates],
  };
}
