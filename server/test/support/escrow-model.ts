import fc from "fast-check";

/** A command for a trip and the bookings in its slots. Amounts are micro-USDC. */
export type Command =
  | { do: "reserve"; trip: number; slot: number; amount: bigint }
  | { do: "commit"; slot: number; vendor: bigint; fee: bigint }
  | { do: "price"; slot: number; cost: bigint; markup: bigint; acknowledged: bigint | undefined }
  | { do: "confirm"; slot: number; ticket: number }
  | { do: "settle"; slot: number }
  | { do: "cancel"; slot: number; trip: number }
  | { do: "release"; slot: number; trip: number }
  | { do: "log"; trip: number; fee: bigint };

export const TRIPS = 2;
export const SLOTS = 3;
export const BUDGET = 20_000_000n;
/** The ceiling of the tenant's pricing policy; the service's take is added to the total. */
export const CEILING = 1_000_000n;

/** Ways in which the model can be wrong, so that a test can see that a product like that would be caught. */
export type Mutant =
  | "refunds twice"
  | "settles what was cancelled"
  | "ignores the ceiling"
  | "releases to the wallet"
  | "releases twice";

interface Booking {
  trip: number;
  state: "reserved" | "committed" | "confirmed" | "settled" | "cancelled";
  reserved: bigint;
  vendor: bigint;
  markup: bigint;
  serviceFee: bigint;
  /** Where what it held went when it was cancelled. */
  end: "wallet" | "trip" | undefined;
  /** How it was committed, and its ticket. */
  asked: string | undefined;
  ticket: number | undefined;
}

const newTrip = () => ({
  free: BUDGET,
  held: 0n,
  vendorPaid: 0n,
  markupPaid: 0n,
  serviceFeePaid: 0n,
  actionFeePaid: 0n,
  refunded: 0n,
});

/** The caller's answer: the booking's state, or the refusal. */
export type Outcome = { ok: string } | { refused: string };

/** Trips and bookings as they are said to be, in plain words. */
export class EscrowModel {
  readonly trips = Array.from({ length: TRIPS }, newTrip);
  readonly bookings: (Booking | undefined)[] = Array.from({ length: SLOTS }, () => undefined);
  readonly #mutant: Mutant | undefined;

  constructor(mutant?: Mutant) {
    this.#mutant = mutant;
  }

  run(command: Command): Outcome {
    switch (command.do) {
      case "reserve":
        return this.#reserve(command);
      case "log":
        return this.#log(command);
      default: {
        const booking = this.bookings[command.slot];
        if (booking === undefined) return { refused: "booking_not_found" };
        return this.#step(command, booking);
      }
    }
  }

