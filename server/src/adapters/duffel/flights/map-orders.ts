import { z } from "zod";
import { type Coordinates, distanceMeters } from "../../../domain/distance.ts";
import { formatDecimal, parseDecimal } from "../../../domain/money.ts";
import type {
  AirlineCredit,
  BookedService,
  Customer,
  NamedPassenger,
  NearbyAirport,
  OrderRequest,
  SupplierOrder,
} from "../../../ports/supplier/flights.ts";
import { Amount, Currency, described, describedList, Instant, Text } from "../wire.ts";
import { toConditions, WireConditions } from "./map-conditions.ts";
import { WireSlice } from "./map-slices.ts";

/** Orders, payments, credits, customers and airports, in both directions. */

/** The key of our booking id in the supplier's metadata. */
export const BOOKING_ID = "booking_id";

const WireBookedService = z.object({
  id: Text,
  type: described(z.string()),
  quantity: described(z.number()),
  passenger_ids: describedList(z.string()),
  segment_ids: describedList(z.string()),
  total_amount: Amount,
  total_currency: Currency,
  metadata: described(
    z.object({
      designator: described(z.string()),
      maximum_weight_kg: described(z.coerce.number().positive()),
    }),
  ),
});

const WireNamedPassenger = z.object({
  id: Text,
  given_name: described(z.string()),
  family_name: described(z.string()),
});

function toNamedPassenger(passenger: z.infer<typeof WireNamedPassenger>): NamedPassenger {
  const { id, given_name: givenName, family_name: familyName } = passenger;
  return { id, givenName: givenName ?? "", familyName: familyName ?? "" };
}

// An existing order is recognised even with faulty descriptive fields: only its identity, price and state (paid, cancelled) are
// strict.
export const WireOrder = z.object({
  id: Text,
  booking_reference: described(z.string()),
  offer_id: described(z.string()),
  metadata: described(z.record(z.string(), z.unknown())),
  total_amount: Amount,
  total_currency: Currency,
  tax_amount: described(Amount),
  conditions: WireConditions,
  cancelled_at: Instant.nullish(),
  cancellation: z.object({ confirmed_at: Instant.nullish() }).nullish(),
  documents: describedList(
    z.object({
      type: described(z.string()),
      unique_identifier: described(z.string()),
      passenger_ids: describedList(Text),
    }),
  ),
  payment_status: z.object({
    paid_at: Instant.nullish(),
    payment_required_by: described(Instant),
    price_guarantee_expires_at: described(Instant),
  }),
  services: describedList(WireBookedService),
  passengers: describedList(WireNamedPassenger),
  void_window_ends_at: described(Instant),
  slices: describedList(WireSlice),
});

/** An order is paid if it has `paid_at` or a document; `awaiting_payment` is false for a lapsed hold, too. */
export function toOrder(order: z.infer<typeof WireOrder>, creditAppliedAmount: string | null): SupplierOrder {
  const { documents } = order;
  const bookingId = order.metadata?.[BOOKING_ID];
  return {
    id: order.id,
    pnr: order.booking_reference ?? "",
    offerId: order.offer_id,
    bookingId: typeof bookingId === "string" ? bookingId : null,
    totalAmount: order.total_amount,
    totalCurrency: order.total_currency,
    paid: typeof order.payment_status.paid_at === "string" || documents.length > 0,
    cancelled: typeof order.cancelled_at === "string" || typeof order.cancellation?.confirmed_at === "string",
    ticketed: documents.some((document) => document.type === "electronic_ticket"),
    taxAmount: order.tax_amount ?? undefined,
    conditions: toConditions(order.conditions),
    creditAppliedAmount,
    paymentRequiredBy: order.payment_status.payment_required_by,
    priceGuaranteeExpiresAt: order.payment_status.price_guarantee_expires_at,
    services: order.services.map(toBookedService),
    slices: order.slices,
    passengers: order.passengers.map(toNamedPassenger),
    voidWindowEndsAt: order.void_window_ends_at,
    tickets: documents
      .filter(({ type }) => type === "electronic_ticket")
      .flatMap(({ unique_identifier: number }) => number ?? []),
  };
}

