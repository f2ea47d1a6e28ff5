import { z } from "zod";
import { formatDecimal, type Micro, parseDecimal } from "../domain/money.ts";
import { defineWorkflow, StepFailure } from "../kernel/contracts/workflow.ts";
import type { ToolMap } from "../modules/index.ts";
import { type Answer, earlierAnswers, type Steps } from "./tools.ts";

const Input = z.strictObject({
  tripId: z.string().describe("From prefund_trip or list_trips"),
  acceptLoss: z
    .boolean()
    .default(false)
    .describe("true: orders that are not fully refundable are cancelled without asking"),
});

const Decision = z.object({
  status: z
    .enum(["cancel_all", "cancel_refundable", "cancelled"])
    .describe(
      "Concerns orders or runs whose cancellation would lose money; everything else is undone in any case, and the trip is closed. cancel_all: cancel them all and accept the loss. cancel_refundable: cancel orders that refund a part; keep runs and orders that refund nothing. cancelled: keep them all (the question was declined; nothing is cancelled)",
    ),
});

type Booking = Answer<"read_trip">["bookings"][number];
type Order = Answer<"list_orders">["orders"][number];
type Quote = Answer<"cancel_order_quote">;

/** A booking of the trip, and its order at the supplier. */
interface Part {
  booking: Booking;
  order?: Order;
  quote?: Quote;
  /** The reason why its order stays. */
  problem?: Problem;
}

interface Problem {
  code: string;
  reason: string;
}

const GONE_ALREADY: ReadonlySet<string> = new Set(["already_cancelled", "already_confirmed"]);
const OLD_QUOTE: ReadonlySet<string> = new Set(["cancellation_expired", "cancellation_stale"]);

export const cancelTrip = defineWorkflow<typeof Input, ToolMap>({
  id: "service.cancel_trip",
  version: 4,
  description:
    "Undoes everything of a trip: its paused runs end, it asks where cancelling an order would lose something, and then its budget is closed, each order that its bookings pay for is cancelled at the supplier, that which gives back most first, and what the escrow still holds comes back. The result says what was refunded (fromEscrowUsdc by this run, refundedBeforeUsdc by the escrow earlier, such as what a settled booking left), what was lost, and what could not be cancelled and why; one part that fails does not stop the others.",
  input: Input,
  earlierAnswers,
  steps: [
    { id: "cancel_run", description: "Paused runs of the trip end and undo their steps." },
    { id: "read_trip", description: "The trip's bookings, as they are before and after it was closed." },
    { id: "list_orders", description: "The order that a booking pays for." },
    { id: "cancel_order_quote", description: "The refund of cancelling each order." },
    {
      id: "loss",
      description: "Whether to cancel what is not fully refundable.",
      resolvedBy: "caller",
      resolution: Decision,
    },
    { id: "close_trip", description: "Nothing new can be reserved, and the free budget is returned." },
    { id: "confirm_cancel_order", description: "Each order is cancelled, the highest refund first." },
    { id: "cancel_booking", description: "Its reservation in escrow is returned, unless its order was kept." },
  ],
  async run({ tripId, acceptLoss }, steps) {
    const runs = await endRuns(steps, tripId, acceptLoss);
    const before = await steps.call("read_trip", { tripId });
    if (before.state !== "funded" && before.state !== "closed") {
      throw new StepFailure("trip_not_ready", `The trip is ${before.state}; only a funded trip has anything to undo.`);
    }
    const isAsked = !acceptLoss && steps.isSince(2);
    const asked = isAsked && steps.isSince(ASKED_BEFORE) ? await decide(steps, before.bookings, isAsked) : [];
    const closing = await closeTrip(steps, tripId, before.state);
    // Read again, as other runs could still reserve until it was closed.
    const trip = await steps.call("read_trip", { tripId });
    const known = trip.bookings.flatMap((booking) => withDecision(booking, asked));
    const isKnown = ({ bookingId }: Booking) => known.some(({ booking }) => booking.bookingId === bookingId);
    const others = trip.bookings.filter((booking) => !isKnown(booking));
    const decided = [...known, ...(await decide(steps, others, isAsked))];
    const ends: Awaited<ReturnType<typeof cancelPart>>[] = [];
    // An order's refund falls with time.
    for (const part of decided.toSorted(byRefund)) ends.push(await cancelPart(steps, tripId, part));
    const cameBack = micro(trip.refundedUsdc) - micro(before.refundedUsdc) + sum(ends, "escrowRefundedUsdc");
    return {
      tripId,
      refunded: { fromEscrowUsdc: formatDecimal(cameBack), fromSuppliersUsdc: sumField(ends, "refundedUsdc") },
      // close_trip reports the total of both: all refunds so far.
      refundedBeforeUsdc: before.refundedUsdc,
      totalFromEscrowUsdc: formatDecimal(micro(before.refundedUsdc) + cameBack),
      lost: {
        toSuppliersUsdc: sumField(ends, "lostUsdc"),
        feesUsdc: formatDecimal(micro(trip.serviceFeePaidUsdc) + micro(trip.actionFeePaidUsdc)),
      },
      bookings: ends.map(({ problems: _problems, ...end }) => end),
      notCancelled: [
        ...runs,
        ...closing.map((problem) => ({ what: "budget", id: tripId, ...problem })),
        ...ends.flatMap(({ problems }) => problems),
      ],
    };
  },
});

