import type { Provenance } from "../../domain/schemas.ts";
import type { HttpClient } from "../../platform/http-client/http-client.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { FlightServicing } from "../../ports/supplier/flight-servicing.ts";
import type { Flights } from "../../ports/supplier/flights.ts";
import type { StayBookings } from "../../ports/supplier/stay-bookings.ts";
import type { Stays } from "../../ports/supplier/stays.ts";
import type { SupplierWebhooks } from "../../ports/supplier/supplier-webhooks.ts";
import type { Threads } from "../../ports/threads.ts";
import { createDuffelClient } from "./client.ts";
import { createFlights } from "./flights/flights.ts";
import { createFlightServicing } from "./servicing/servicing.ts";
import { createSandboxPhotos } from "./stays/sandbox-photos.ts";
import { createStayBookings } from "./stays/stay-bookings.ts";
import { createStays } from "./stays/stays.ts";
import { createWebhooks } from "./webhooks.ts";

export interface DuffelOptions {
  baseUrl: string;
  token: string;
  /** Whether this is the embedded sandbox; stated in every result. */
  sandbox: boolean;
  sourceLevel: Provenance["sourceLevel"];
  clock: Clock;
  log: Log;
  http: HttpClient;
  /** Read large answers. */
  threads: Threads;
  timeouts?: Partial<DuffelTimeouts>;
  /** How long after an unknown outcome a look-up that finds nothing proves that nothing was created. */
  quietMilliseconds?: number;
  /** The public address of the sandbox's pictures. */
  publicPhotosUrl?: string;
}

export interface DuffelTimeouts {
  readMilliseconds: number;
  /** How long the supplier itself may collect offers (`supplier_timeout`, 2,000 to 60,000). */
  searchMilliseconds: number;
  /** The margin of our own wait for a search. */
  searchMarginMilliseconds: number;
  /** Airlines may take two minutes to answer a booking; a shorter limit only causes unknown outcomes. */
  commitMilliseconds: number;
  retryDelayMilliseconds: number;
}

const DEFAULT_TIMEOUTS: DuffelTimeouts = {
  readMilliseconds: 15_000,
  searchMilliseconds: 20_000,
  searchMarginMilliseconds: 5_000,
  commitMilliseconds: 130_000,
  retryDelayMilliseconds: 250,
};

const QUIET_LIVE_MILLISECONDS = 150_000;
const QUIET_SANDBOX_MS = 5_000;

export interface Duffel {
  flights: Flights;
  flightServicing: FlightServicing;
  stays: Stays;
  stayBookings: StayBookings;
  webhooks: SupplierWebhooks;
}

/**
 * The flights and stays supplier over its wire format; the live one and the embedded sandbox differ in address and token only.
 */
export function createDuffel(options: DuffelOptions): Duffel {
  const { clock, log, threads, sandbox, sourceLevel, publicPhotosUrl: publicUrl } = options;
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const client = createDuffelClient({
    baseUrl: options.baseUrl,
    token: options.token,
    http: options.http,
    clock,
    log,
    readTimeoutMilliseconds: timeouts.readMilliseconds,
    commitTimeoutMilliseconds: timeouts.commitMilliseconds,
    retryDelayMilliseconds: timeouts.retryDelayMilliseconds,
  });
  const provenance = (): Provenance => ({
    source: sandbox ? "embedded-sandbox" : "duffel",
    sourceLevel,
    asOf: clock.now().toString(),
  });
  const quietMilliseconds = options.quietMilliseconds ?? (sandbox ? QUIET_SANDBOX_MS : QUIET_LIVE_MILLISECONDS);
  const askMilliseconds = timeouts.searchMilliseconds + timeouts.searchMarginMilliseconds;
  return {
    flights: createFlights({
      client,
      threads,
      clock,
      log,
      sandbox,
      provenance,
      quietMilliseconds,
      searchTimeoutMilliseconds: timeouts.searchMilliseconds,
      searchMarginMilliseconds: timeouts.searchMarginMilliseconds,
    }),
    stays: createStays({
      client,
      threads,
      log,
      sandbox,
      provenance,
      searchTimeoutMilliseconds: askMilliseconds,
      photos:
        publicUrl === undefined
          ? undefined
          : createSandboxPhotos({ http: options.http, baseUrl: options.baseUrl, publicUrl }),
    }),
    flightServicing: createFlightServicing({ client, clock, log, askAirlineTimeoutMilliseconds: askMilliseconds }),
    stayBookings: createStayBookings({ client, quietMilliseconds, quoteTimeoutMilliseconds: askMilliseconds }),
    webhooks: createWebhooks(client, clock, log),
  };
}
