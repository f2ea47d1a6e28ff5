import type {
  BaggageService,
  BookedSegment,
  BookedService,
  CallOptions,
  Condition,
  NamedPassenger,
  OrderedSlice,
  RequestedService,
  Slice,
} from "./flights.ts";

/**
 * Everything that can be done with an offer or an order besides booking it. Failures as in `ports/supplier/flights.ts`, and:
 * `order_not_found`, `cancellation_not_found`, `change_offer_not_found`, `change_not_found`, `order_not_changeable` and
 * `order_not_cancellable` (the airline or the fare does not allow it), `cancellation_expired`, `cancellation_stale` (a newer
 * quote replaced it, or the order has changed since), `change_expired` (the change or its offer), `already_cancelled`,
 * `already_confirmed`, `price_changed`, `outcome_unknown` (a commit was sent and no answer came: look it up, never repeat it).
 */

export interface SeatService {
  /** The service id for `book_flight`; for one passenger on one segment. */
  id: string;
  passengerId: string;
  segmentId: string;
  /** Such as 14C. */
  designator: string;
  cabinClass: string | null;
  position: "window" | "middle" | "aisle" | null;
  isExitRow: boolean;
  /** The airline's remarks, and who may sit there. */
  airlineSays: readonly string[];
  totalAmount: string;
  totalCurrency: string;
}

interface Ancillaries {
  bags: readonly BaggageService[];
  /** Free seats, cheapest first within a segment; empty also if the airline gives no seat map. */
  seats: readonly SeatService[];
  /** Whether the airline gave a seat map. */
  hasSeatMap: boolean;
}

/** The cost of services in addition to their offer, at the supplier's displayed prices. */
export interface PricedServices {
  servicesAmount: string;
  /** The price of an order with the offer and the services. */
  totalAmount: string;
  totalCurrency: string;
  services: readonly PricedService[];
}

export interface PricedService extends RequestedService {
  kind: "bag" | "seat";
  totalAmount: string;
  /** The price of a seat, or of one piece of a bag. */
  eachAmount: string;
  passengerIds: readonly string[];
  segmentIds: readonly string[];
  /** For a bag. */
  bag: Pick<BaggageService, "kind" | "maximumWeightKilograms"> | null;
}

interface OrderDocument {
  type: string;
  number: string;
  passengerIds: readonly string[];
}

/** An order as the supplier has it now. */
export interface OrderDetails {
  id: string;
  pnr: string;
  bookingId: string | null;
  owner: { iataCode: string; name: string };
  totalAmount: string;
  totalCurrency: string;
  paid: boolean;
  cancelledAt: string | null;
  ticketed: boolean;
  documents: readonly OrderDocument[];
  slices: readonly OrderedSlice[];
  conditions: { refundBeforeDeparture: Condition | null; changeBeforeDeparture: Condition | null };
  passengers: readonly NamedPassenger[];
  services: readonly BookedService[];
  /** The order can be voided until then. Null: the supplier does not say, or it cannot be voided. */
  voidWindowEndsAt: string | null;
  /** The airline's unanswered changes: the flights before and after. */
  airlineChanges: readonly {
    id: string;
    detectedAt: string | null;
    actionTaken: string | null;
    removed: readonly BookedSegment[];
    added: readonly BookedSegment[];
  }[];
  availableActions: readonly string[];
}

interface IssuedCredit {
  /** Null: not issued yet, or the supplier does not say. */
  id: string | null;
  airlineIataCode: string | null;
  amount: string | null;
  currency: string | null;
  code: string | null;
  passengerId: string | null;
}

export interface CancellationQuote {
  /** `ore_…` */
  id: string;
  orderId: string;
  refundAmount: string | null;
  refundCurrency: string | null;
  /** The supplier's term: balance, airline_credits, awaiting_payment, original_form_of_payment, … Null: it does not say. */
  refundTo: string | null;
  credits: readonly IssuedCredit[];
  /** ISO 8601 UTC. Null: it does not expire. */
  expiresAt: string | null;
  confirmedAt: string | null;
}

