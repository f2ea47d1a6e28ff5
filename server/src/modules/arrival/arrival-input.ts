import { z } from "zod";
import { Instant, Latitude, Longitude } from "../../domain/schemas.ts";
import { RegionCode } from "../places/index.ts";

/** Inputs of every tool for an arrival at an airport and the way on from there. */
export const arrivalFields = {
  airport: z.string().describe("IATA code or name"),
  airportLatitude: Latitude.optional(),
  airportLongitude: Longitude.optional(),
  destinationLabel: z.string().optional().describe("As shown to the traveler"),
  destinationAddress: z.string().describe("Address, district or sight; or 38.71,-9.14"),
  regionCode: RegionCode.optional(),
  languageCode: z.string().default("en"),
  arrivalTimeIso: Instant.optional(),
} as const;

export const WayMode = z.enum(["driving", "transit", "walking"]);
export type WayMode = z.output<typeof WayMode>;

interface AirportPosition {
  airportLatitude?: number | undefined;
  airportLongitude?: number | undefined;
}

export function checkAirportPosition(
  { airportLatitude, airportLongitude }: AirportPosition,
  context: { addIssue(issue: { code: "custom"; path: string[]; message: string }): void },
): void {
  if ((airportLatitude === undefined) === (airportLongitude === undefined)) return;
  const path = [airportLatitude === undefined ? "airportLatitude" : "airportLongitude"];
  context.addIssue({ code: "custom", path, message: "give both latitude and longitude" });
}
