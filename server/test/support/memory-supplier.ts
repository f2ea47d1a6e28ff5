import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { Failure } from "../../src/domain/errors.ts";
import { formatDecimal, parseDecimal } from "../../src/domain/money.ts";
import type { FlightServicing } from "../../src/ports/supplier/flight-servicing.ts";
import type {
  AirlineCredit,
  BookedService,
  Customer,
  FlightOffer,
  FlightSearch,
  FlightSearchResult,
  Flights,
  NearbyAirport,
  OrderRequest,
  RequestedService,
  SupplierOrder,
} from "../../src/ports/supplier/flights.ts";
import { slice } from "./offers.ts";

/** How the next request of a kind goes wrong. Anything else than these words is the code of a refusal without effect. */
export type Fault = "lost_before_effect" | "lost_after_effect" | "late_effect" | "garbled_after_effect" | (string & {});
export type Request = "order" | "payment" | "addition" | "lookup" | "cancellation";

interface StoredOrder extends SupplierOrder {
  bookingId: string;
}

/** Long enough that calls which nothing keeps apart meet each other here. */
const CUSTOMER_ANSWER_MILLISECONDS = 25;

/** The passenger and the flight of every bag. */
const PLACE = { passengerIds: ["pas_1"], segmentIds: ["seg_1"] } as const;
/** The prefix of ids of bags that an order can still get. */
const ADDED = "added_";

const provenance = () =>
  ({ source: "memory-supplier", sourceLevel: "embedded", asOf: "2026-11-20T10:00:00Z" }) as const;

