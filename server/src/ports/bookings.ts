import type { Micro } from "../domain/money.ts";

/**
 * intended: stored, nothing sent yet · ordering: the order was or may have been sent · held: the supplier reserved it, unpaid ·
 * paying: the payment was or may have been sent · booked: paid · failed: nothing is owed, nothing is held.
 */
export type BookingState = "intended" | "ordering" | "held" | "paying" | "booked" | "failed";

export interface Booking {
  /** `bkg_…`; kept in the supplier's metadata. */
  id: string;
  tenantId: string;
  network: "sandbox" | "production";
  userId: string;
  callId: string;
  kind: "flight" | "stay";
  offerId: string;
  state: BookingState;
  amountMicroUsdc: Micro;
  totalAmount: string;
  totalCurrency: string;
  orderId: string | undefined;
  pnr: string | undefined;
  ticketing: "pending" | "ticketed" | undefined;
  /** What the caller got, or the code it failed with. */
  result: unknown;
  failureCode: string | undefined;
  /** The process that works on it and when it last said so; another one takes over when this goes stale. */
  workerId: string | undefined;
  workerSeenAt: Temporal.Instant | undefined;
  /** When the last commit was sent whose outcome is not known. */
  sentAt: Temporal.Instant | undefined;
  createdAt: Temporal.Instant;
  updatedAt: Temporal.Instant;
}

/** Booking records. At most one booking per tenant, network and offer is not `failed`. */
export interface Bookings {
  /** Undefined when the tenant already has a live booking of this offer; `findLive` returns that one. */
  insert(
    booking: Pick<
      Booking,
      | "id"
      | "tenantId"
      | "network"
      | "userId"
      | "callId"
      | "kind"
      | "offerId"
      | "amountMicroUsdc"
      | "totalAmount"
      | "totalCurrency"
      | "workerId"
    > & { request: unknown },
  ): Promise<Booking | undefined>;
  findLive(tenantId: string, network: string, offerId: string): Promise<Booking | undefined>;
  get(id: string): Promise<(Booking & { request: unknown }) | undefined>;
  /** Guarded by the state it expects: false when the booking was elsewhere, and nothing changed. */
  advance(
    id: string,
    from: BookingState,
    to: BookingState,
    change?: Partial<Pick<Booking, "orderId" | "pnr" | "ticketing" | "result" | "failureCode" | "sentAt" | "callId">>,
  ): Promise<boolean>;
  /** Takes over bookings that are not final and whose worker has been silent for `staleSeconds`; at most `limit`. */
  claimStale(
    workerId: string,
    staleSeconds: number,
    limit: number,
  ): Promise<readonly (Booking & { request: unknown })[]>;
}
