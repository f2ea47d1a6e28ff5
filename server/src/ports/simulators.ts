/** The simulators that stand in for suppliers, attesters and carriers in the sandbox. Everything rejects with `unavailable`. */

export type SimulatorName = "supplier" | "attester" | "carriers";

/** Whose requests a fault is for. */
export interface SimulatorGuest {
  readonly tenantId: string;
  /** The tenant's place in the carrier simulator. */
  readonly playgroundId: string;
}

/** A fault for the next requests at a path and below it. */
export interface ArmedFault {
  readonly simulator: SimulatorName;
  readonly path: string;
  readonly fault: string;
  readonly times: number;
  readonly delayMilliseconds: number;
}

export interface NewFault extends ArmedFault {
  readonly method: "GET" | "POST" | undefined;
}

interface SimulatorClock {
  readonly now: string;
  /** How much it is ahead. */
  readonly offsetSeconds: number;
}

/** An order as the supplier has it. */
export interface SupplierEntry {
  readonly orderId: string;
  readonly bookingId: string;
  readonly kind: "flight" | "stay";
  readonly state: string;
  readonly totalAmount: string;
  readonly paidAmount: string;
  readonly refundedAmount: string;
  readonly currency: string;
}

export interface Simulators {
  /** Those of this guest, at the simulators that run. */
  listFaults(guest: SimulatorGuest): Promise<readonly ArmedFault[]>;
  /** Starts the simulator if nobody has used it. */
  arm(guest: SimulatorGuest, fault: NewFault): Promise<void>;
  disarm(guest: SimulatorGuest): Promise<void>;
  /** The supplier's clock moves for everybody, and what falls due has happened when this resolves. */
  advanceClock(seconds: number): Promise<SimulatorClock>;
  /** The airline moves a part of an order, or cancels its flights. False: there is no such part of an open order. */
  moveFlight(move: { orderId: string; slice: number; shiftMinutes: number | null }): Promise<boolean>;
  /** The supplier's side of these bookings. */
  readBooks(bookingIds: readonly string[]): Promise<readonly SupplierEntry[]>;
}
