// Order changes as they are stored and shown: what was asked for, what is offered, and what was chosen.
import { toIso } from "../clock.ts";
import { accountCurrency } from "../currencies.ts";
import { formatMoney } from "../money.ts";
import type { OrderDetails } from "../orders/rows.ts";
import type { WireSlice } from "../seats/services.ts";

/** Everything that a confirmed change does to an order. */
export type ChangePlan = {
  add: WireSlice[];
  remove: WireSlice[];
  sliceFares: OrderDetails["sliceFares"];
  conditions: OrderDetails["conditions"];
  taxMicro: string;
};

type Priced = {
  order_id: string;
  plan: ChangePlan;
  /** The order's total that the prices were worked out from: another total makes them stale. */
  order_total_micro: string;
  change_micro: string;
  new_total_micro: string;
  penalty_micro: string;
  refund_to: string | null;
};
export type ChangeRequestRow = {
  id: string;
  seq: string;
  order_id: string;
  slices: Record<string, unknown>;
  created_ms: string;
};
export type ChangeOfferRow = Priced & {
  id: string;
  seq: string;
  request_id: string;
  order_change_id: string | null;
  duration_ms: string;
  expires_ms: string;
  created_ms: string;
  updated_ms: string;
};
export type ChangeRow = Priced & {
  id: string;
  seq: string;
  offer_id: string;
  refund_micro: string;
  credit_refund_micro: string;
  payment_id: string | null;
  expires_ms: string;
  created_ms: string;
  confirmed_ms: string | null;
};

const money = (micro: string) => formatMoney(BigInt(micro));
const iso = (ms: string | null) => (ms === null ? null : toIso(Number(ms)));

function renderPrices(row: Priced) {
  return {
    slices: { add: row.plan.add, remove: row.plan.remove },
    change_total_amount: money(row.change_micro),
    change_total_currency: accountCurrency(),
    // No total of the order, which only the order itself says once it is changed.
    new_total_amount: "0.00",
    new_total_currency: accountCurrency(),
    penalty_total_amount: money(row.penalty_micro),
    penalty_total_currency: accountCurrency(),
    refund_to: row.refund_to,
    live_mode: false,
  };
}

export function renderChangeOffer(row: ChangeOfferRow) {
  return {
    id: row.id,
    order_change_id: row.order_change_id,
    ...renderPrices(row),
    // The wire has carried both names for the penalty.
    penalty_amount: money(row.penalty_micro),
    penalty_currency: accountCurrency(),
    expires_at: iso(row.expires_ms),
    created_at: iso(row.created_ms),
    updated_at: iso(row.updated_ms),
  };
}

export function renderChangeRequest(row: ChangeRequestRow, offers: readonly ChangeOfferRow[]) {
  return {
    id: row.id,
    order_id: row.order_id,
    slices: row.slices,
    order_change_offers: offers.map(renderChangeOffer),
    live_mode: false,
    created_at: iso(row.created_ms),
    updated_at: iso(row.created_ms),
  };
}

export function renderChange(row: ChangeRow) {
  return {
    id: row.id,
    order_id: row.order_id,
    ...renderPrices(row),
    available_payment_types: ["balance", "arc_bsp_cash"],
    expires_at: iso(row.expires_ms),
    created_at: iso(row.created_ms),
    confirmed_at: iso(row.confirmed_ms),
  };
}
