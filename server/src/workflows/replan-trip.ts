import { z } from "zod";
import { parseDecimal } from "../domain/money.ts";
import { defineWorkflow, StepFailure } from "../kernel/contracts/workflow.ts";
import type { ToolMap } from "../modules/index.ts";
import { type Answer, type Args, earlierAnswers, type Steps } from "./tools.ts";

const Input = z.strictObject({
  orderId: z.string().describe("A flight order whose flights its airline changed"),
  changeId: z.string().describe("aic_… of the order's scheduleChanges"),
  tripId: z.string().describe("The trip that pays for the order").optional(),
});

const Decision = z.object({
  status: z
    .enum(["accept", "refuse", "cancelled"])
    .describe(
      "accept: take the flights as the airline moved them, for nothing. refuse: give the order back, only if everything comes back. cancelled: answer the airline in another way, such as request_order_change; nothing is done here",
    ),
});

const Flight = z.object({
  flightNumber: z.string(),
  origin: z.string(),
  destination: z.string(),
  departingAt: z.string(),
  arrivingAt: z.string(),
});
const ScheduleChange = z.object({
  id: z.string(),
  removed: z.array(Flight),
  added: z.array(Flight),
  answerBy: z.string().nullable().default(null),
});
type ScheduleChange = z.output<typeof ScheduleChange>;

type Order = Answer<"read_order">;
type Replanned = Answer<"trip_delay_replanner">;

export const replanTrip = defineWorkflow<typeof Input, ToolMap>({
  id: "service.replan_trip",
  version: 1,
  description:
    "Answers an airline that moved or cancelled booked flights. It starts by itself when the supplier tells of such a change: it reads what changed, works out whether the traveler can still travel and what the airline owes, mails the traveler, and asks for a decision. Accepting costs nothing; refusing gives the order back only if its whole price comes back. Nothing else is bought or cancelled without its own call.",
  input: Input,
  earlierAnswers,
  steps: [
    {
      id: "read_order",
      description: "The order with the airline's change: old and new times, and until when to answer.",
    },
    {
      id: "trip_delay_replanner",
      description: "What the airline owes, other flights, the stay and the transfer; the traveler is mailed.",
    },
    {
      id: "airline_change",
      description: "Accept, refuse, or answer the airline in another way.",
      resolvedBy: "caller",
      resolution: Decision,
    },
    { id: "confirm_order_change", description: "The new flights are accepted at the supplier, for nothing." },
    { id: "cancel_order_quote", description: "What refusing gives back." },
    { id: "confirm_cancel_order", description: "The order is given back, if its whole price comes back." },
  ],
  async run({ orderId, changeId, tripId }, steps) {
    const order = await steps.call("read_order", { orderId });
    const change = findChange(order, changeId);
    const about = { orderId, changeId, tripId: tripId ?? null };
    if (change === undefined || order.pnr === null || order.status !== "confirmed") {
      return { ...about, end: "answered", reason: "The change is not open any more: read_order has the flights." };
    }
    const replanned = await tellTraveler(steps, order.pnr, change, order);
    const shown = describeChange(change, replanned);
    const { status } = await steps.pause({
      step: "airline_change",
      resolution: Decision,
      by: "caller",
      reason: sayDecision(change),
      shown,
      timeoutHours: ANSWER_HOURS,
      onTimeout: { status: "cancelled" },
    });
    if (status === "accept") return { ...about, ...shown, ...(await accept(steps, changeId, order)) };
    if (status === "refuse") return { ...about, ...shown, ...(await refuse(steps, order)) };
    return { ...about, ...shown, end: "unanswered", reason: UNANSWERED };
  },
});

const ANSWER_HOURS = 72;
const UNANSWERED =
  "Nothing was done, and the airline still waits: confirm_order_change with the change's id and amount 0 accepts it, request_order_change and cancel_order_quote answer it in another way.";
const NOT_EVERYTHING =
  "Nothing was cancelled, as not the whole price would come back here. Ask the airline with the pnr: what it owes is in duties.";

function findChange({ scheduleChanges }: Order, changeId: string): ScheduleChange | undefined {
  return scheduleChanges
    .flatMap((change) => ScheduleChange.safeParse(change).data ?? [])
    .find(({ id }) => id === changeId);
}

