import { airlineError, invalidField, invalidState } from "../http/errors.ts";
import { derivedId, newBookingReference, newRequestCore } from "../ids.ts";
import { formatMoney } from "../money.ts";
import { CURRENCY, renderOffer } from "../offers/render.ts";
import { PRICE_RISE_PERMILLE } from "../offers/routes.ts";
import type { FoundOffer, OfferStore } from "../offers/store.ts";
import { type Fault, type Sandbox, ticketingFault } from "../sandbox.ts";
import type { Queryable } from "../storage/database.ts";
import { emit } from "../webhooks/events.ts";
import { spendCredit } from "./balance.ts";
import {
  checkHoldable,
  checkOrderShape,
  checkPassengers,
  type OrderBody,
  type PaymentBody,
  readAmount,
} from "./parse.ts";
import { recordPayment } from "./payment-rows.ts";
import { type OrderDetails, type OrderRow, renderOrder } from "./rows.ts";
import { scheduleLapse, scheduleTicketing } from "./ticketing.ts";

const NO_LONGER_AVAILABLE =
  "Please select another offer, or create a new offer request to get the latest availability.";

function takeOverDetails(found: FoundOffer, orderCore: string, body: OrderBody): OrderDetails {
  const wire = renderOffer(found.offer, found.request);
  const offerPart = found.offer.id.slice("off_0000".length);
  // Two orders of one offer have slices and segments of their own.
  const own = (id: string) => id.replace(offerPart, `${orderCore}00`);
  return {
    owner: wire.owner,
    conditions: wire.conditions,
    slices: wire.slices.map((slice) => ({
      ...slice,
      id: own(slice.id),
      segments: slice.segments.map((segment) => ({ ...segment, id: own(segment.id) })),
    })),
    passengers: body.passengers.map((passenger) => {
      const asked = found.request.passengers.find((candidate) => candidate.id === passenger.id);
      return {
        ...passenger,
        user_id: passenger.user_id ?? null,
        infant_passenger_id: passenger.infant_passenger_id ?? null,
        loyalty_programme_accounts: passenger.loyalty_programme_accounts ?? asked?.loyaltyAccounts ?? [],
        type: asked?.type ?? "adult",
        age: asked?.age ?? null,
        fare_type: asked?.fareType ?? null,
      };
    }),
    refundsAsCredit: found.offer.testRoute === "credit_refund",
  };
}

/** Credits first; the rest must then be paid exactly by the other entries. */
async function payInstantly(
  tx: Queryable,
  row: OrderRow,
  payments: readonly PaymentBody[],
  nowMs: number,
): Promise<void> {
  const total = BigInt(row.total_micro);
  let open = total;
  for (const [index, payment] of payments.entries()) {
    if (payment.type !== "airline_credit") continue;
    if (payment.airline_credit_id === undefined) {
      throw invalidField(
        "validation_required",
        `payments/${index}/airline_credit_id`,
        "Field 'airline_credit_id' can't be blank",
      );
    }
    const askedMicro = payment.amount === undefined ? undefined : readAmount(payment, `payments/${index}`);
    const airline = row.details.owner.iata_code;
    const covered = await spendCredit(tx, {
      creditId: payment.airline_credit_id,
      airline,
      askedMicro,
      openMicro: open,
      orderId: row.id,
      nowMs,
    });
    open -= covered;
    await recordPayment(tx, {
      orderId: row.id,
      type: payment.type,
      amountMicro: covered,
      creditId: payment.airline_credit_id,
      nowMs,
    });
  }
  for (const [index, payment] of payments.entries()) {
    if (payment.type === "airline_credit") continue;
    if (payment.type === "card")
      throw invalidField("validation_inclusion", `payments/${index}/type`, "Cards are not accepted by this account");
    if (payment.currency !== CURRENCY) {
      throw invalidField(
        "payment_currency_does_not_match_order_currency",
        `payments/${index}/currency`,
        `The order is priced in ${CURRENCY}`,
      );
    }
    const amountMicro = readAmount(payment, `payments/${index}`);
    if (amountMicro > open || amountMicro === 0n) {
      throw invalidField(
        "payment_amount_does_not_match_order_amount",
        `payments/${index}/amount`,
        `The amount to pay is ${formatMoney(open)}`,
      );
    }
    open -= amountMicro;
    await recordPayment(tx, { orderId: row.id, type: payment.type, amountMicro, creditId: undefined, nowMs });
  }
  if (open !== 0n) {
    throw invalidField(
      "payment_amount_does_not_match_order_amount",
      "payments/0/amount",
      `${formatMoney(open)} of ${formatMoney(total)} is not paid`,
    );
  }
}

