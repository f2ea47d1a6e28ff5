import { z } from "zod";
import { supplierErrors } from "../../../domain/travel/supplier-errors.ts";
import { type Caller, Replayed } from "../../../kernel/contracts/tool.ts";
import { ChargeTxHash, readChargeHash } from "../../bookings/index.ts";
import { CancellationResult } from "../cancel-order.ts";
import { checkCancellation, confirmCancellation } from "../confirm-cancellation.ts";
import { defineTool, type Ports } from "../context.ts";
import { describeOrderNow } from "../order-now.ts";
import { planCancellation } from "../plan-servicing.ts";
import { alreadyCancelled, commitErrors, orderNotFound } from "../servicing-errors.ts";

export const confirmCancelOrder = defineTool({
  name: "confirm_cancel_order",
  title: "Confirm an order's cancellation",
  titles: {
    en: "Cancel this order",
    de: "Diese Buchung stornieren",
    fr: "Annuler cette réservation",
    es: "Cancelar esta reserva",
    pt: "Cancelar esta reserva",
    "pt-BR": "Cancelar esta reserva",
    ja: "この予約をキャンセル",
  },
  summary:
    "Cancel a flight order or a stay as quoted; the refund goes to the treasury wallet. Repeating it never cancels twice.",
  advice: "Only after cancel_order_quote. A trip's booking in escrow is cancelled separately, with cancel_booking.",
  area: "flights",
  effect: "spend",
  price: 20_000n,
  payableWithoutKey: false,
  uses: ["flights", "flightServicing", "stays", "stayBookings", "stores", "submission", "clock", "random"],
  input: z.strictObject({ cancellationId: z.string().describe("From cancel_order_quote") }),
  output: CancellationResult.extend({
    refundTxHash: ChargeTxHash.describe("For the refund, like refundTransferId"),
  }),
  errors: {
    ...supplierErrors,
    ...commitErrors,
    cancellation_in_progress: "An earlier call is confirming this cancellation. Call again with the same id.",
    cancellation_not_found: "You have no such cancellation. cancel_order_quote gives the id.",
    cancellation_expired: "The quote has expired. Nothing happened; call cancel_order_quote again.",
    cancellation_stale: "A newer quote or a change to the order replaced it. Nothing happened; request a new quote.",
    order_not_found: orderNotFound,
    order_not_cancellable: "The supplier does not allow this order to be cancelled. It stays as it was.",
    already_cancelled: alreadyCancelled,
    already_confirmed: "This cancellation is already confirmed.",
  },
  example: (_today, { cancellationId }) => ({ cancellationId }),

  plan: ({ cancellationId }, { stores, caller }) => planCancellation({ stores, caller }, cancellationId),

  probe: ({ cancellationId }, { caller, ...ports }) => checkCancellation(ports, caller, cancellationId),

  complete: buildAnswer,

  async run({ cancellationId }, { caller, call, ...ports }) {
    const { progress, isRepeat } = call;
    const answer = await confirmCancellation(ports, { caller, callId: call.id }, cancellationId, {
      progress,
      isRepeat,
    });
    const result = await buildAnswer(answer.result, { ...ports, caller });
    return answer.kind === "replayed" ? new Replayed(result, answer.firstCallId) : result;
  },
});

async function buildAnswer(
  stored: unknown,
  {
    stores,
    submission,
    caller,
  }: Pick<Ports, "stores" | "submission"> & { caller: Pick<Caller, "tenantId" | "environment"> },
) {
  const cancelled = CancellationResult.parse(stored);
  const {
    details: _,
    isCancelled: __,
    booking: ___,
    ...now
  } = await describeOrderNow({ stores, flightServicing: undefined }, caller, cancelled.orderId);
  const refundTxHash = await readChargeHash(submission, cancelled.refundTransferId);
  const home = await stores.boundChains.requireHome(caller.environment);
  const wallet = await stores.wallets.findTreasury(home, caller.tenantId);
  return { ...cancelled, refundTxHash, ...now, next: sayNext(cancelled, refundTxHash, wallet?.address) };
}

function sayNext(
  { credits, refundedUsdc, refundTransferId }: z.output<typeof CancellationResult>,
  txHash: string | null,
  address = "",
) {
  const wallet = `the treasury wallet ${address}`.trimEnd();
  if (credits.length > 0) return "Nothing is left to do: book_flight takes the airline credits as airlineCreditId.";
  if (refundTransferId === null) return "Nothing is left to do: no money is refunded to the treasury wallet.";
  return txHash === null
    ? `Nothing is left to do: ${refundedUsdc} USDC are being refunded to ${wallet}; call read_transaction with refundTransferId to follow it.`
    : `Nothing is left to do: ${refundedUsdc} USDC were refunded to ${wallet} in refundTxHash; read_transaction shows its block.`;
}
