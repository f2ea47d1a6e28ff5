import { Failure } from "../../domain/errors.ts";
import { hasScope } from "../../domain/scopes.ts";
import type { Caller } from "../../kernel/contracts/tool.ts";
import type { AirlineCreditDetails, FlightServicing } from "../../ports/supplier/flight-servicing.ts";
import type { Travelers } from "../travelers/index.ts";
import type { Stores } from "./context.ts";
import { listCredits } from "./list-credits.ts";

const SOON_DAYS = 60;
const MOST_SHOWN = 20;
const MOST_READ = 50;
/** The report is answered without them if the supplier takes longer. */
const WAIT_MILLISECONDS = 3_000;

export interface ExpiringPorts {
  stores: Pick<Stores, "orders">;
  flightServicing: FlightServicing;
  travelers: Travelers;
}

/** Usable airline credits of the tenant's customers. Asks the supplier only if our records know an unused credit. */
export async function listUsableCredits(
  { stores, flightServicing, travelers }: ExpiringPorts,
  caller: Caller,
): Promise<readonly AirlineCreditDetails[]> {
  if (!hasScope(caller.scopes, "flights:read")) return [];
  if (!(await stores.orders.hasUnusedCredits(caller.tenantId, caller.environment))) return [];
  const query = { userId: undefined, customerUserId: undefined, limit: MOST_READ };
  const signal = AbortSignal.timeout(WAIT_MILLISECONDS);
  const credits = await listCredits({ flightServicing, travelers }, caller, query, { signal }).catch(nothingIfAway);
  return credits.filter(({ usable }) => usable);
}

/** The same that expire soon, earliest first. */
export async function listExpiringCredits(ports: ExpiringPorts, caller: Caller, now: Temporal.Instant) {
  const credits = await listUsableCredits(ports, caller);
  const until = now.add({ hours: SOON_DAYS * 24 }).toString();
  return credits
    .filter(({ expiresAt }) => expiresAt !== null && expiresAt <= until)
    .toSorted((left, right) => (left.expiresAt ?? "").localeCompare(right.expiresAt ?? ""))
    .slice(0, MOST_SHOWN)
    .map(({ id, airlineIataCode, amount, currency, expiresAt }) => ({
      airlineCreditId: id,
      airlineIataCode,
      amount,
      currency,
      expiresAt,
    }));
}

function nothingIfAway(error: unknown): [] {
  if (error instanceof Failure) return [];
  throw error;
}
