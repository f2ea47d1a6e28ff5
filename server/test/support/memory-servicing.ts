import { Failure } from "../../src/domain/errors.ts";
import { parseDecimal } from "../../src/domain/money.ts";
import type { CancellationQuote, FlightServicing, OrderChange } from "../../src/ports/supplier/flight-servicing.ts";
import type { StayBookings, SupplierStay } from "../../src/ports/supplier/stay-bookings.ts";
import type { Fault } from "./memory-supplier.ts";

type Cancellations = Pick<FlightServicing, "getCancellation" | "confirmCancellation">;
type Changes = Pick<FlightServicing, "getChange" | "confirmChange" | "getAirlineChange" | "acceptAirlineChange">;

/** A supplier's servicing of one order, one change and one stay; its records outlive its answers. */
export function createMemoryServicing(orderId: string, options: { quietMilliseconds: number; confirmedAt: string }) {
  const { confirmedAt } = options;
  const faults: Fault[] = [];
  const late: (() => void)[] = [];
  /** How often each thing took effect, and what it moved on the operator's account. */
  const effects = { cancellation: 0, change: 0, stay: 0 };
  let paid = 0n;
  let cancellation: CancellationQuote = {
    id: `ore_${orderId}`,
    orderId,
    refundAmount: "300.00",
    refundCurrency: "USD",
    refundTo: "balance",
    credits: [],
    expiresAt: null,
    confirmedAt: null,
  };
  let change: OrderChange = {
    id: `oce_${orderId}`,
    orderId,
    changeTotalAmount: "90.50",
    changeTotalCurrency: "USD",
    penaltyAmount: null,
    penaltyCurrency: null,
    refundTo: null,
    expiresAt: null,
    confirmedAt: null,
    slices: null,
  };
  let stay: SupplierStay = {
    id: orderId,
    reference: "ZZ1",
    bookingId: null,
    status: "confirmed",
    accommodationName: "Harbour House",
    checkInDate: "2027-01-20",
    checkOutDate: "2027-01-22",
    price: { amount: "300.00", currency: "USD" },
    confirmedAt: "2026-11-20T10:00:00Z",
    cancelledAt: null,
    cancellationPolicy: {
      refundable: true,
      timeline: [
        { before: "2026-12-20T12:00:00Z", refundAmount: "300.00", currency: "USD" },
        { before: "2027-01-19T12:00:00Z", refundAmount: "120.00", currency: "USD" },
      ],
    },
    keyCollectionInstructions: null,
    dueAtAccommodation: null,
  };

  async function commit<T>(effect: () => T): Promise<T> {
    const fault = faults.shift();
    if (fault === undefined) return effect();
    if (fault === "lost_after_effect") effect();
    if (fault === "late_effect") late.push(effect);
    if (fault === "lost_after_effect" || fault === "lost_before_effect" || fault === "late_effect") {
      throw new Failure("outcome_unknown");
    }
    throw new Failure(fault);
  }

  const flightServicing: Cancellations & Changes = {
    getCancellation: async () => cancellation,
    confirmCancellation: () =>
      commit(() => {
        if (cancellation.confirmedAt !== null) throw new Failure("already_cancelled");
        effects.cancellation += 1;
        paid -= parseDecimal(cancellation.refundAmount ?? "") ?? 0n;
        cancellation = { ...cancellation, confirmedAt };
        return cancellation;
      }),
    getChange: async () => change,
    getAirlineChange: () => Promise.reject(new Failure("change_not_found")),
    acceptAirlineChange: () => Promise.reject(new Failure("change_not_found")),
    confirmChange: (_id, payment) =>
      commit(() => {
        if (change.confirmedAt !== null) throw new Failure("already_confirmed");
        if (payment?.amount !== change.changeTotalAmount) throw new Failure("price_changed");
        effects.change += 1;
        paid += 90_500_000n;
        change = { ...change, confirmedAt };
        return change;
      }),
  };

  const stayBookings: Pick<StayBookings, "getStay" | "cancelStay" | "quietMilliseconds"> = {
    quietMilliseconds: options.quietMilliseconds,
    getStay: async () => stay,
    cancelStay: () =>
      commit(() => {
        if (stay.status === "cancelled") throw new Failure("already_cancelled");
        effects.stay += 1;
        paid -= 300_000_000n;
        stay = { ...stay, status: "cancelled", cancelledAt: confirmedAt };
        return stay;
      }),
  };

  return {
    flightServicing,
    stayBookings,
    faults,
    effects,
    /** The supplier's receipts less its refunds. */
    paid: () => paid,
    /** The refund of the flight's cancellation from now on. */
    quoteRefund(refundAmount: string) {
      cancellation = { ...cancellation, refundAmount };
    },
    arriveLate() {
      for (const effect of late.splice(0)) effect();
    },
  };
}
