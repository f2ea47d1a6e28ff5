import type { FlightServicing } from "../../ports/supplier/flight-servicing.ts";
import type { Flights } from "../../ports/supplier/flights.ts";
import type { StayBookings } from "../../ports/supplier/stay-bookings.ts";
import type { Stays } from "../../ports/supplier/stays.ts";
import { flightCancellation } from "./cancel-order.ts";
import { stayCancellation } from "./cancel-stay.ts";
import { flightChange } from "./change-order.ts";
import type { ServicingCommits } from "./servicing-effect.ts";

export interface SupplierPorts {
  flights: Pick<Flights, "quietMilliseconds" | "provenance" | "sandbox">;
  flightServicing: Pick<
    FlightServicing,
    | "getCancellation"
    | "confirmCancellation"
    | "getChange"
    | "confirmChange"
    | "getAirlineChange"
    | "acceptAirlineChange"
  >;
  stays: Pick<Stays, "provenance" | "sandbox">;
  stayBookings: Pick<StayBookings, "quietMilliseconds" | "getStay" | "cancelStay">;
}

/** The commits of each kind of action at the suppliers of an environment. */
export function servicingCommits({ flights, flightServicing, stays, stayBookings }: SupplierPorts): ServicingCommits {
  return {
    flight_cancellation: flightCancellation(flights, flightServicing),
    flight_change: flightChange(flights, flightServicing),
    stay_cancellation: stayCancellation(stays, stayBookings),
  };
}
