import { setTimeout as delay } from "node:timers/promises";
import { Failure } from "../../../domain/errors.ts";
import type { Environment } from "../../../ports/identity.ts";
import type { Customer, Flights } from "../../../ports/supplier/flights.ts";
import type { Bookings } from "../../bookings/index.ts";
import type { Travelers } from "../../travelers/index.ts";

export interface CustomerPorts {
  flights: Flights;
  travelers: Travelers;
  bookings: Bookings;
}

export interface Who {
  tenantId: string;
  userId: string;
  environment: Environment;
}

const LEASE_SECONDS = 30;
const POLL_MILLISECONDS = 50;
const POLLS = 200;

/**
 * The user's customer at the supplier: the linked one, else one that this service made for the user, else a new one.
 * The supplier has no upsert, so one process at a time does this for an e-mail address; a lease that its holder cannot
 * return expires. The supplier's existing customers with the same name and e-mail address are not taken over: a profile
 * proves neither, and a customer has airline credits.
 */
export async function ensureCustomer(
  ports: CustomerPorts,
  who: Who,
  details: Omit<Customer, "id">,
  holder: string,
): Promise<{ customerUserId: string; created: boolean }> {
  const { travelers, bookings } = ports;
  const linked = await travelers.findCustomerUserId(who.tenantId, who.userId, who.environment);
  if (linked !== undefined) return { customerUserId: linked, created: false };

  const email = details.email.toLowerCase();
  await lease(bookings, who.environment, email, holder);
  try {
    const meanwhile = await travelers.findCustomerUserId(who.tenantId, who.userId, who.environment);
    if (meanwhile !== undefined) return { customerUserId: meanwhile, created: false };
    const found = await adopt(ports, who, details);
    const customerUserId = found ?? (await create(ports, who, details, holder));
    await travelers.linkCustomer(who.tenantId, who.userId, who.environment, customerUserId);
    return { customerUserId, created: found === undefined };
  } finally {
    await bookings.endCustomerLease(who.environment, email, holder);
  }
}

async function lease(bookings: Bookings, environment: Environment, email: string, holder: string): Promise<void> {
  for (let poll = 0; poll < POLLS; poll += 1) {
    if (await bookings.leaseCustomer(environment, email, holder, LEASE_SECONDS)) return;
    await delay(POLL_MILLISECONDS);
  }
  throw new Failure("customer_in_progress", {
    detail: "Another call is creating a customer user for this traveler. Call again in a few seconds.",
    retryAfterSeconds: 5,
  });
}

/** A customer that this service made for the same user, but whose link was not stored. */
async function adopt(ports: CustomerPorts, who: Who, details: Omit<Customer, "id">): Promise<string | undefined> {
  for (const { id } of await ports.flights.findCustomersByEmail(details.email)) {
    if (await ports.bookings.isOwnCustomer(who.environment, id, who.tenantId, who.userId)) return id;
  }
  return undefined;
}

/**
 * A supplier may allow each e-mail address once, and another tenant's traveler may have the same address: then the
 * customer is made in a separate group, named after this call.
 */
async function create(
  { flights, bookings }: CustomerPorts,
  who: Who,
  details: Omit<Customer, "id">,
  group: string,
): Promise<string> {
  const { id } = await flights.createCustomer(details).catch((error: unknown) => {
    if (!isEmailTaken(error)) throw error;
    return flights.createCustomer(details, { group });
  });
  if (!(await bookings.ownCustomer(who.environment, id, who.tenantId, who.userId))) {
    throw new Error("the supplier gave a new customer an id that another user has");
  }
  return id;
}

export function isEmailTaken(error: unknown): boolean {
  return error instanceof Failure && error.code === "customer_email_taken";
}
