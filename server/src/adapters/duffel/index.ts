import type { Provenance } from "../../domain/schemas.ts";
import type { HttpClient } from "../../platform/http-client/http-client.ts";
import type { Clock } from "../../ports/clock.ts";
import type { FlightServicing } from "../../ports/flight-servicing.ts";
import type { Flights } from "../../ports/flights.ts";
import type { Log } from "../../ports/log.ts";
import type { StayBookings } from "../../ports/stay-bookings.ts";
import type { Stays } from "../../ports/stays.ts";
import type { SupplierWebhooks } from "../../ports/supplier-webhooks.ts";
import { createDuffelClient } from "./client.ts";
import { createFlights } from "./flights.ts";
import { createFlightServicing } from "./servicing.ts";
import { createStayBookings } from "./stay-bookings.ts";
import { createStays } from "./stays.ts";
import { createWebhooks } from "./webhooks.ts";

export interface DuffelOptions {
  baseUrl: string;
  token: string;
  /** Whether the embedded sandbox answers there; says so in every result. */
  sandbox: boolean;
  sourceLevel: Provenance["sourceLevel"];
  clock: Clock;
  log: Log;
  http: HttpClient;
  timeouts?: Partial<DuffelTimeouts>;
  /** After an unknown outcome: how long until a lookup that finds nothing proves that nothing was made. */
  quietMilliseconds?: number;
}

export interface DuffelTimeouts {
  readMs: number;
  /** How long the supplier itself may collect offers (`supplier_timeout`, 2,000 to 60,000). */
  searchMs: number;
  /** What our own wait for a search is longer than that. */
  searchMarginMs: number;
  /** Airlines may take two minutes to answer a booking; giving up earlier only makes unknown outcomes. */
  commitMs: number;
  retryDelayMs: number;
}

const DEFAULT_TIMEOUTS: DuffelTimeouts = {
  readMs: 15_000,
  searchMs: 20_000,
  searchMarginMs: 5_000,
  commitMs: 130_000,
  retryDelayMs: 250,
};

const QUIET_LIVE_MS = 150_000;
const QUIET_SANDBOX_MS = 5_000;

export interface Duffel {
  flights: Flights;
  flightServicing: FlightServicing;
  stays: Stays;
  stayBookings: StayBookings;
  webhooks: SupplierWebhooks;
}

/** The flights and stays supplier over its wire format; the live one and the embedded sandbox differ in address and token only. */
export function createDuffel(options: DuffelOptions): Duffel {
  const { clock, log, sandbox, sourceLevel } = options;
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const client = createDuffelClient({
    baseUrl: options.baseUrl,
    token: options.token,
    http: options.http,
    clock,
    log,
    readTimeoutMs: timeouts.readMs,
    commitTimeoutMs: timeouts.commitMs,
    retryDelayMs: timeouts.retryDelayMs,
  });
  const provenance = (): Provenance => ({
    source: sandbox ? "embedded-sandbox" : "duffel",
    sourceLevel,
    asOf: clock.now().toString(),
  });
  const quietMilliseconds = options.quietMilliseconds ?? (sandbox ? QUIET_SANDBOX_MS : QUIET_LIVE_MS);
  const askMs = timeouts.searchMs + timeouts.searchMarginMs;
  return {
    flights: createFlights({
      client,
      clock,
      log,
      sandbox,
      provenance,
      quietMilliseconds,
      searchTimeoutMs: timeouts.searchMs,
      searchMarginMs: timeouts.searchMarginMs,
    }),
    stays: createStays({
      client,
      log,
      sandbox,
      provenance,
      searchTimeoutMs: askMs,
    }),
    flightServicing: createFlightServicing({ client, clock, log, askAirlineTimeoutMs: askMs }),
    stayBookings: createStayBookings({ client, quietMilliseconds, quoteTimeoutMs: askMs }),
    webhooks: createWebhooks(client, clock, log),
  };
}