function toBookedService(service: z.infer<typeof WireBookedService>): BookedService {
  return {
    id: service.id,
    kind: service.type === "baggage" ? "bag" : service.type === "seat" ? "seat" : "other",
    quantity: service.quantity ?? 1,
    passengerIds: service.passenger_ids,
    segmentIds: service.segment_ids,
    designator: service.metadata?.designator ?? null,
    maximumWeightKilograms: service.metadata?.maximum_weight_kg ?? null,
    totalAmount: service.total_amount,
    totalCurrency: service.total_currency,
  };
}

export const WirePayment = z.object({
  id: Text,
  type: Text,
  amount: Amount.nullish(),
  status: z.string().nullish(),
});
type WirePayment = z.infer<typeof WirePayment>;

/** The sum of the airline credits used, or null for none. A payment without a status counts as done. */
export function creditApplied(payments: readonly WirePayment[]): string | null {
  const amounts = payments
    .filter((payment) => payment.type === "airline_credit" && (payment.status ?? "succeeded") === "succeeded")
    .map((payment) => payment.amount ?? "0");
  return sumAmounts(amounts);
}

const GIVEN_BACK: ReadonlySet<string> = new Set(["failed", "cancelled"]);

/** The sum of the payments without airline credits, or null if any of it was taken: a partial return decides nothing. */
export function returnedPayment(payments: readonly WirePayment[]): string | null {
  const money = payments.filter(({ type }) => type !== "airline_credit");
  if (!money.every(({ status }) => GIVEN_BACK.has(status ?? "succeeded"))) return null;
  return sumAmounts(money.map(({ amount }) => amount ?? "0"));
}

function sumAmounts(amounts: readonly string[]): string | null {
  if (amounts.length === 0) return null;
  const sum = amounts.reduce((total, amount) => total + (parseDecimal(amount) ?? 0n), 0n);
  return formatDecimal(sum, Math.max(...amounts.map(decimalPlaces)));
}

export function toOrderData(request: OrderRequest): Record<string, unknown> {
  const users = [...new Set(request.passengers.flatMap(({ customerUserId }) => customerUserId ?? []))];
  return {
    selected_offers: [request.offerId],
    metadata: { [BOOKING_ID]: request.bookingId },
    ...(request.services.length === 0
      ? {}
      : { services: request.services.map(({ id, quantity }) => ({ id, quantity })) }),
    ...(users.length === 0 ? {} : { users }),
    passengers: request.passengers.map((passenger) => ({
      id: passenger.id,
      title: passenger.title,
      gender: passenger.gender,
      given_name: passenger.givenName,
      family_name: passenger.familyName,
      born_on: passenger.bornOn,
      email: passenger.email,
      phone_number: passenger.phoneNumber,
      ...(passenger.customerUserId === undefined ? {} : { user_id: passenger.customerUserId }),
      ...(passenger.infantPassengerId === undefined ? {} : { infant_passenger_id: passenger.infantPassengerId }),
      ...(passenger.loyaltyAccounts.length === 0
        ? {}
        : {
            loyalty_programme_accounts: passenger.loyaltyAccounts.map((account) => ({
              airline_iata_code: account.airlineIataCode,
              account_number: account.accountNumber,
            })),
          }),
      ...(passenger.identityDocument === undefined
        ? {}
        : {
            identity_documents: [
              {
                type: "passport",
                unique_identifier: passenger.identityDocument.number,
                issuing_country_code: passenger.identityDocument.issuingCountryIso2,
                expires_on: passenger.identityDocument.expiresOn,
              },
            ],
          }),
    })),
  };
}

/** JPY has none; amounts keep the supplier's number of decimals. */
function decimalPlaces(amount: string): number {
  return (amount.split(".")[1] ?? "").length;
}

/** The rest to pay after a credit, with as many decimals as the total; null if nothing is left. */
export function remainderAfter(credit: string, total: string): string | null {
  const covered = parseDecimal(credit);
  const whole = parseDecimal(total);
  if (covered === undefined || whole === undefined) return total;
  if (covered >= whole) return null;
  return formatDecimal(whole - covered, decimalPlaces(total));
}

