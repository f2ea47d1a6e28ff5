import type { Stores } from "../../kernel/stores.ts";
import type { Travelers } from "../../modules/travelers/traveler-profile.ts";
import type { Usage } from "../../modules/usage/usage.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import type { Routes } from "../http/hosts.ts";
import type { HttpRequest } from "../http/http.ts";
import { readJsonObject } from "../http/json-body.ts";
import { resourceRoute, type SignedExchange } from "../http/signed-exchange.ts";
import { listOrders, readOrder } from "./orders.ts";
import {
  closeTripOperation,
  listOrdersOperation,
  listTripsOperation,
  readBookingOperation,
  readOrderOperation,
  readTravelerOperation,
  readTripOperation,
  readUsageOperation,
  unlockTripOperation,
  writeTravelerOperation,
} from "./resource-operations.ts";
import { readTraveler, writeTraveler } from "./travelers.ts";
import { type ClosingPorts, closeTripNow, listTrips, readBooking, readTrip, unlockTrip } from "./trips.ts";
import { readUsage } from "./usage.ts";

/** The tenant's own records, keyed: orders, trips and bookings in escrow, traveler profiles and usage. */
export function resourceRoutes(options: {
  exchange: SignedExchange;
  travelers: Travelers;
  usage: Usage;
  stores: Pick<Stores, "orders" | "trips" | "escrowBookings">;
  /** Undefined: this network is switched off. */
  portsFor(environment: Environment): ClosingPorts | undefined;
  clock: Clock;
}): Routes {
  const { exchange, travelers, usage, stores, portsFor, clock } = options;
  const { orders } = stores;
  return [
    resourceRoute(exchange, readUsageOperation, async (request, { principal }) => ({
      value: await readUsage({ usage, principal, query: request.query, clock }),
    })),
    resourceRoute(exchange, listOrdersOperation, async (request, { principal }) => ({
      value: await listOrders({ orders, principal, query: request.query }),
    })),
    resourceRoute(exchange, readOrderOperation, async (request, { principal }) => ({
      value: await readOrder({ orders, principal, orderId: lastSegment(request) }),
    })),
    resourceRoute(exchange, listTripsOperation, async (request, { principal }) => ({
      value: await listTrips({ stores, clock }, principal, request.query),
    })),
    resourceRoute(exchange, readTripOperation, async (request, { principal }) => ({
      value: await readTrip({ stores, clock }, principal, lastSegment(request)),
    })),
    resourceRoute(exchange, readBookingOperation, async (request, { principal }) => ({
      value: await readBooking({ stores }, principal, lastSegment(request)),
    })),
    resourceRoute(exchange, unlockTripOperation, async (request, { principal }) => ({
      value: await unlockTrip({ stores, clock }, principal, lastSegment(request, 1)),
    })),
    resourceRoute(exchange, closeTripOperation, async (request, { principal }) => ({
      value: await closeTripNow(portsFor(principal.environment), principal, lastSegment(request, 1)),
    })),
    resourceRoute(exchange, readTravelerOperation, async (request, { principal }) => ({
      value: await readTraveler({ travelers, principal, userId: lastSegment(request) }),
    })),
    resourceRoute(exchange, writeTravelerOperation, async (request, { principal }) => {
      const { created, traveler } = await writeTraveler({
        travelers,
        principal,
        userId: lastSegment(request),
        body: await readJsonObject(request),
        today: clock.now().toZonedDateTimeISO("UTC").toPlainDate(),
      });
      // Who may write but not read gets back what it sent, and nothing that was there before: a PUT replaces.
      return { status: created ? 201 : 200, value: traveler };
    }),
  ];
}

/** Of the path, but for so many behind it. */
function lastSegment(request: HttpRequest, behind = 0): string {
  const segment = request.path.split("/").at(-1 - behind) ?? "";
  try {
    const decoded = decodeURIComponent(segment);
    // What storage cannot hold is nobody's id.
    return decoded.includes("\0") ? segment : decoded;
  } catch {
    return segment;
  }
}
