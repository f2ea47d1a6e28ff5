import { Failure } from "../../../domain/errors.ts";
import { formatDecimal, parseDecimal } from "../../../domain/money.ts";
import type { FlightServicing } from "../../../ports/supplier/flight-servicing.ts";
import type { Flights, SupplierOrder } from "../../../ports/supplier/flights.ts";
import {
  type AskedService,
  type Booking,
  type BookingStorage,
  inUsdc,
  priceOfServices,
  type RatePorts,
  requireRate,
} from "../../bookings/index.ts";
import type { Stores } from "../context.ts";
import { getOwnOffer } from "../offers/private-offers.ts";
import { toAskedServices } from "../services/asked-services.ts";
import { asSeen } from "../services/see-services.ts";
import type { AskedFlight, FlightCaller } from "./asked-flight.ts";

export interface PaymentPorts extends BookingStorage, RatePorts {
  stores: Stores;
  flights: Flights;
  flightServicing: Pick<FlightServicing, "priceServices">;
}

type PaymentRequest = Pick<AskedFlight, "offerId" | "services"> & { caller: FlightCaller };

/** Runs all checks before a held order is paid; changes nothing. */
export async function checkPayment(ports: PaymentPorts, { caller, offerId, services }: PaymentRequest, held: Booking) {
  const order = await readHeld(ports, held);
  const askedServices = services.length === 0 ? [] : await priceBags(ports, { caller, offerId, services }, order);
  const { totalCurrency } = order;
  const total = (parseDecimal(order.totalAmount) ?? 0n) + priceOfServices(askedServices);
  const totalAmount = formatDecimal(total);
  const rate = await requireRate(ports, caller.environment, totalCurrency, held.rate);
  const amountMicroUsdc = inUsdc(totalAmount, totalCurrency, rate) ?? 0n;
  return { amountMicroUsdc, totalAmount, totalCurrency, rate, askedServices };
}

/** The order, if it can be paid at the price of the hold. */
async function readHeld({ flights, clock }: PaymentPorts, held: Booking): Promise<SupplierOrder> {
  const { orderId = "", holdUntil, totalAmount: heldAmount, totalCurrency: heldCurrency } = held;
  const isLate = holdUntil !== undefined && Temporal.Instant.compare(holdUntil, clock.now()) <= 0;
  const order = isLate ? undefined : await unlessGone(flights.getOrder(orderId));
  if (order === undefined || order.cancelled) {
    throw new Failure("offer_expired", {
      detail: `The airline no longer holds order ${orderId}. Nothing is owed; search again.`,
      extra: { orderId },
    });
  }
  const { totalAmount, totalCurrency } = order;
  const [now, then] = [parseDecimal(totalAmount), parseDecimal(heldAmount)];
  if (now === undefined || then === undefined) throw new Error(`the order ${orderId} asks ${totalAmount}`);
  if (totalCurrency !== heldCurrency || now > then) {
    throw new Failure("price_changed", {
      detail: `The held order ${orderId} now costs ${totalAmount} ${totalCurrency}; it was ${heldAmount} ${heldCurrency} when it was held. Nothing is owed. It stays held: use cancel_order_quote to give it up.`,
      extra: { orderId, totalAmount, totalCurrency, seenAmount: heldAmount, seenCurrency: heldCurrency },
    });
  }
  return order;
}

async function unlessGone<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Failure && error.code === "order_not_found") return undefined;
    throw error;
  }
}

const OFFER_GONE: ReadonlySet<string> = new Set(["offer_expired", "offer_not_found"]);

/**
 * The services that can be added to the order after its payment, at the prices shown to the tenant, as the offer may
 * have expired since. An airline sells seats only with the order itself.
 */
async function priceBags(
  ports: PaymentPorts,
  { caller, offerId, services }: PaymentRequest,
  { id: orderId, totalCurrency }: SupplierOrder,
): Promise<readonly AskedService[]> {
  const seen = await ports.stores.seenOffers.find(caller, offerId);
  const shown = seen?.totalCurrency === totalCurrency ? asSeen(seen, services) : undefined;
  const asked = shown ?? (await readPrices(ports, { caller, offerId, services }, { orderId, totalCurrency }));
  const seats = asked.filter(({ kind }) => kind === "seat");
  if (seats.length > 0) throw notAddable(orderId, "Seats cannot be added to a held order", seats);
  return asked;
}

/** For an offer whose services the tenant was not shown. */
async function readPrices(
  { flights, flightServicing, stores }: PaymentPorts,
  { caller, offerId, services }: PaymentRequest,
  { orderId, totalCurrency }: { orderId: string; totalCurrency: string },
): Promise<AskedService[]> {
  try {
    const offer = await getOwnOffer({ flights, privateOffers: stores.privateOffers }, caller, offerId);
    const priced = await flightServicing.priceServices(offerId, services);
    if (priced.totalCurrency === totalCurrency) return toAskedServices(offer.slices, priced.services);
  } catch (error) {
    if (!(error instanceof Failure) || !OFFER_GONE.has(error.code)) throw error;
    throw notAddable(orderId, "The offer has expired, and you had not seen its bags", services);
  }
  throw notAddable(orderId, "The bags are sold in a different currency from the order", services);
}

function notAddable(orderId: string, why: string, services: readonly { id: string }[]): Failure {
  return new Failure("service_not_available", {
    detail: `${why}. Nothing was paid, and order ${orderId} stays held: call book_flight without these services to pay for it, or give it up with cancel_order_quote and book another offer with them.`,
    extra: { orderId, services: services.map(({ id }) => id) },
  });
}
