import type { z } from "zod";
import type { CabinClass, Provenance } from "../../domain/schemas.ts";
import type { ThreadTask } from "../threads.ts";

/**
 * The flight supplier. Failures are `Failure`s with these codes, which tools declare: `provider_timeout` and
 * `provider_unavailable` (nothing happened, retryable), `outcome_unknown` (a commit was sent and no answer came: look it up
 * after a quiet time, never repeat it), `offer_not_found`, `offer_expired`, `price_changed`, `order_not_found`,
 * `booking_rejected` (the supplier refused; nothing was made), `hold_not_available`, `service_not_available`,
 * `credit_not_applicable`; `invalid_input` (naming the argument) if the supplier refuses a value of a search or of a customer.
 */

export interface PrivateFare {
  corporateCode?: string;
  tourCode?: string;
  trackingReference?: string;
  accountNumber?: string;
}

export interface LoyaltyAccount {
  airlineIataCode: string;
  accountNumber: string;
}

export interface SearchPassenger {
  /** In years on the day of the last departure. Default: an adult. */
  age?: number;
  /** A leisure fare type by its name in the interface. */
  leisureFareType?: string;
  loyaltyAccounts: readonly LoyaltyAccount[];
  /** Required by suppliers together with loyalty accounts. */
  givenName?: string;
  familyName?: string;
}

export interface FlightSearch {
  origin: string;
  destination: string;
  departureDate: string;
  returnDate?: string;
  cabinClass: z.infer<typeof CabinClass>;
  passengers: readonly SearchPassenger[];
  /** Keys are airline IATA codes. */
  privateFares: Readonly<Record<string, readonly PrivateFare[]>>;
  airlineCreditIds: readonly string[];
}

export interface Segment {
  id: string;
  carrier: string;
  carrierName: string;
  /** Marketing carrier and number, such as BA117. */
  flightNumber: string;
  operatingCarrier: string;
  origin: string;
  destination: string;
  originTerminal: string | null;
  destinationTerminal: string | null;
  /** Local time at the airport, without an offset. */
  departingAt: string;
  arrivingAt: string;
  durationMinutes: number;
  aircraft: string | null;
  cabinClass: string;
  /** The first passenger's baggage. */
  baggage: readonly Baggage[];
  /** Intermediate landings under the same flight number. */
  stops: readonly Stop[];
  passengers: readonly SegmentPassenger[];
}

type Baggage = {
  type: string;
  quantity: number;
};

type Stop = {
  airport: string;
  /** Local time at the airport, without an offset. */
  arrivingAt: string;
  departingAt: string;
  durationMinutes: number | null;
};

type SegmentPassenger = {
  passengerId: string;
  cabinClass: string;
  /** Included in the fare. */
  baggage: readonly Baggage[];
  /** Such as 14C; null: none was chosen. */
  seat: string | null;
};

export interface Slice {
  id: string;
  origin: string;
  destination: string;
  durationMinutes: number;
  fareBrandName: string | null;
  /** The condition for this slice alone. Null: the airline did not say. */
  changeBeforeDeparture: Condition | null;
  segments: readonly Segment[];
}

/** A segment of an order, which may lack details from the supplier: texts are empty and numbers null then. */
export interface OrderedSegment extends Omit<Segment, "durationMinutes"> {
  durationMinutes: number | null;
}

export interface OrderedSlice extends Omit<Slice, "durationMinutes" | "segments"> {
  durationMinutes: number | null;
  segments: readonly OrderedSegment[];
}

export interface Condition {
  allowed: boolean;
  penaltyAmount: string | null;
  penaltyCurrency: string | null;
}

export interface FlightOffer {
  id: string;
  totalAmount: string;
  totalCurrency: string;
  taxAmount: string | null;
  owner: { iataCode: string; name: string };
  slices: readonly Slice[];
  /** Null: the airline did not say. */
  conditions: { refundBeforeDeparture: Condition | null; changeBeforeDeparture: Condition | null };
  paymentRequirements: {
    requiresInstantPayment: boolean;
    priceGuaranteeExpiresAt: string | null;
    paymentRequiredBy: string | null;
  };
  /** `age`: as given in the search or by the airline. */
  passengers: readonly { id: string; type: string | null; age?: number; fareType: string | null }[];
  identityDocumentsRequired: boolean;
  /** The accepted kinds of documents, in the supplier's terms, such as `passport`. Empty: the supplier does not say. */
  identityDocumentTypes: readonly string[];
  privateFares: readonly { type: string; corporateCode?: string; tourCode?: string; trackingReference?: string }[];
  availableAirlineCreditIds: readonly string[];
  totalEmissionsKg: string | null;
  /** ISO 8601 UTC. */
  expiresAt: string;
}

