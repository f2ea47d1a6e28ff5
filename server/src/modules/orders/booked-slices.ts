import { z } from "zod";

/** The flights of an order as bookings store them; orders of earlier releases lack some fields. */

export const BookedSegments = z
  .array(
    z.object({
      flightNumber: z.string(),
      origin: z.string(),
      destination: z.string(),
      departingAt: z.string(),
      arrivingAt: z.string(),
    }),
  )
  .default([]);

export const BookedSlices = z.array(
  z.object({
    id: z.string(),
    origin: z.string(),
    destination: z.string(),
    departingAt: z.string().nullable().default(null),
    segments: BookedSegments,
  }),
);
