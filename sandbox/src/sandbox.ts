import type { Hono } from "hono";
import type { Clock } from "./clock.ts";
import type { Network } from "./inventory/network.ts";
import type { Database } from "./storage/database.ts";

export const BUSINESS_FAULTS = [
  "price_changed",
  "offer_expired",
  "ticketing_failed",
  "ticketing_delayed",
  "sold_out",
  "insufficient_balance",
  "accepted_then_done",
  "accepted_then_failed",
  "service_taken",
  "refund_as_credit",
] as const;
export const TRANSPORT_FAULTS = [
  "timeout",
  "http_500",
  "http_503",
  "rate_limited",
  "reset_after_effect",
  "truncated_json",
  "hostile_texts",
  "late_effect",
  "not_enabled",
  "numeric_code",
  "airline_unknown",
] as const;
export type FaultKind = (typeof BUSINESS_FAULTS)[number] | (typeof TRANSPORT_FAULTS)[number];
export type Fault = { readonly kind: FaultKind; readonly delayMs: number };

/** The part of a fault that waits until tickets are issued. */
export function ticketingFault(fault: Fault | undefined): Fault | undefined {
  return fault?.kind === "ticketing_failed" || fault?.kind === "ticketing_delayed" ? fault : undefined;
}

/** The shared state of every part of the supplier. */
export type Sandbox = {
  readonly db: Database;
  readonly clock: Clock;
  readonly seed: string;
  readonly network: Network;
  /** Tells the workers that something may be due. */
  wake(): void;
};

export type Env = {
  Bindings: { fault: Fault | undefined; baseUrl: string; remoteAddress: string };
  Variables: { requestId: string };
};
export type Router = Hono<Env>;
