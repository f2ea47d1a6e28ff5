import type { FailureDetails } from "../../../domain/errors.ts";
import { wordsIn } from "../../../domain/texts.ts";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import type { Ports } from "../context.ts";
import type { arrivalErrors } from "./arrival-answer.ts";
import type { WayMode } from "./arrival-input.ts";
import { findAirport, findDestination, sayNotFound } from "./find-arrival-places.ts";
import { atBookedStay } from "./find-booked-stay.ts";
import { type ArrivalPorts, planArrival } from "./plan-arrival.ts";

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

/** Finds the places that a call names and plans the arrival. Throws what `fail` makes if a place is not found. */
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
  const arrival = { tenantId: caller.tenantId, airport, destination, mode, landsAt, words };
  return { plan: await planArrival(arrival, ports, signal), airport, destination, words, provenance };
}
