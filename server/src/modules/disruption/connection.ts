import type { Maps } from "../../ports/maps.ts";
import { findDeparture, type OwnOrder } from "./find-own-order.ts";
import type { ReplanInput } from "./replan-input.ts";

/** The flight on which the order goes on after the delayed one. */
export interface Connection {
  /** Where the traveler changes planes. */
  airport: string;
  /** The delayed flight, when it is now expected there by that airport's clock; undefined if the delay is not known. */
  late: { flightNumber: string; arrivesLocal: string | undefined };
  onward: { flightNumber: string; departingAt: string; destination: string };
  /** `lost`: it leaves before the traveler can board. `tight`: too little time by what airports usually ask for. */
  state: "lost" | "tight" | "kept" | "unknown";
}

/**
 * Airports publish their own minimum for each pair of airlines and terminals, which is not known here; an hour is a usual one
 * for international flights. Where the airline itself sold less, that is enough.
 */
const FEWEST_MINUTES = 60;
/** The gate is usually closed this long before the departure. */
const GATE_CLOSES_MINUTES = 20;

/** Undefined if the order has no later flight, or was disrupted in another way than by a delay. */
export function findConnection(
  { disruption: { kind, earliestUsableDepartureIso: said } }: ReplanInput,
  own: OwnOrder | undefined,
  scheduled: Temporal.Instant,
  maps: Pick<Maps, "airport">,
): Connection | undefined {
  if (own === undefined || kind === "cancellation" || kind === "missed_connection") return undefined;
  const { segments } = own.slice;
  const onward = segments[segments.indexOf(own.segment) + 1];
  if (onward === undefined) return undefined;
  const { flightNumber, destination: airport, arrivingAt } = own.segment;
  const arrives = findDeparture({ origin: airport, departingAt: arrivingAt }, maps);
  const leaves = findDeparture(onward, maps);
  const timeZone = maps.airport(airport)?.timeZone;
  const found = { airport, onward };
  if (said === undefined || arrives === undefined || leaves === undefined || timeZone === undefined) {
    return { ...found, late: { flightNumber, arrivesLocal: undefined }, state: "unknown" };
  }
  const expected = arrives.add(scheduled.until(said));
  const arrivesLocal = expected.toZonedDateTimeISO(timeZone).toPlainDateTime().toString();
  const minutes = (arrival: Temporal.Instant) => arrival.until(leaves).total("minutes");
  return {
    ...found,
    late: { flightNumber, arrivesLocal },
    state: judge(minutes(expected), Math.min(FEWEST_MINUTES, minutes(arrives))),
  };
}

function judge(minutes: number, needed: number): Connection["state"] {
  if (minutes < Math.min(GATE_CLOSES_MINUTES, needed)) return "lost";
  return minutes < needed ? "tight" : "kept";
}