/** Ends the waiting runs of the trip. Returns those that could not be ended, or are kept because undoing them would lose money. */
async function endRuns(
  { call, pause, isSince }: Steps,
  tripId: string,
  acceptLoss: boolean,
): Promise<readonly (Problem & { what: "run"; id: string })[]> {
  if (!isSince(2)) return [];
  const end = (loss: { acceptLoss?: boolean }) => attempt(() => call("cancel_run", { tripId, ...loss }));
  if (!isSince(ASKED_BY_RUNS)) {
    await end({});
    return [];
  }
  const ended = await end({ acceptLoss });
  if (!("problem" in ended)) return [];
  const { problem } = ended;
  if (problem.code !== "loss_not_accepted") return [{ what: "run", id: tripId, ...problem }];
  const { status } = await pause({
    step: "loss",
    resolution: Decision,
    by: "caller",
    shown: { runs: problem.reason },
    reason: `A run of the trip has booked something that is not fully refundable. ${problem.reason} Answer cancel_all to cancel it and accept the loss, or cancelled to decline: the run then continues.`,
    timeoutHours: LOSS_HOURS,
    onTimeout: { status: "cancelled" },
  });
  if (status !== "cancel_all") return [{ what: "run", id: tripId, ...KEPT }];
  const forced = await end({ acceptLoss: true });
  return "problem" in forced ? [{ what: "run", id: tripId, ...forced.problem }] : [];
}

/** From this version on nothing of the trip is closed before the decision on orders that lose money. */
const ASKED_BEFORE = 4;

/** Each booking with its order, its quote, and the reason if it stays. */
async function decide(steps: Steps, bookings: readonly Booking[], isAsked: boolean): Promise<readonly Part[]> {
  const parts: Part[] = [];
  for (const booking of bookings) parts.push(await quoteOrder(steps, booking));
  return isAsked ? await askAboutLoss(steps, parts) : parts;
}

/** As decided before the trip was closed. A booking that got an order since is decided again. */
function withDecision(booking: Booking, asked: readonly Part[]): Part[] {
  const { bookingId, itineraryHash } = booking;
  const part = asked.find(({ booking: one }) => one.bookingId === bookingId && one.itineraryHash === itineraryHash);
  return part === undefined ? [] : [{ ...part, booking }];
}

/** From this version on runs are not ended if that loses money and nobody accepts the loss. */
const ASKED_BY_RUNS = 3;

async function closeTrip({ call }: Steps, tripId: string, state: string): Promise<readonly Problem[]> {
  if (state === "closed") return [];
  const closed = await attempt(() => call("close_trip", { tripId }));
  return "problem" in closed ? [closed.problem] : [];
}

/** Cancels nothing yet, so that the highest refund can go first. */
async function quoteOrder({ call }: Steps, booking: Booking): Promise<Part> {
  const { itineraryHash } = booking;
  if (itineraryHash === null) return { booking };
  const found = await attempt(() => call("list_orders", { itineraryHash }));
  if ("problem" in found) return { booking, problem: found.problem };
  const [order] = found.answer.orders;
  if (order === undefined) return { booking };
  if (order.status === "cancelled") return { booking, order };
  const quoted = await attempt(() => call("cancel_order_quote", { orderId: order.orderId }));
  if ("answer" in quoted) return { booking, order, quote: quoted.answer };
  return GONE_ALREADY.has(quoted.problem.code) ? { booking, order } : { booking, order, problem: quoted.problem };
}

/** Undefined if unknown, or if nothing is lost. */
function computeLoss({ order, quote }: Part): Micro | undefined {
  if (quote === undefined || order?.totalUsdc == null) return undefined;
  const loss = micro(order.totalUsdc) - givenBack(quote);
  return loss > 0n ? loss : undefined;
}

/** By the supplier: a debt that a reservation in escrow no longer owes counts like a refund to the wallet. */
const givenBack = (quote: Quote | undefined): Micro =>
  micro(quote?.refundUsdc ?? "0") + micro(quote?.releasedUsdc ?? "0");

const LOSS_HOURS = 24;
const KEPT: Problem = {
  code: "kept",
  reason: "It was kept by decision, because it is not fully refundable. Run the workflow again to cancel it.",
};