export interface ChangeSlices {
  add: readonly { origin: string; destination: string; departureDate: string; cabinClass?: string }[];
  remove: readonly { sliceId: string }[];
}

export interface ChangeOffer {
  /** `oco_…` */
  id: string;
  /** The difference to pay: below zero it is given back. Only the changed order has its new price. */
  changeTotalAmount: string;
  changeTotalCurrency: string;
  penaltyAmount: string | null;
  penaltyCurrency: string | null;
  refundTo: string | null;
  expiresAt: string | null;
  slices: { add: readonly Slice[]; remove: readonly OrderedSlice[] };
}

interface ChangeRequest {
  /** `ocr_…` */
  id: string;
  orderId: string;
  offers: readonly ChangeOffer[];
}

export interface OrderChange extends Omit<ChangeOffer, "slices"> {
  /** `oce_…` */
  id: string;
  orderId: string;
  confirmedAt: string | null;
  /** The flights that the change removes and adds. Null: the supplier does not say. */
  slices: { add: readonly OrderedSlice[]; remove: readonly OrderedSlice[] } | null;
}

/** A change that the airline made itself. */
export interface AirlineChange {
  /** `aic_…` */
  id: string;
  orderId: string;
  /** Null: not yet answered. */
  answer: "accepted" | "cancelled" | "changed" | null;
  answeredAt: string | null;
  removed: readonly OrderedSlice[];
  /** Empty: the airline cancelled the flights. */
  added: readonly OrderedSlice[];
}

export interface FlightServicing {
  listAncillaries(offerId: string, options?: CallOptions): Promise<Ancillaries>;
  /** Fails with `service_not_available` if the offer lacks some of them in these quantities. */
  priceServices(offerId: string, services: readonly RequestedService[], options?: CallOptions): Promise<PricedServices>;
  getOrderDetails(orderId: string, options?: CallOptions): Promise<OrderDetails>;
  /**
   * The amount that the supplier returned to the operator's balance for an order that ended: all its payments are `failed` or
   * `cancelled`. Null while any of them succeeded or is pending, and if the balance paid nothing.
   */
  getReturnedPayment(orderId: string, options?: CallOptions): Promise<string | null>;
  /** Quotes are free, and a new one makes the previous one stale. */
  quoteCancellation(orderId: string): Promise<CancellationQuote>;
  getCancellation(cancellationId: string, options?: CallOptions): Promise<CancellationQuote>;
  /** Sent once, never repeated; afterwards `getCancellation` says whether it took effect. */
  confirmCancellation(cancellationId: string): Promise<CancellationQuote>;
  requestChange(orderId: string, slices: ChangeSlices): Promise<ChangeRequest>;
  getChangeOffer(changeOfferId: string, options?: CallOptions): Promise<ChangeOffer & { orderId: string | null }>;
  /** Turns an offer into a pending change; free. */
  selectChangeOffer(changeOfferId: string): Promise<OrderChange>;
  getChange(changeId: string, options?: CallOptions): Promise<OrderChange>;
  /**
   * Sent once, never repeated; afterwards `getChange` says whether it took effect. `payment`: required if there is something to
   * pay.
   */
  confirmChange(changeId: string, payment: { amount: string; currency: string } | undefined): Promise<OrderChange>;
  /** Fails with `change_not_found`. */
  getAirlineChange(orderId: string, changeId: string, options?: CallOptions): Promise<AirlineChange>;
  /** Sent once, never repeated; afterwards `getAirlineChange` says whether it took effect. */
  acceptAirlineChange(changeId: string): Promise<AirlineChange>;
  /** The customer's credits, newest first. */
  listAirlineCredits(
    customerUserId: string,
    limit: number,
    options?: CallOptions,
  ): Promise<readonly AirlineCreditDetails[]>;
}

export interface AirlineCreditDetails {
  id: string;
  airlineIataCode: string;
  amount: string;
  currency: string;
  code: string | null;
  name: string | null;
  customerUserId: string | null;
  orderId: string | null;
  issuedOn: string | null;
  expiresAt: string | null;
  spentAt: string | null;
  invalidatedAt: string | null;
  /** Neither spent, invalidated nor expired. */
  usable: boolean;
}
