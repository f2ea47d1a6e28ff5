import { z } from "zod";
import { parseDecimal } from "../../../domain/money.ts";
import { Conditions } from "../../../domain/travel/offer-schema.ts";
import { supplierErrors } from "../../../domain/travel/supplier-errors.ts";
import { findTimeZones, TimeZones } from "../../../domain/travel/time-zones.ts";
import { type Caller, Replayed } from "../../../kernel/contracts/tool.ts";
import type { OrderDetails } from "../../../ports/supplier/flight-servicing.ts";
import { type Booking, ChargeTxHash, readChargeHash } from "../../bookings/index.ts";
import { FlightTerms, flightTerms } from "../../orders/index.ts";
import { payingErrors, sendOutErrors } from "../../treasury/index.ts";
import { listStaysNear, sayDearer, sayUnfitStays } from "../after-change/after-change.ts";
import { ChangeResult, StaysAffected } from "../change-order.ts";
import { checkPaidChange, confirmChange } from "../confirm-change.ts";
import { defineTool, type Ports } from "../context.ts";
import { describeOrderNow } from "../order-now.ts";
import { planChange } from "../plan-servicing.ts";
import { commitErrors } from "../servicing-errors.ts";

const PAID =
  "The order is changed and paid as shown here: penalty and fare difference went to the airline, which this service's operator pays through the supplier from the account that received chargedUsdc; none of it is held for you.";
const NEXT =
  "Bags and seats bought for the replaced flights (servicesLost of request_order_change) may be lost: read_order shows what is left in services, and the reissued tickets in tickets. conditions has the cost of cancelling or changing it again. The order's hashes in escrow (itineraryHash, ticketOrderHash) stay as booked. Stays and transfers for the old dates are not changed with it: staysAffected names the stays that no longer fit.";

function sayNext({
  chargedUsdc,
  refundedUsdc,
}: Pick<z.output<typeof ChangeResult>, "chargedUsdc" | "refundedUsdc">): string {
  const isNothing = (amount: string) => parseDecimal(amount) === 0n;
  if (!isNothing(refundedUsdc)) {
    return `The order is changed, and ${refundedUsdc} USDC are on their way to the treasury wallet: read_transaction follows refundTransferId. ${NEXT}`;
  }
  return isNothing(chargedUsdc) ? `The order is changed, and nothing was charged. ${NEXT}` : `${PAID} ${NEXT}`;
}

const CANCELLED = "The order was changed and has since been cancelled: read_order says what was refunded.";

const UNKNOWN_TERMS = { conditions: null, changeableUntil: null, refundableUntil: null };

