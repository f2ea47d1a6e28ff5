import { z } from "zod";
import { findTimeZones, TimeZones } from "../../../domain/travel/time-zones.ts";
import { type Caller, Replayed } from "../../../kernel/contracts/tool.ts";
import { orderKey } from "../../../kernel/contracts/trip-note.ts";
import { NextStep } from "../../bookings/index.ts";
import { refreshHold } from "../../orders/index.ts";
import { defineTool, type Ports } from "../context.ts";
import { checkHold } from "../ordering/book-flight.ts";
import { findTwiceOfOrder } from "../ordering/booked-twice.ts";
import { BookFlightInput, bookErrors, toAskedFlight } from "../ordering/booking-input.ts";
import { holdFlight as hold, planHold } from "../ordering/hold-flight.ts";
import { HoldResult } from "../ordering/hold-steps.ts";

/** Services and credits are never held. */
const {
  service_not_available: _service,
  credit_not_found: _credit,
  credit_not_applicable: _applicable,
  ...holdErrors
} = bookErrors;

export const holdFlight = defineTool({
  name: "hold_flight",
  title: "Hold a flight",
  titles: {
    en: "Hold this flight without paying yet",
    de: "Diesen Flug vormerken, noch ohne Zahlung",
    fr: "Retenir ce vol, sans paiement pour l’instant",
    es: "Retener este vuelo, todavía sin pagar",
    pt: "Reter este voo, ainda sem pagamento",
    "pt-BR": "Segurar este voo, ainda sem pagamento",
    ja: "このフライトを仮予約（お支払いは後ほど）",
  },
  summary:
    "Hold an offer with the airline without payment. To pay for it before holdUntil, call book_flight with the same offer.",
  advice:
    "Holding is free; cancel_order_quote gives it up. Not for offers with requiresInstantPayment. A held order never gets seats or airline credit: for these, book_flight at once. Bags can come with its payment.",
  area: "flights",
  effect: "write",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["flights", "flightServicing", "travelers", "stores", "maps", "clock", "random", "fx"],
  // An airline holds no services and takes no credit for a hold.
  input: BookFlightInput.omit({ services: true, airlineCreditId: true }),
  output: HoldResult.extend({
    status: z
      .enum(["held", "paid", "cancelled", "lapsed"])
      .describe("Its current state: paid by book_flight, cancelled, or lapsed because it was not paid in time"),
    timeZones: TimeZones,
    next: NextStep,
  }),
  errors: {
    ...holdErrors,
    outcome_unknown:
      "The supplier has not confirmed the hold yet; nothing is owed. Call again with the same offer: you get the result, never a second order.",
    booking_in_progress:
      "An earlier call is holding or booking this offer. Call again with the same offer to get its result.",
    hold_not_available:
      "The airline does not hold this offer. Nothing was ordered. Book it now with book_flight, or hold another offer.",
  },
  example: (_today, { holdableOfferId }) => ({ offerId: holdableOfferId }),
  remember: (_input, { orderId, pnr, totalAmount, totalCurrency, holdUntil }) => ({
    kind: "order",
    key: orderKey(orderId),
    text: `A flight was held for ${totalAmount} ${totalCurrency}.`,
    details: { orderId, pnr, totalAmount, totalCurrency, holdUntil },
  }),

  plan: (input, ports) => planHold(ports, toAskedFlight(input)),

  async probe(input, { flights, flightServicing, travelers, stores, clock, fx, caller }) {
    await checkHold({ flights, flightServicing, travelers, stores, clock, fx }, { ...toAskedFlight(input), caller });
  },

  complete: buildAnswer,

  async run(input, { flights, flightServicing, travelers, stores, maps, clock, random, fx, caller, call }) {
    const answer = await hold(
      { flights, flightServicing, travelers, stores, clock, fx },
      { ...toAskedFlight(input), caller, callId: call.id },
      { random, progress: call.progress },
    );
    if (answer.kind === "replayed") {
      const { orderId } = HoldResult.parse(answer.result);
      const known = await stores.orders.find(caller.tenantId, caller.environment, orderId);
      // Only the supplier knows whether it is still held; if it does not answer, the recorded state is returned.
      if (known?.status === "held") {
        await refreshHold({ stores, flightServicing, clock }, known).catch(() => undefined);
      }
    }
    const result = await buildAnswer(answer.result, { stores, maps, caller });
    return answer.kind === "replayed" ? new Replayed(result, answer.firstCallId) : result;
  },
});

/** The stored answer lacks the order's current state and the time zones. */
async function buildAnswer(
  stored: unknown,
  { stores, maps, caller }: Pick<Ports, "stores" | "maps"> & { caller: Pick<Caller, "tenantId" | "environment"> },
) {
  const held = HoldResult.parse(stored);
  const order = await stores.orders.find(caller.tenantId, caller.environment, held.orderId);
  const status = STATUS[order?.status ?? "held"];
  const twice = status === "held" ? await findTwiceOfOrder({ stores, maps, caller }, held) : [];
  const next = [...twice.map(({ warning }) => warning), sayNext(held, status)].join(" ");
  return { ...held, status, timeZones: findTimeZones(held.slices, maps), next };
}

const STATUS = { held: "held", confirmed: "paid", cancelled: "cancelled", lapsed: "lapsed" } as const;

function sayNext(held: z.output<typeof HoldResult>, status: string): string {
  const { offerId, orderId, holdUntil, priceGuaranteedUntil: guarantee } = held;
  switch (status) {
    case "held":
      return `Nothing is paid yet. Call book_flight with offerId ${offerId} and the same travelers ${holdUntil === null ? "soon" : `before ${holdUntil}`} to pay for it, or cancel_order_quote with orderId ${orderId} to give it back.${guarantee === null ? "" : ` Its price is guaranteed only until ${guarantee}.`}`;
    case "paid":
      return `It is paid for: read_order with orderId ${orderId} shows it.`;
    case "lapsed":
      return "It was not paid in time, and the airline released it. Nothing is owed; search again.";
    default:
      return "The hold was cancelled, and nothing is owed. Search again to book another offer.";
  }
}