export interface FlightSearchResult {
  offers: readonly FlightOffer[];
  /** Requested values that the supplier does not know; stated in the answer, never dropped silently. */
  notApplied: readonly { input: string; value: string; reason: string }[];
  provenance: Provenance;
  sandbox: boolean;
}

export interface OrderPassenger {
  /** The offer's passenger id. */
  id: string;
  title: string;
  gender: "m" | "f";
  givenName: string;
  familyName: string;
  bornOn: string;
  email: string;
  phoneNumber: string;
  customerUserId?: string;
  /** The passenger id of the infant on this adult's lap. */
  infantPassengerId?: string;
  loyaltyAccounts: readonly LoyaltyAccount[];
  identityDocument?: { number: string; issuingCountryIso2: string; expiresOn: string };
}

/** A bag or a seat from `listAncillaries`. */
export interface RequestedService {
  id: string;
  quantity: number;
}

export interface BaggageService {
  id: string;
  kind: "checked" | "carry_on" | "other";
  maximumQuantity: number;
  maximumWeightKilograms: number | null;
  passengerIds: readonly string[];
  segmentIds: readonly string[];
  /** For one piece. */
  totalAmount: string;
  totalCurrency: string;
}

export interface OrderRequest {
  offerId: string;
  passengers: readonly OrderPassenger[];
  /** Booked and paid with the order. */
  services: readonly RequestedService[];
  /** Our booking id: stored in the supplier's metadata, so that an unknown outcome can be looked up. */
  bookingId: string;
  /** The total cost: the offer and the services. */
  totalAmount: string;
  totalCurrency: string;
}

export interface SupplierOrder {
  id: string;
  /** Empty: the supplier does not say it yet. */
  pnr: string;
  offerId: string | null;
  bookingId: string | null;
  totalAmount: string;
  totalCurrency: string;
  paid: boolean;
  cancelled: boolean;
  ticketed: boolean;
  /** Taxes and carrier charges, as part of the total. Undefined: the supplier does not say. */
  taxAmount?: string | undefined;
  conditions: FlightOffer["conditions"];
  /** The amount that an airline credit covered, from the supplier's records, not computed. */
  creditAppliedAmount: string | null;
  paymentRequiredBy: string | null;
  /** For an unpaid order. Null or left out: the supplier does not say. */
  priceGuaranteeExpiresAt?: string | null;
  /** Bags and seats booked with it. */
  services: readonly BookedService[];
  /** The flights that changes of the order refer to. */
  slices: readonly OrderedSlice[];
  passengers: readonly NamedPassenger[];
  /** The order can be voided until then. Null: the supplier does not say, or it cannot be voided. */
  voidWindowEndsAt: string | null;
  /** Ticket numbers. */
  tickets: readonly string[];
}

/** The persons behind an order's passenger ids. */
export type NamedPassenger = {
  id: string;
  givenName: string;
  familyName: string;
};

export interface BookedSegment {
  flightNumber: string;
  origin: string;
  destination: string;
  /** Local time at the airport, without an offset. */
  departingAt: string;
  arrivingAt: string;
}

export interface BookedService {
  /** `ser_…` */
  id: string;
  kind: "bag" | "seat" | "other";
  quantity: number;
  passengerIds: readonly string[];
  segmentIds: readonly string[];
  /** The designator of a seat, such as 14C. */
  designator: string | null;
  /** The weight of each piece of a bag. */
  maximumWeightKilograms: number | null;
  totalAmount: string;
  totalCurrency: string;
}

export interface BookedSlice {
  id: string;
  origin: string;
  destination: string;
  /** Local time at the airport, without an offset. */
  departingAt: string | null;
  segments: readonly BookedSegment[];
}

export interface AirlineCredit {
  id: string;
  airlineIataCode: string;
  amount: string;
  currency: string;
  customerUserId: string | null;
  usable: boolean;
}