export const WireCredit = z.object({
  id: Text,
  airline_iata_code: Text,
  credit_amount: Amount.nullish(),
  credit_currency: Currency.nullish(),
  amount: Amount.nullish(),
  amount_currency: Currency.nullish(),
  user_id: z.string().nullish(),
  spent_at: Instant.nullish(),
  invalidated_at: Instant.nullish(),
  expires_at: z.string().nullish(),
});

export function toCredit(credit: z.infer<typeof WireCredit>, now: Temporal.Instant): AirlineCredit | undefined {
  const amount = credit.credit_amount ?? credit.amount;
  const currency = credit.credit_currency ?? credit.amount_currency;
  if (typeof amount !== "string" || typeof currency !== "string") return undefined;
  const open = typeof credit.spent_at !== "string" && typeof credit.invalidated_at !== "string";
  return {
    id: credit.id,
    airlineIataCode: credit.airline_iata_code,
    amount,
    currency,
    customerUserId: credit.user_id ?? null,
    usable: open && !isOver(credit.expires_at, now),
  };
}

/** An expiry is an instant or a date; a date counts to its end. */
function isOver(expiresAt: string | null | undefined, now: Temporal.Instant): boolean {
  if (expiresAt === null || expiresAt === undefined) return false;
  try {
    const text = /^\d{4}-\d{2}-\d{2}$/.test(expiresAt) ? `${expiresAt}T23:59:59Z` : expiresAt;
    return Temporal.Instant.compare(Temporal.Instant.from(text), now) <= 0;
  } catch {
    return true;
  }
}

export const WireCustomer = z.object({
  id: Text,
  email: Text,
  given_name: z.string(),
  family_name: z.string(),
  phone_number: z.string().nullish(),
  group: z.object({ id: Text }).nullish(),
});

export function toCustomer(customer: z.infer<typeof WireCustomer>): Customer {
  return {
    id: customer.id,
    email: customer.email,
    givenName: customer.given_name,
    familyName: customer.family_name,
    phoneNumber: customer.phone_number ?? null,
  };
}

export function toCustomerData(customer: Omit<Customer, "id">, groupId: string | undefined): Record<string, unknown> {
  return {
    email: customer.email,
    given_name: customer.givenName,
    family_name: customer.familyName,
    ...(customer.phoneNumber === null ? {} : { phone_number: customer.phoneNumber }),
    ...(groupId === undefined ? {} : { group_id: groupId }),
  };
}

const WireAirport = z.object({
  iata_code: Text,
  name: Text,
  city_name: z.string().nullish(),
  iata_country_code: Text,
  latitude: z.number(),
  longitude: z.number(),
  time_zone: z.string().nullish(),
});

/** A suggestion is an airport, or a city with its airports. */
const WireSuggestion = z.union([
  WireAirport.extend({ type: z.literal("airport") }),
  z.object({ type: z.literal("city"), airports: z.array(WireAirport).nullish() }),
]);

/** The distinct airports of the suggestions; nearest first if a position was given, else in the supplier's order. */
export function toAirports(suggestions: readonly unknown[], from: Coordinates | undefined): NearbyAirport[] {
  const airports = new Map<string, NearbyAirport>();
  // Skips the supplier's other suggestions, such as airfields without a code.
  const known = suggestions.flatMap((suggestion) => WireSuggestion.safeParse(suggestion).data ?? []);
  for (const suggestion of known) {
    for (const airport of suggestion.type === "city" ? (suggestion.airports ?? []) : [suggestion]) {
      if (airports.has(airport.iata_code)) continue;
      airports.set(airport.iata_code, {
        iataCode: airport.iata_code,
        name: airport.name,
        cityName: airport.city_name ?? null,
        countryCode: airport.iata_country_code,
        latitude: airport.latitude,
        longitude: airport.longitude,
        timeZone: airport.time_zone ?? null,
        distanceMeters: from === undefined ? null : distanceMeters(from, airport),
      });
    }
  }
  const found = [...airports.values()];
  return from === undefined ? found : found.sort((a, b) => (a.distanceMeters ?? 0) - (b.distanceMeters ?? 0));
}