  #requireTrip(index: number) {
    const trip = this.trips[index];
    if (trip === undefined) throw new RangeError(`there is no trip ${index}`);
    return trip;
  }

  #reserve({ trip: index, slot, amount }: Command & { do: "reserve" }): Outcome {
    const [trip, existing] = [this.#requireTrip(index), this.bookings[slot]];
    if (existing !== undefined) {
      const isSame = existing.trip === index && existing.reserved === amount && existing.state !== "cancelled";
      return isSame ? { ok: "reserved" } : { refused: "wrong_state" };
    }
    if (amount > trip.free) return { refused: "insufficient_budget" };
    trip.free -= amount;
    trip.held += amount;
    const nothing = { vendor: 0n, markup: 0n, serviceFee: 0n, asked: undefined, ticket: undefined, end: undefined };
    this.bookings[slot] = { trip: index, state: "reserved", reserved: amount, ...nothing };
    return { ok: "reserved" };
  }

  #log({ trip: index, fee }: Command & { do: "log" }): Outcome {
    const trip = this.#requireTrip(index);
    if (fee > trip.free) return { refused: "insufficient_budget" };
    trip.free -= fee;
    trip.actionFeePaid += fee;
    return { ok: "logged" };
  }

  #step(command: Exclude<Command, { do: "reserve" | "log" }>, booking: Booking): Outcome {
    switch (command.do) {
      case "commit":
        return this.#commit(booking, `plain ${command.vendor} ${command.fee}`, command.vendor, command.fee, 0n);
      case "price":
        return this.#price(command, booking);
      case "confirm":
        if (booking.ticket === command.ticket && booking.state !== "cancelled") return { ok: "confirmed" };
        if (booking.state !== "committed") return { refused: "wrong_state" };
        booking.state = "confirmed";
        booking.ticket = command.ticket;
        return { ok: "confirmed" };
      case "settle":
        return this.#settle(booking);
      case "cancel":
        return this.#cancel(command, booking);
      case "release":
        return this.#release(command, booking);
    }
  }

  #price({ cost, markup, acknowledged }: Command & { do: "price" }, booking: Booking): Outcome {
    const asked = `priced ${cost} ${markup} ${acknowledged}`;
    const isOver = markup > CEILING && acknowledged !== markup && this.#mutant !== "ignores the ceiling";
    if (isOver && booking.state === "reserved") return { refused: "ceiling_exceeded" };
    return this.#commit(booking, asked, cost, markup, cost / 100n);
  }

  #commit(booking: Booking, asked: string, vendor: bigint, markup: bigint, serviceFee: bigint): Outcome {
    if (booking.asked === asked && booking.state !== "cancelled") return { ok: "committed" };
    if (booking.state !== "reserved") return { refused: "wrong_state" };
    if (vendor + markup + serviceFee > booking.reserved) return { refused: "exceeds_reservation" };
    Object.assign(booking, { state: "committed", asked, vendor, markup, serviceFee });
    return { ok: "committed" };
  }

  #settle(booking: Booking): Outcome {
    if (booking.state === "settled") return { ok: "settled" };
    const isAllowed =
      booking.state === "confirmed" || (booking.state === "cancelled" && this.#mutant === "settles what was cancelled");
    if (!isAllowed) return { refused: "wrong_state" };
    const trip = this.#requireTrip(booking.trip);
    const { reserved, vendor, markup, serviceFee } = booking;
    trip.held -= reserved;
    trip.vendorPaid += vendor;
    trip.markupPaid += markup;
    trip.serviceFeePaid += serviceFee;
    trip.refunded += reserved - vendor - markup - serviceFee;
    booking.state = "settled";
    return { ok: "settled" };
  }

  #cancel({ trip: index }: Command & { do: "cancel" }, booking: Booking): Outcome {
    if (booking.trip !== index) return { refused: "booking_not_found" };
    if (booking.state === "settled") return { refused: "wrong_state" };
    const trip = this.#requireTrip(index);
    if (booking.end === "trip") return { refused: "wrong_state" };
    if (booking.state === "cancelled") {
      if (this.#mutant === "refunds twice") trip.refunded += booking.reserved;
      return { ok: "cancelled" };
    }
    trip.held -= booking.reserved;
    trip.refunded += booking.reserved;
    Object.assign(booking, { state: "cancelled", end: "wallet" });
    return { ok: "cancelled" };
  }

  #release({ trip: index }: Command & { do: "release" }, booking: Booking): Outcome {
    if (booking.trip !== index) return { refused: "booking_not_found" };
    const trip = this.#requireTrip(index);
    if (booking.state === "cancelled") {
      if (this.#mutant === "releases twice" && booking.end === "trip") trip.free += booking.reserved;
      return { ok: `cancelled to ${booking.end}` };
    }
    if (booking.state !== "reserved" && booking.state !== "committed") return { refused: "wrong_state" };
    trip.held -= booking.reserved;
    if (this.#mutant === "releases to the wallet") trip.refunded += booking.reserved;
    else trip.free += booking.reserved;
    Object.assign(booking, { state: "cancelled", end: "trip" });
    return { ok: "cancelled to trip" };
  }
}

const index = (count: number) => fc.nat({ max: count - 1 });
/** Few values, so that repeats and limits come often; with odd micro-units. */
const amount = fc.constantFrom(1n, 2_999_999n, 7_000_000n, 9_500_001n);
const slot = index(SLOTS);
/** Mostly the one in which its bookings are. */
const trip = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: index(TRIPS) });
const markup = fc.constantFrom(0n, CEILING, CEILING + 1n);

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("reserve"), trip, slot, amount }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("commit"), slot, vendor: amount, fee: fc.constantFrom(0n, 1n) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("price"),
      slot,
      cost: amount,
      markup,
      acknowledged: fc.option(markup, { nil: undefined }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("confirm"), slot, ticket: index(2) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("settle"), slot }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("cancel"), slot, trip }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("release"), slot, trip }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("log"), trip, fee: fc.constantFrom(0n, 1n, 3_000_000n) }) },
);

/** Random ends of a life whose beginning is likely, as most random ones would be refused at once. */
export const arbitraryLife = (longest: number): fc.Arbitrary<Command[]> =>
  fc
    .tuple(
      fc.array(fc.record({ do: fc.constant("reserve" as const), trip, slot, amount }), { minLength: 1, maxLength: 3 }),
      fc.array(command, { minLength: Math.ceil(longest / 2), maxLength: longest }),
    )
    .map(([first, rest]) => [...first, ...rest]);