export interface Customer {
  id: string;
  email: string;
  givenName: string;
  familyName: string;
  phoneNumber: string | null;
}

export interface NearbyAirport {
  iataCode: string;
  name: string;
  cityName: string | null;
  countryCode: string;
  latitude: number;
  longitude: number;
  timeZone: string | null;
  distanceMeters: number | null;
}

export interface AirportList {
  airports: readonly NearbyAirport[];
  /** The date of the data; undefined: the supplier does not say. */
  asOf: string | undefined;
}

export interface CallOptions {
  signal?: AbortSignal;
  /** The tenant or payer: owners take turns where answers are read. */
  owner?: string;
}

/**
 * Reduces the offers of a search to what is needed of them. It runs in the thread that reads them: thousands of offers take
 * long to hand over.
 */
export type OfferDigest<Ask, Digest> = ThreadTask<{ found: FlightSearchResult; ask: Ask }, Digest>;

export interface Flights {
  /** The provenance of its results. */
  readonly provenance: () => Provenance;
  readonly sandbox: boolean;
  /** How long to wait after an unknown outcome before a look-up proves that nothing happened. */
  readonly quietMilliseconds: number;
  searchOffers(query: FlightSearch, options?: CallOptions): Promise<FlightSearchResult>;
  /** Searches, and gives what the digest makes of the offers and `ask`. Both are cloned on the way. */
  digestOffers<Ask, Digest>(
    query: FlightSearch,
    digest: OfferDigest<Ask, Digest>,
    ask: Ask,
    options?: CallOptions,
  ): Promise<Digest>;
  getOffer(offerId: string, options?: CallOptions): Promise<FlightOffer>;
  /**
   * Reserves without paying. Sent once, never repeated. Refused with `hold_not_available` if the request has services: the
   * supplier books these only with an order that is paid at once.
   */
  holdOrder(request: OrderRequest): Promise<SupplierOrder>;
  /**
   * Books and pays at once, for offers that cannot be held and for part payment by a credit. Sent once, never repeated. Refused
   * with `credit_not_applicable` if a credit leaves more than `mostFromBalance` (in the order's currency) to pay.
   */
  instantOrder(
    request: OrderRequest & ({ airlineCreditId?: never } | { airlineCreditId: string; mostFromBalance: string }),
  ): Promise<SupplierOrder>;
  /** Pays a held order from the operator's balance. Sent once, never repeated. */
  payOrder(orderId: string, amount: string, currency: string): Promise<void>;
  /**
   * The bags that the airline can add to a paid order, with their own ids. The supplier sells nothing else for an existing
   * order, and not every airline adds bags.
   */
  listOrderBags(orderId: string, options?: CallOptions): Promise<readonly BaggageService[]>;
  /**
   * Adds bags of `listOrderBags` to a paid order, all or none, and pays for them from the operator's balance. Sent once, never
   * repeated; afterwards the order's services say whether it took effect.
   */
  addBags(
    orderId: string,
    bags: readonly RequestedService[],
    payment: { amount: string; currency: string },
  ): Promise<SupplierOrder>;
  getOrder(orderId: string, options?: CallOptions): Promise<SupplierOrder>;
  /** Orders made from this offer with our booking id; the look-up after an unknown outcome. */
  findOrdersByBooking(offerId: string, bookingId: string): Promise<readonly SupplierOrder[]>;
  /** Cancels an unpaid hold, to undo a booking that cannot be completed. */
  cancelUnpaidOrder(orderId: string): Promise<void>;
  getAirlineCredit(creditId: string): Promise<AirlineCredit | undefined>;
  /** All customers with the address: a supplier may have several, in separate groups. */
  findCustomersByEmail(email: string): Promise<readonly Customer[]>;
  /**
   * `customer_email_taken`: another customer has the address. `group`: creates a new group of this name with the customer, for
   * a supplier that requires unique addresses within a group only.
   */
  createCustomer(customer: Omit<Customer, "id">, options?: { group: string }): Promise<Customer>;
  /** `customer_email_taken` as above; the customer stays in its group. */
  updateCustomer(id: string, customer: Omit<Customer, "id">): Promise<Customer>;
  findAirports(
    query: { text: string } | { latitude: number; longitude: number; radiusMeters: number },
    options?: CallOptions,
  ): Promise<AirportList>;
}
