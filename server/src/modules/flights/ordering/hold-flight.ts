import { Failure } from "../../../domain/errors.ts";
import { type RandomBytes, systemRandom } from "../../../domain/ids.ts";
import { type CallPlan, EMPTY_PLAN, planOrRefusal } from "../../../kernel/contracts/call-plan.ts";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import {
  type AskedBooking,
  type Booking,
  type BookOptions,
  hashParticulars,
  requireSame,
  requireTravelers,
} from "../../bookings/index.ts";
import { executeOnce, type OnceAnswer } from "../../effects/index.ts";
import type { Aggregates, Ports } from "../context.ts";
import { type AskedFlight, askedFlight, heldParticulars } from "./asked-flight.ts";
import {
  type BookFlightPorts,
  type BookFlightRequest,
  notHeld,
  prepareOrder,
  requireHoldableOffer,
} from "./book-flight.ts";
import { findTwiceOfOffer } from "./booked-twice.ts";
import { FlightHoldSteps } from "./hold-steps.ts";
import { namedTravelers, refusalByAge } from "./planned-travelers.ts";

/** Holds an offer at the airline, unpaid, once per tenant. Throws a Failure; see `hold-steps.ts` for the states of a hold. */
export async function holdFlight(
  ports: BookFlightPorts,
  request: BookFlightRequest,
  { random = systemRandom, progress, ...options }: BookOptions & { random?: RandomBytes } = {},
): Promise<OnceAnswer> {
  const { stores, clock } = ports;
  const { caller, callId, offerId } = request;
  const { tenantId, environment } = caller;
  const asked = askedFlight(ports.travelers, caller, request);
  const steps = new FlightHoldSteps(ports.flights);
  return await executeOnce<Booking, Aggregates>(
    { stores, clock, definition: steps.definition },
    {
      callId,
      async findLive() {
        const live = await stores.bookings.findLive(tenantId, environment, offerId);
        return live?.kind === "flight" ? await asHold(live, asked) : live;
      },
      requireSame: (live) => requireSame(asked, live),
      async prepare() {
        requireHoldable(request);
        progress?.("Checking the offer and the travelers");
        const { booking, order, offer } = await prepareOrder(ports, request, random);
        requireHoldableOffer(offer);
        const particularsHash = hashParticulars(asked, booking.itinerarySalt);
        const intent = { ...booking, tenantId, environment, callId, workerId: callId, offerId, particularsHash };
        return {
          async insert(aggregates) {
            await requireTravelers(aggregates, caller, booking);
            return await aggregates.bookings.insert({ ...intent, kind: "flight_hold" });
          },
          begin() {
            progress?.("Holding the order at the supplier");
            return steps.order(order);
          },
        };
      },
      inProgress: () => inProgress(),
      outcomeUnknown: (cause) =>
        new Failure("outcome_unknown", {
          detail:
            "The supplier has not confirmed the hold yet. Its outcome is being checked, and nothing is owed. Call again with the same offer: you get the result, never a second order.",
          retryAfterSeconds: 10,
          ...(cause === undefined ? {} : { cause }),
        }),
    },
    options,
  );
}

const HOLDS =
  "Holding moves no money: limits, budgets, policies and approvals apply to the later book_flight call, which pays.";

/** A hold moves no money, so gates have nothing to judge. */
export function planHold(
  { travelers, stores, maps, caller }: Pick<Ports, "travelers" | "stores" | "maps"> & { caller: Caller },
  request: AskedFlight,
): Promise<CallPlan> {
  const asked = askedFlight(travelers, caller, request);
  return planOrRefusal(async () => {
    const { offerId, additionalCustomerUserIds: named } = request;
    const live = await stores.bookings.findLive(caller.tenantId, caller.environment, offerId);
    if (live !== undefined) {
      await requireSame(asked, live.kind === "flight" ? await asHold(live, asked) : live);
      return { ...EMPTY_PLAN, remarks: [HOLDS] };
    }
    requireHoldable(request);
    const seen = await stores.seenOffers.find(caller, offerId);
    const byAge = await refusalByAge({ travelers, caller }, named, seen);
    if (byAge !== undefined) throw byAge;
    const userIds = await namedTravelers({ travelers, caller }, named, seen);
    const readOverlaps =
      seen === undefined ? undefined : () => findTwiceOfOffer({ stores, maps, caller }, { offerId, userIds, seen });
    return { ...EMPTY_PLAN, readOverlaps, remarks: [HOLDS] };
  });
}

/** Refuses parts that the supplier never accepts with a held order. */
function requireHoldable({ services, airlineCreditId }: Pick<BookFlightRequest, "services" | "airlineCreditId">): void {
  if (airlineCreditId !== undefined) throw notHeld("An airline credit pays only for an order that is paid at once.");
  if (services.length > 0) {
    throw notHeld(
      "An order is held without bags and seats. To add bags, hold it without them and pass them to book_flight.",
    );
  }
}

/** The hold from which a paid order began. Throws if there was none. */
async function asHold(booking: Booking, asked: AskedBooking): Promise<Booking> {
  const { holdCallId: callId, holdResult: result } = booking;
  // The services added with its payment are no part of the hold.
  const particularsHash =
    booking.particularsHash && hashParticulars({ particulars: heldParticulars() }, booking.itinerarySalt);
  if (callId !== undefined) return { ...booking, callId, result, particularsHash, state: "on_hold" };
  if (booking.state !== "booked") throw inProgress();
  await requireSame(asked, booking);
  const { orderId, id: bookingId } = booking;
  const how =
    booking.orderStatus === "cancelled"
      ? `was booked, as order ${orderId}, and is cancelled. Nothing was done. Search again and hold another offer.`
      : `is booked and paid already, as order ${orderId}; read_order shows it. Nothing was done.`;
  throw new Failure("already_booked", {
    detail: `This offer ${how}`,
    extra: { orderId, bookingId, offerId: booking.offerId },
  });
}

function inProgress(): Failure {
  return new Failure("booking_in_progress", {
    detail: "An earlier call is holding or booking this offer. Call again with the same offer to get its result.",
    retryAfterSeconds: 5,
  });
}
