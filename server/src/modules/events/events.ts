import type { Environment } from "../../ports/identity.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "events.tenantEvents": TenantEvents;
    "events.endpoints": Endpoints;
    "events.deliveries": Deliveries;
  }
}

export interface EventOwner {
  tenantId: string;
  environment: Environment;
}

export interface EventChange extends EventOwner {
  /** For the audit log. */
  actor: string;
}

/** The type of an event that a tenant sends to one of its own endpoints. */
export const TEST_TYPE = "test";

export interface TenantEvent {
  id: string;
  type: string;
  /** `<kind>:<id>`; its events are delivered in their order. */
  resource: string;
  data: Readonly<Record<string, unknown>>;
  at: Temporal.Instant;
  /** Its place in the tenant's feed. */
  cursor: string;
}

/** Stored events, in the order in which a reader gets them. */
export interface TenantEvents {
  /** Events after the cursor, oldest first. */
  list(
    owner: EventOwner,
    page: { after: string | undefined; limit: number; types?: readonly string[] | undefined },
  ): Promise<readonly TenantEvent[]>;
  /** The place after the last event so far. */
  end(owner: EventOwner): Promise<string>;
  /** Deletes older ones, with their deliveries. */
  prune(before: Temporal.Instant): Promise<void>;
}

export interface Endpoint {
  id: string;
  url: string;
  description: string;
  /** Empty: every type. */
  types: readonly string[];
  state: "on" | "off";
  offBecause: string | undefined;
  failingSince: Temporal.Instant | undefined;
  /** The end of the former secret, while both sign. */
  formerUntil: Temporal.Instant | undefined;
  createdAt: Temporal.Instant;
  updatedAt: Temporal.Instant;
}

type EndpointFields = Pick<Endpoint, "url" | "description" | "types">;

/** Changes are audited: call them in a transaction. */
export interface Endpoints {
  /** Undefined: the tenant has the most already. */
  add(owner: EventChange, endpoint: EndpointFields & { id: string; secret: string }): Promise<Endpoint | undefined>;
  list(owner: EventOwner): Promise<readonly Endpoint[]>;
  find(owner: EventOwner, id: string): Promise<Endpoint | undefined>;
  /** Switching it on again forgets its failures. */
  change(
    owner: EventChange,
    id: string,
    change: EndpointFields & { state: "on" | "off" },
  ): Promise<Endpoint | undefined>;
  /** With the deliveries. */
  remove(owner: EventChange, id: string): Promise<boolean>;
  /** The former secret signs too, until then. */
  rotate(owner: EventChange, id: string, secret: string, formerUntil: Temporal.Instant): Promise<Endpoint | undefined>;
  /** Stores an event for this endpoint alone and returns its id. Undefined: there is no such endpoint. */
  sendTest(owner: EventOwner, id: string, data: object): Promise<string | undefined>;
}

export interface Delivery {
  eventId: string;
  type: string;
  state: "waiting" | "delivered" | "failed";
  attempts: number;
  lastAttemptAt: Temporal.Instant | undefined;
  lastStatus: number | undefined;
  lastProblem: string | undefined;
  nextAt: Temporal.Instant | undefined;
  /** For the next page. */
  position: bigint;
}

/** A delivery that this process has leased. */
export interface LeasedDelivery extends EventOwner {
  endpointId: string;
  url: string;
  /** Those that sign now, the current one first. */
  secrets: readonly string[];
  eventId: string;
  type: string;
  at: Temporal.Instant;
  data: Readonly<Record<string, unknown>>;
  traceId: string | undefined;
  /** Including this one. */
  attempts: number;
  firstAttemptAt: Temporal.Instant;
}

export interface Attempt {
  at: Temporal.Instant;
  status: number | undefined;
  problem: string | undefined;
}

export interface Deliveries {
  /** Newest first. */
  list(
    endpointId: string,
    page: { before: bigint | undefined; limit: number; state?: Delivery["state"] | undefined },
  ): Promise<readonly Delivery[]>;
  /**
   * Leases due deliveries, at most so many of an endpoint, each only after earlier ones of its resource have ended.
   * `busy`: endpoints that get no more now.
   */
  take(lease: {
    until: Temporal.Instant;
    limit: number;
    perEndpoint: number;
    busy: readonly string[];
  }): Promise<readonly LeasedDelivery[]>;
  delivered(delivery: LeasedDelivery, attempt: Attempt): Promise<void>;
  /** Schedules it again, and what waits behind it; the whole endpoint rests if `restUntil` says so. */
  failedOnce(
    delivery: LeasedDelivery,
    attempt: Attempt,
    next: { at: Temporal.Instant; restUntil: (failures: number) => Temporal.Instant | undefined },
  ): Promise<{ failingSince: Temporal.Instant }>;
  /** Ends it, and switches the endpoint off with all that waits for it. False: it was off already. */
  giveUp(delivery: LeasedDelivery, attempt: Attempt, because: string): Promise<boolean>;
  /** Makes events due again that the endpoint may get, at most `limit`; returns how many. */
  replay(
    owner: EventOwner,
    endpointId: string,
    which: { eventIds: readonly string[] } | { since: Temporal.Instant; until: Temporal.Instant },
    limit: number,
  ): Promise<number>;
}
