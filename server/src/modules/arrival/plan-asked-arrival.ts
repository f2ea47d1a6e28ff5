import type { FailureDetails } from "../../domain/errors.ts";
import { hasScope } from "../../domain/scopes.ts";
import { wordsIn } from "../../domain/texts.ts";
import type { Caller } from "../../kernel/contracts/tool.ts";
import type { Airport } from "../../ports/maps.ts";
import { findOwnStays } from "../orders/index.ts";
import type { arrivalErrors } from "./arrival-answer.ts";
import type { WayMode } from "./arrival-input.ts";
import type { Ports } from "./context.ts";
import { findAirport, findDestination, sayNotFound } from "./find-arrival-places.ts";
import { type ArrivalPorts, planArrival } from "./plan-arrival.ts";

interface Named {
  destinationAddress: string;
  destinationLabel?: string | undefined;
}

/** Shorter names would occur in too many addresses. */
const SHORTEST_NAME = 5;

interface AskedArrival {
  airport: string;
  airportLatitude?: number | undefined;
  airportLongitude?: number | undefined;
  destinationLabel?: string | undefined;
  destinationAddress: string;
  regionCode?: string | undefined;
  languageCode: string;
  arrivalTimeIso?: string | undefined;
  mode: WayMode;
}

interface Asking {
  caller: Caller;
  signal: AbortSignal;
  fail(code: keyof typeof arrivalErrors, details: FailureDetails): Error;
}

/** Finds the places that a call names and plans the arrival. Throws the result of `fail` if a place is not found. */
export async function planAskedArrival(
  input: AskedArrival,
  ports: ArrivalPorts & Pick<Ports, "maps" | "stores">,
  { caller, signal, fail }: Asking,
) {
  const { arrivalTimeIso, mode } = input;
  const words = wordsIn(input.languageCode);
  const found = await findAirport(input, ports.maps, signal);
  if ("unknown" in found) throw fail("airport_not_found", { extra: { ...found.unknown } });
  const { airport } = found;
  const landsAt = arrivalTimeIso === undefined ? undefined : Temporal.Instant.from(arrivalTimeIso);
  const landing = landsAt && { at: landsAt, timeZone: airport.timeZone };
  const where = await atBookedStay({ ...input, languageCode: words.locale }, landing, ports, caller);
  const { destination, nearMatches, tooFar, provenance } = await findDestination(where, airport, ports.maps, signal);
  if (destination === undefined) {
    const detail = sayNotFound({ tooFar }, airport);
    throw fail("destination_not_found", {
      ...(detail === undefined ? {} : { detail }),
      extra: { nearMatches, tooFar },
    });
  }
  const left = landing && (await findAirportLeft(airport.iataCode, landing, ports, caller));
  const arrival = { tenantId: caller.tenantId, airport, destination, mode, landsAt, left, words };
  return { plan: await planArrival(arrival, ports, signal), airport, destination, words, provenance };
}

/** The longest time that a flight is late or early, and that the given time may differ from the booked one. */
const NEAR_HOURS = 12;

/** The airport from which the caller's booked journey to this one began; undefined: none lands there about then. */
async function findAirportLeft(
  iataCode: string | null,
  { at, timeZone }: { at: Temporal.Instant; timeZone: string },
  { stores, maps }: Pick<Ports, "stores" | "maps">,
  { tenantId, environment, travelerId, scopes }: Caller,
): Promise<Airport | undefined> {
  if (iataCode === null || !hasScope(scopes, "flights:read")) return undefined;
  const slices = await stores.orders.listBookedSlices(tenantId, environment, travelerId);
  const landed = slices.find(({ segments }) => {
    const last = segments.at(-1);
    if (last?.destination !== iataCode) return false;
    const booked = Temporal.PlainDateTime.from(last.arrivingAt).toZonedDateTime(timeZone).toInstant();
    return Math.abs(at.since(booked).total("hours")) <= NEAR_HOURS;
  });
  const from = landed?.segments[0]?.origin;
  return from === undefined ? undefined : maps.airport(from);
}

/**
 * Replaces the destination by the coordinates of the caller's stay of this name for the night of the landing, if the
 * supplier gave them: maps know few hotels by name. Otherwise returns the input.
 */
async function atBookedStay<Input extends Named>(
  input: Input,
  landing: { at: Temporal.Instant; timeZone: string } | undefined,
  { stores }: Pick<Ports, "stores">,
  caller: Caller,
): Promise<Input> {
  if (landing === undefined) return input;
  const day = landing.at.toZonedDateTimeISO(landing.timeZone).toPlainDate();
  // A traveler who lands after midnight uses the night of the previous day.
  const days = { from: day.subtract({ days: 1 }).toString(), to: day.add({ days: 1 }).toString() };
  const said = `${input.destinationLabel ?? ""} ${input.destinationAddress}`.toLowerCase();
  const stays = await findOwnStays(stores, caller, caller.userId, days);
  const found = stays.find(({ stay }) => {
    const name = stay.accommodationName.replace(/\s*\([^)]*\)$/, "").toLowerCase();
    return name.length >= SHORTEST_NAME && said.includes(name);
  });
  if (found?.position === undefined) return input;
  const { latitude, longitude } = found.position;
  const destinationLabel = input.destinationLabel || found.stay.accommodationName;
  return { ...input, destinationLabel, destinationAddress: `${latitude.toFixed(6)}, ${longitude.toFixed(6)}` };
}