/** A supplier whose records outlive what happens to its answers: an outside system behind the Flights port. */
export function createMemorySupplier(options: { quietMilliseconds: number }) {
  const offers = new Map<string, FlightOffer>();
  const orders: StoredOrder[] = [];
  const payments: { orderId: string; amount: string }[] = [];
  const credits = new Map<string, AirlineCredit>();
  /** Prices of bags by their ids, the same for every offer. */
  const services = new Map<string, string>();
  const customers: Customer[] = [];
  const searches: FlightSearch[] = [];
  const requests: OrderRequest[] = [];
  const faults: Record<Request, Fault[]> = { order: [], payment: [], addition: [], lookup: [], cancellation: [] };
  /** `emailsOnce`: an address is had once even if its customers are in groups of their own. */
  const rules = { emailsOnce: false };
  const withEmail = (email: string) => customers.filter((one) => one.email.toLowerCase() === email.toLowerCase());
  const late: (() => void)[] = [];
  const counts = { order: 0, payment: 0, addition: 0, customer: 0 };
  let found: readonly FlightOffer[] = [];
  let airports: readonly NearbyAirport[] = [];
  let gate: Promise<void> | undefined;

  async function perform<T>(request: Request, effect: () => T): Promise<T> {
    await gate;
    const fault = faults[request].shift();
    if (fault === undefined) return effect();
    if (fault === "lost_before_effect") throw new Failure("outcome_unknown");
    if (fault === "late_effect") {
      late.push(() => {
        effect();
      });
      throw new Failure("outcome_unknown");
    }
    if (fault === "lost_after_effect" || fault === "garbled_after_effect") {
      effect();
      throw fault === "lost_after_effect" ? new Failure("outcome_unknown") : new SyntaxError("Unexpected end of JSON");
    }
    throw new Failure(fault);
  }

  function store(request: OrderRequest, paid: boolean, creditAppliedAmount: string | null): StoredOrder {
    counts.order += 1;
    requests.push(request);
    const order: StoredOrder = {
      id: `ord_${orders.length + 1}`,
      pnr: `ZZ${String(orders.length + 1).padStart(4, "0")}`,
      offerId: request.offerId,
      bookingId: request.bookingId,
      totalAmount: request.totalAmount,
      totalCurrency: request.totalCurrency,
      paid,
      cancelled: false,
      ticketed: false,
      conditions: { refundBeforeDeparture: null, changeBeforeDeparture: null },
      creditAppliedAmount,
      paymentRequiredBy: paid ? null : "2026-11-21T10:00:00Z",
      services: request.services.map((service) => toBooked(service, request.totalCurrency)),
      slices: [slice()],
      passengers: [],
      voidWindowEndsAt: null,
      tickets: [],
    };
    orders.push(order);
    return order;
  }

  function toBooked({ id, quantity }: RequestedService, totalCurrency: string): BookedService {
    const each = parseDecimal(services.get(id) ?? "0") ?? 0n;
    return {
      id: `booked_${id}`,
      kind: "bag",
      quantity,
      ...PLACE,
      designator: null,
      maximumWeightKilograms: null,
      totalAmount: formatDecimal(BigInt(quantity) * each),
      totalCurrency,
    };
  }

  function requireOrder(orderId: string): StoredOrder {
    const order = orders.find(({ id }) => id === orderId);
    if (order === undefined) throw new Failure("order_not_found");
    return order;
  }

  async function searchOffers(query: FlightSearch): Promise<FlightSearchResult> {
    searches.push(query);
    return { offers: found, notApplied: [], provenance: provenance(), sandbox: true };
  }

  const flights: Flights = {
    provenance,
    sandbox: true,
    quietMilliseconds: options.quietMilliseconds,
    searchOffers,
    digestOffers: async (query, digest, ask) => await digest.run({ found: await searchOffers(query), ask }),
    async getOffer(offerId) {
      const offer = offers.get(offerId);
      if (offer === undefined) throw new Failure("offer_not_found");
      return offer;
    },
    holdOrder: (request) =>
      perform("order", () => {
        if (offers.get(request.offerId)?.paymentRequirements.requiresInstantPayment === true) {
          throw new Failure("hold_not_available");
        }
        return { ...store(request, false, null) };
      }),
    instantOrder: (request) =>
      perform("order", () => {
        const total = parseDecimal(request.totalAmount) ?? 0n;
        const credit = credits.get(request.airlineCreditId ?? "");
        const available = parseDecimal(credit?.amount ?? "0") ?? 0n;
        const covered = available < total ? available : total;
        if (credit !== undefined) credits.set(credit.id, { ...credit, usable: false });
        const order = store(request, true, credit === undefined ? null : formatDecimal(covered));
        if (total > covered) pay(order.id, formatDecimal(total - covered));
        return { ...order };
      }),
    payOrder: (orderId, amount) =>
      perform("payment", () => {
        counts.payment += 1;
        const order = requireOrder(orderId);
        if (order.paid) return;
        if (order.cancelled) throw new Failure("offer_expired");
        order.paid = true;
        pay(orderId, amount);
      }),
    async listOrderBags(orderId) {
      const { paid, totalCurrency } = requireOrder(orderId);
      if (!paid) return [];
      return [...services].map(([id, totalAmount]) => ({
        id: `${ADDED}${id}`,
        kind: "checked",
        maximumQuantity: 2,
        maximumWeightKilograms: null,
        ...PLACE,
        totalAmount,
        totalCurrency,
      }));
    },
    addBags: (orderId, bags, payment) =>
      perform("addition", () => {
        counts.addition += 1;
        const order = requireOrder(orderId);
        const added = bags.map(({ id, quantity }) =>
          toBooked({ id: id.slice(ADDED.length), quantity }, payment.currency),
        );
        order.services = [...order.services, ...added];
        order.totalAmount = formatDecimal(
          (parseDecimal(order.totalAmount) ?? 0n) + (parseDecimal(payment.amount) ?? 0n),
        );
        pay(orderId, payment.amount);
        return { ...order };
      }),
    getOrder: (orderId) => perform("lookup", () => ({ ...requireOrder(orderId) })),
    findOrdersByBooking: (offerId, bookingId) =>
      perform("lookup", () =>
        orders
          .filter((order) => order.offerId === offerId && order.bookingId === bookingId)
          .map((order) => ({ ...order })),
      ),
    cancelUnpaidOrder: (orderId) =>
      perform("cancellation", () => {
        const order = requireOrder(orderId);
        if (order.paid) throw new Failure("booking_rejected");
        order.cancelled = true;
      }),
    async getAirlineCredit(creditId) {
      return credits.get(creditId);
    },
    async findCustomersByEmail(email) {
      await delay(CUSTOMER_ANSWER_MILLISECONDS);
      return withEmail(email);
    },
    async createCustomer(customer, options) {
      const group = options?.group;
      await delay(CUSTOMER_ANSWER_MILLISECONDS);
      // An address is had once in a group, or once at all.
      const isFree = group !== undefined && !rules.emailsOnce;
      if (!isFree && withEmail(customer.email).length > 0) throw new Failure("customer_email_taken");
      counts.customer += 1;
      const created = { ...customer, id: `icu_${randomUUID()}` };
      customers.push(created);
      return created;
    },
    async updateCustomer(id, customer) {
      const updated = { ...customer, id };
      customers.splice(
        customers.findIndex((one) => one.id === id),
        1,
        updated,
      );
      return updated;
    },
    async findAirports() {
      return { airports, asOf: undefined };
    },
  };

  const flightServicing: Pick<FlightServicing, "priceServices"> = {
    async priceServices(offerId, wanted) {
      const { totalAmount, totalCurrency } = await flights.getOffer(offerId);
      const priced = wanted.map(({ id, quantity }) => {
        const price = parseDecimal(services.get(id) ?? "");
        if (price === undefined) throw new Failure("service_not_available");
        return {
          id,
          quantity,
          kind: "bag" as const,
          amount: price * BigInt(quantity),
          eachAmount: formatDecimal(price),
          ...PLACE,
          bag: { kind: "checked" as const, maximumWeightKilograms: null },
        };
      });
      const sum = priced.reduce((total, { amount }) => total + amount, 0n);
      return {
        servicesAmount: formatDecimal(sum),
        totalAmount: formatDecimal((parseDecimal(totalAmount) ?? 0n) + sum),
        totalCurrency,
        services: priced.map(({ amount, ...service }) => ({ ...service, totalAmount: formatDecimal(amount) })),
      };
    },
  };

  function pay(orderId: string, amount: string): void {
    payments.push({ orderId, amount });
  }

  return {
    flights,
    flightServicing,
    services,
    offers,
    orders,
    payments,
    credits,
    customers,
    searches,
    requests,
    counts,
    faults,
    rules,
    answerSearchesWith(answer: readonly FlightOffer[]) {
      found = answer;
    },
    answerAirportsWith(answer: readonly NearbyAirport[]) {
      airports = answer;
    },
    /** Requests that were lost reach the supplier now. */
    arriveLate() {
      for (const effect of late.splice(0)) effect();
    },
    /** Nothing is answered until the returned function is called. */
    hold(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return () => {
        gate = undefined;
        resolve();
      };
    },
  };
}
