import type { FlightServicing } from "./flight-servicing.ts";
import type { Flights } from "./flights.ts";
import type { StayBookings } from "./stay-bookings.ts";
import type { Stays } from "./stays.ts";
import type { SupplierWebhooks } from "./supplier-webhooks.ts";

/** The supplier of flights and stays in one environment. */
export interface Supplier {
  flights: Flights;
  flightServicing: FlightServicing;
  stays: Stays;
  stayBookings: StayBookings;
  webhooks: SupplierWebhooks;
}
