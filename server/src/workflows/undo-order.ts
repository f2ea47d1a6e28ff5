import { z } from "zod";
import { formatDecimal, type Micro } from "../domain/money.ts";
import type { OrderEnd } from "../kernel/contracts/workflow.ts";
import { unless } from "./booking-parts.ts";
import { micro } from "./budget.ts";
import type { Steps } from "./tools.ts";

const Refund = z.object({ refundedUsdc: z.string().default("0"), releasedUsdc: z.string().default("0") });
/** Such as one whose tickets were refused and whose price was refunded then. */
const GONE_ALREADY: ReadonlySet<string> = new Set(["already_cancelled"]);

/** An order that a run has booked. */
export interface BoughtOrder {
  orderId: string;
  chargedUsdc: string;
  coveredUsdc: string;
}

export const totalCost = ({ chargedUsdc, coveredUsdc }: BoughtOrder): string =>
  formatDecimal(micro(chargedUsdc) + micro(coveredUsdc));

/** Undoes an order at the supplier when the run is undone. */
export function undoOrder({ call, undo }: Steps, order: BoughtOrder): void {
  const { orderId } = order;
  const buildEnd = (back: Micro): OrderEnd => {
    const paid = micro(totalCost(order));
    const refunded = back < paid ? back : paid;
    const amounts = { paidUsdc: paid, refundedUsdc: refunded, lostUsdc: paid - refunded };
    return {
      orderId,
      paidUsdc: formatDecimal(amounts.paidUsdc),
      refundedUsdc: formatDecimal(amounts.refundedUsdc),
      lostUsdc: formatDecimal(amounts.lostUsdc),
    };
  };
  const cancel = async (): Promise<OrderEnd> => {
    const { cancellationId } = await call("cancel_order_quote", { orderId });
    return buildEnd(given(await call("confirm_cancel_order", { cancellationId })));
  };
  const quote = async (): Promise<OrderEnd> => {
    const { refundUsdc, releasedUsdc } = await call("cancel_order_quote", { orderId });
    return buildEnd(given({ refundedUsdc: refundUsdc ?? "0", releasedUsdc }));
  };
  const orElseGone = async (work: () => Promise<OrderEnd>): Promise<OrderEnd> =>
    (await unless(GONE_ALREADY, work)) ?? buildEnd(await givenBackBefore(call, orderId));
  undo(
    () => orElseGone(cancel),
    () => orElseGone(quote),
  );
}

const given = ({ refundedUsdc, releasedUsdc }: z.infer<typeof Refund>): Micro =>
  micro(refundedUsdc) + micro(releasedUsdc);

/** By the order's own history. */
async function givenBackBefore(call: Steps["call"], orderId: string): Promise<Micro> {
  const { history } = await call("read_order", { orderId });
  return history
    .filter(({ kind }) => kind === "refunded")
    .reduce((sum, { details }) => sum + given(Refund.parse(details)), 0n);
}