/** Orders that refund less than they cost are cancelled only on request. */
async function askAboutLoss({ pause }: Steps, parts: readonly Part[]): Promise<readonly Part[]> {
  const orders = parts.flatMap((part) => {
    const loss = computeLoss(part);
    if (loss === undefined || part.order === undefined) return [];
    const { orderId, kind, totalUsdc } = part.order;
    const refundUsdc = formatDecimal(givenBack(part.quote));
    return [{ orderId, kind, totalUsdc, refundUsdc, lostUsdc: formatDecimal(loss) }];
  });
  if (orders.length === 0) return parts;
  const { status } = await pause({
    step: "loss",
    resolution: Decision,
    by: "caller",
    shown: { orders },
    reason:
      "These orders are not fully refundable. Answer cancel_all to cancel them all and accept the loss, cancel_refundable to keep those that refund nothing, or cancelled to decline and keep them all. After any of these answers, the trip is closed and fully refundable orders are cancelled. Cancel this run to leave the trip as it is.",
    timeoutHours: LOSS_HOURS,
    onTimeout: { status: "cancelled" },
  });
  const isKept = (part: Part) =>
    status === "cancelled" || (status === "cancel_refundable" && givenBack(part.quote) === 0n);
  return parts.map((part) => (computeLoss(part) !== undefined && isKept(part) ? { ...part, problem: KEPT } : part));
}

const byRefund = (left: Part, right: Part): number => Number(quotedRefund(right) - quotedRefund(left));
const quotedRefund = ({ quote }: Part): Micro => micro(quote?.refundAmount ?? "0");

/** Cancels the order first, then the escrow's reservation for it: that stays if the order does, as it may still have to be paid. */
async function cancelPart(steps: Steps, tripId: string, part: Part) {
  const { booking, order } = part;
  const { bookingId } = booking;
  const supplier = await cancelOrder(steps, part);
  const orderProblem =
    supplier.problem === undefined
      ? []
      : [{ what: "order", id: order?.orderId ?? null, bookingId, ...supplier.problem }];
  const escrow =
    supplier.problem === undefined ? await cancelInEscrow(steps, tripId, booking, order) : { refundedUsdc: "0" };
  const escrowProblem =
    escrow.problem === undefined ? [] : [{ what: "booking", id: bookingId, bookingId, ...escrow.problem }];
  return {
    bookingId,
    orderId: order?.orderId ?? null,
    kind: order?.kind ?? null,
    refundedUsdc: supplier.refundedUsdc,
    lostUsdc: supplier.lostUsdc,
    credits: supplier.credits,
    escrowRefundedUsdc: escrow.refundedUsdc,
    problems: [...orderProblem, ...escrowProblem],
  };
}

interface SupplierEnd {
  refundedUsdc: string;
  lostUsdc: string;
  credits: readonly unknown[];
  problem?: Problem;
}
const NOTHING: SupplierEnd = { refundedUsdc: "0", lostUsdc: "0", credits: [] };

async function cancelOrder({ call }: Steps, { order, quote, problem }: Part): Promise<SupplierEnd> {
  if (problem !== undefined) return { ...NOTHING, problem };
  if (order === undefined || quote === undefined) return NOTHING;
  const confirm = ({ cancellationId }: Quote) => call("confirm_cancel_order", { cancellationId });
  let ended = await attempt(() => confirm(quote));
  if ("problem" in ended && OLD_QUOTE.has(ended.problem.code)) {
    const { orderId } = order;
    ended = await attempt(async () => confirm(await call("cancel_order_quote", { orderId })));
  }
  if ("problem" in ended)
    return GONE_ALREADY.has(ended.problem.code) ? NOTHING : { ...NOTHING, problem: ended.problem };
  const { refundedUsdc, releasedUsdc, credits } = ended.answer;
  const lost = micro(order.totalUsdc ?? "0") - micro(refundedUsdc) - micro(releasedUsdc);
  return { refundedUsdc, lostUsdc: formatDecimal(lost > 0n ? lost : 0n), credits };
}

async function cancelInEscrow(
  { call }: Steps,
  tripId: string,
  { bookingId, state }: Booking,
  order: Order | undefined,
): Promise<{ refundedUsdc: string; problem?: Problem }> {
  if (state === "cancelled" || state === "failed") return { refundedUsdc: "0" };
  if (state === "settled") {
    const reason = "The escrow has paid it out, and you have no order for it. Ask its vendor.";
    return { refundedUsdc: "0", ...(order === undefined ? { problem: { code: "settled", reason } } : {}) };
  }
  const cancel = { bookingId, tripId, reason: "buyer_cancel" as const };
  const ended = await attempt(() => call("cancel_booking", cancel));
  return "problem" in ended ? { refundedUsdc: "0", problem: ended.problem } : ended.answer;
}

/** A failing part does not stop the others; the run's own cancellation stops everything. */
async function attempt<T>(work: () => Promise<T>): Promise<{ answer: T } | { problem: Problem }> {
  try {
    return { answer: await work() };
  } catch (error) {
    if (!(error instanceof StepFailure) || error.code === "run_cancelled") throw error;
    return { problem: { code: error.code, reason: error.message } };
  }
}

const micro = (amount: string): Micro => parseDecimal(amount) ?? 0n;

function sum<Name extends string>(ends: readonly Readonly<Record<Name, string>>[], name: Name): Micro {
  return ends.reduce((total, end) => total + micro(end[name]), 0n);
}

function sumField<Name extends string>(ends: readonly Readonly<Record<Name, string>>[], name: Name): string {
  return formatDecimal(sum(ends, name));
}