/** The mail is sent once for each disruption, whoever else replans the trip. */
async function tellTraveler(
  { call }: Steps,
  pnr: string,
  { removed, added }: ScheduleChange,
  { travelers }: Order,
): Promise<Replanned | undefined> {
  const [first, last] = [removed[0], removed.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const input: Args<"trip_delay_replanner"> = {
    originalLeg: {
      origin: first.origin,
      destination: last.destination,
      // The tool finds the leg by its local time.
      scheduledDepartureIso: `${first.departingAt.slice(0, 16)}:00Z`,
      pnr,
      flightNumber: first.flightNumber,
    },
    disruption: { kind: added.length === 0 ? "cancellation" : "delay" },
    rebookSearch: {
      departureDate: first.departingAt.slice(0, 10),
      passengers: Math.min(Math.max(travelers.length, 1), 9),
    },
    notifyChannels: ["email"],
  };
  try {
    return await call("trip_delay_replanner", input);
  } catch (error) {
    // A decision is asked for all the same, such as where the flights leave too soon to be searched for.
    if (!(error instanceof StepFailure) || error.code === "run_cancelled") throw error;
    return undefined;
  }
}

/** The facts for whoever decides. */
function describeChange({ removed, added, answerBy }: ScheduleChange, replanned: Replanned | undefined) {
  const { airlineChange = null, stays = [], transfer = null, messages = [], next = null } = replanned ?? {};
  return {
    was: removed,
    becomes: added,
    answerBy,
    connections: added.length > 1 ? judgeConnections(added) : [],
    options: airlineChange?.options ?? [],
    duties: airlineChange?.duties ?? [],
    stays,
    transfer: transfer === null ? null : { available: transfer.available, reason: transfer.reason },
    told: messages.map(({ channel, sent, reason }) => ({ channel, sent, reason })),
    advice: next,
  };
}

const SHORTEST_MINUTES = 45;

/** The airline's own connections at the same airport, by its local clock. */
function judgeConnections(flights: ScheduleChange["added"]) {
  return flights.slice(1).flatMap((onward, index) => {
    const arriving = flights[index];
    if (arriving === undefined) return [];
    const minutes = Temporal.PlainDateTime.from(arriving.arrivingAt)
      .until(Temporal.PlainDateTime.from(onward.departingAt))
      .total("minutes");
    return [{ at: onward.origin, minutes: Math.round(minutes), isEnough: minutes >= SHORTEST_MINUTES }];
  });
}

function sayDecision({ added, answerBy }: ScheduleChange): string {
  const until = answerBy === null ? "before the first departure" : `until ${answerBy}`;
  if (added.length === 0)
    return `The airline cancelled the flights. Answer ${until}: refuse gives the order back if its whole price comes back; cancelled leaves it, to ask the airline for another flight, which options and duties describe.`;
  return `The airline moved the flights. Answer ${until}: accept takes the new times for nothing; refuse gives the order back if its whole price comes back; cancelled leaves it, to answer in another way, which options and duties describe.`;
}

async function accept({ call }: Steps, changeId: string, { totalCurrency }: Order) {
  const { confirmedAt, slices } = await call("confirm_order_change", {
    changeId,
    payment: { type: "balance", amount: "0", currency: totalCurrency },
  });
  return { end: "accepted", confirmedAt, slices };
}

/** Gives the order back only if that loses nothing. */
async function refuse({ call }: Steps, { orderId, totalAmount, totalCurrency }: Order) {
  const quote = await call("cancel_order_quote", { orderId });
  const [refund, total] = [parseDecimal(quote.refundAmount ?? ""), parseDecimal(totalAmount)];
  const isWhole =
    refund !== undefined && total !== undefined && refund >= total && quote.refundCurrency === totalCurrency;
  if (!isWhole) return { end: "not_refused", reason: NOT_EVERYTHING };
  const { refundedUsdc, releasedUsdc } = await call("confirm_cancel_order", { cancellationId: quote.cancellationId });
  return { end: "refused", refundedUsdc, releasedUsdc };
}