export const confirmOrderChange = defineTool({
  name: "confirm_order_change",
  title: "Confirm an order's change",
  titles: {
    en: "Change this order",
    de: "Diese Buchung ändern",
    fr: "Modifier cette réservation",
    es: "Cambiar esta reserva",
    pt: "Alterar esta reserva",
    "pt-BR": "Alterar esta reserva",
    ja: "この予約を変更",
  },
  summary:
    "Pay for a selected change and make it. A negative difference is refunded to the treasury wallet. Repeating it never changes twice.",
  advice:
    "Last of three steps, after request_order_change and select_order_change_offer. The airline's own (scheduleChanges) needs this step alone, with amount 0.",
  area: "flights",
  effect: "spend",
  price: 20_000n,
  payableWithoutKey: false,
  uses: ["flights", "flightServicing", "stays", "stayBookings", "stores", "submission", "maps", "clock", "random"],
  input: z.strictObject({
    changeId: z.string().describe("From select_order_change_offer or scheduleChanges"),
    payment: z.strictObject({
      type: z
        .enum(["balance", "arc", "card"])
        .describe("balance: the treasury wallet's available balance; arc: a separate transfer first"),
      amount: z
        .string()
        .refine((text) => parseDecimal(text) !== undefined, { message: "must be a decimal amount, such as 12.34" })
        .describe('due.amount from select_order_change_offer; "0" if nothing is due'),
      currency: z
        .string()
        .refine((text) => /^[A-Za-z]{3}$/.test(text), { message: "must be a three-letter ISO 4217 code" })
        .describe("ISO 4217"),
    }),
  }),
  output: ChangeResult.extend({
    chargeTxHash: ChargeTxHash,
    timeZones: TimeZones,
    ...FlightTerms.shape,
    conditions: FlightTerms.shape.conditions
      .nullable()
      .describe("The cost of changing and cancelling from now on; null: the supplier is not answering"),
    staysAffected: StaysAffected,
  }),
  errors: {
    ...supplierErrors,
    ...commitErrors,
    change_in_progress: "An earlier call is confirming this change. Call again with the same id.",
    change_not_found: "You have no such change. select_order_change_offer gives the id.",
    change_expired: "The change can no longer be confirmed. Nothing happened; call request_order_change again.",
    order_not_changeable: "The supplier does not allow this change. The order stays as it was.",
    already_confirmed: "This change is already confirmed.",
    price_changed: "The change costs a different amount; see amount and currency. Nothing happened.",
    card_not_available: "Cards are not accepted here. Pay with type balance or arc.",
    insufficient_balance: payingErrors.insufficient_balance,
    transfer_reverted: sendOutErrors.transfer_reverted,
  },
  example: (_today, { changeId, changeAmount }) => ({
    changeId,
    payment: { type: "balance" as const, amount: changeAmount, currency: "USD" },
  }),
  gives: ({ orderId }) => ({ changedOrderId: orderId }),

  plan: ({ changeId, payment }, { stores, caller }) => planChange({ stores, caller }, changeId, payment),

  probe: (change, { caller, ...ports }) => checkPaidChange(ports, caller, change),

  complete: buildAnswer,

  async run(change, { caller, call, maps, ...ports }) {
    const { progress, isRepeat } = call;
    const answer = await confirmChange(ports, { caller, callId: call.id }, change, { progress, isRepeat });
    const result = await buildAnswer(answer.result, { ...ports, maps, caller });
    return answer.kind === "replayed" ? new Replayed(result, answer.firstCallId) : result;
  },
});

/** Answers with the stored change and the order as it is now. */
async function buildAnswer(
  stored: unknown,
  {
    maps,
    caller,
    ...ports
  }: Pick<Ports, "stores" | "flightServicing" | "submission" | "maps"> & {
    caller: Pick<Caller, "tenantId" | "environment" | "scopes">;
  },
) {
  const changed = ChangeResult.parse(stored);
  const { details, isCancelled, booking, ...now } = await describeOrderNow(ports, caller, changed.orderId);
  const chargeTxHash = await readChargeHash(ports.submission, changed.chargeTransferId);
  const terms = details === undefined ? UNKNOWN_TERMS : flightTerms(details, maps);
  const timeZones = findTimeZones(now.slices, maps);
  const answer = { ...changed, chargeTxHash, ...now, ...terms, timeZones };
  if (isCancelled) return { ...answer, next: CANCELLED };
  const { replaced } = Moved.parse(stored);
  const stays = await listStaysNear(ports.stores, caller, booking, replaced === null ? [] : [replaced]);
  const affected = replaced === null ? {} : sayUnfitStays(stays, replaced);
  return { ...answer, ...affected, next: [...sayDearerNow(booking, details), sayNext(changed)].join(" ") };
}

/** Kept with the stored answer; missing in answers of earlier releases. */
const Times = z.array(z.object({ segments: z.array(z.object({ departingAt: z.string(), arrivingAt: z.string() })) }));
const Moved = z.object({ replaced: z.object({ removed: Times, added: Times }).nullable().default(null) });

const BookedTerms = z.looseObject({ conditions: Conditions.nullable().default(null) });

/** Compared with the booking, since the terms before the change are not kept. */
function sayDearerNow(
  booking: Pick<Booking, "result"> | undefined,
  details: Pick<OrderDetails, "conditions"> | undefined,
): string[] {
  const booked = BookedTerms.safeParse(booking?.result).data?.conditions ?? null;
  if (booked === null || details === undefined) return [];
  const { refundBeforeDeparture: refund, changeBeforeDeparture: change } = details.conditions;
  return [
    sayDearer("Cancelling it", booked.refundBeforeDeparture, refund),
    sayDearer("Changing it again", booked.changeBeforeDeparture, change),
  ].flatMap((said) => said ?? []);
}