async function checkUsers(db: Queryable, body: OrderBody): Promise<void> {
  const named = [...(body.users ?? []), ...body.passengers.flatMap((passenger) => passenger.user_id ?? [])];
  if (named.length === 0) return;
  const { rows } = await db.query<{ id: string }>("SELECT id FROM customer_users WHERE id = ANY ($1)", [named]);
  const unknown = named.find((id) => !rows.some((row) => row.id === id));
  if (unknown !== undefined) throw invalidField("validation_inclusion", "users", `'${unknown}' is not a customer user`);
}

/** Makes an order and commits it. The same offer may be ordered again: nothing here guards against it. */
export async function createOrder(
  sandbox: Sandbox,
  offers: OfferStore,
  body: OrderBody,
  fault: Fault | undefined,
): Promise<OrderRow> {
  checkOrderShape(body);
  const [offerId = ""] = body.selected_offers;
  const found = await offers.find(offerId);
  if (found === undefined)
    throw invalidField("validation_inclusion", "selected_offers/0", "The selected offer does not exist");
  const { offer } = found;
  const nowMs = sandbox.clock.nowMs();
  if (fault?.kind === "offer_expired") await offers.withdraw(sandbox.db, offer.id);
  if (found.gone) throw invalidState("offer_no_longer_available", NO_LONGER_AVAILABLE);
  if (offer.expiresAtMs <= nowMs || fault?.kind === "offer_expired")
    throw invalidState("offer_expired", "The selected offer has expired. Please search again.");
  checkPassengers(body, found);
  checkHoldable(body, found);
  await checkUsers(sandbox.db, body);
  if (offer.testRoute === "insufficient_balance")
    throw airlineError("insufficient_balance", "Your balance does not cover this order.");
  if (fault?.kind === "price_changed" || offer.testRoute === "price_change") {
    // The test route changes its price once and is gone at the second try, as the documented one does.
    const raised =
      offer.testRoute === "price_change" && fault === undefined && (await hasChanged(sandbox.db, offer.id));
    if (raised) throw invalidState("offer_no_longer_available", NO_LONGER_AVAILABLE);
    await offers.raisePrice(sandbox.db, offer.id, PRICE_RISE_PERMILLE);
    throw invalidField(
      "price_changed",
      "selected_offers/0",
      "The price of the selected offer has changed. Retrieve the offer to see its new price.",
    );
  }

  const orderCore = newRequestCore();
  const orderId = derivedId("ord", orderCore, 0);
  const details = takeOverDetails(found, orderCore, body);
  const instant = body.type === "instant";
  return sandbox.db.transaction(async (tx) => {
    const { rows } = await tx.query<OrderRow>(
      `INSERT INTO orders (id, offer_id, booking_reference, type, state, ticketing, ticketing_fault, ticketing_delay_ms, total_micro, tax_micro,
         paid_micro, metadata, users, details, created_ms, payment_required_by_ms, price_guarantee_ms, paid_ms)
       VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18) RETURNING *`,
      [
        orderId,
        offer.id,
        newBookingReference(),
        body.type,
        instant ? "paid" : "held",
        instant ? "pending" : "none",
        ticketingFault(fault)?.kind ?? null,
        ticketingFault(fault)?.delayMs ?? 0,
        offer.totalMicro.toString(),
        offer.taxMicro.toString(),
        instant ? offer.totalMicro.toString() : "0",
        JSON.stringify(body.metadata ?? {}),
        JSON.stringify(body.users ?? []),
        JSON.stringify(details),
        nowMs,
        instant ? null : offer.paymentRequiredByMs,
        instant ? null : offer.priceGuaranteeExpiresAtMs,
        instant ? nowMs : null,
      ],
    );
    const [row] = rows;
    if (row === undefined) throw new Error("the new order was not returned");
    if (instant) {
      await payInstantly(tx, row, body.payments ?? [], nowMs);
      await scheduleTicketing(tx, row, nowMs);
    } else {
      await scheduleLapse(tx, row);
    }
    await emit(tx, "order.created", renderOrder(row), nowMs);
    return row;
  });
}

async function hasChanged(db: Queryable, offerId: string): Promise<boolean> {
  const { rowCount } = await db.query("SELECT 1 FROM offer_changes WHERE offer_id = $1", [offerId]);
  return rowCount === 1;
}
