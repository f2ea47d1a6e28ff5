import type { Clock } from "../ports/clock.ts";
import type { Orders } from "../ports/orders.ts";
import type { Travelers } from "../ports/travelers.ts";
import type { Usage } from "../ports/usage.ts";
import type { Routes } from "./hosts.ts";
import type { HttpRequest } from "./http.ts";
import { readJsonObject } from "./json-body.ts";
import { listOrders, readOrder } from "./orders.ts";
import {
  listOrdersOperation,
  readOrderOperation,
  readTravelerOperation,
  readUsageOperation,
  writeTravelerOperation,
} from "./resource-operations.ts";
import { resourceRoute, type SignedExchange } from "./signed-exchange.ts";
import { readTraveler, writeTraveler } from "./travelers.ts";
import { readUsage } from "./usage.ts";

/** The tenant's own records, keyed: orders, traveler profiles and usage. */
export function resourceRoutes(options: {
  exchange: SignedExchange;
  travelers: Travelers;
  usage: Usage;
  orders: Orders;
  clock: Clock;
}): Routes {
  const { exchange, travelers, usage, orders, clock } = options;
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

function lastSegment(request: HttpRequest): string {
  const segment = request.path.slice(request.path.lastIndexOf("/") + 1);
  try {
    const decoded = decodeURIComponent(segment);
    // What storage cannot hold is nobody's id.
    return decoded.includes("\0") ? segment : decoded;
  } catch {
    return segment;
  }
}
