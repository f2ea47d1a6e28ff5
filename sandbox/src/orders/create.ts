import { servicesMayBeHeld } from "../control/capabilities.ts";
import { airlineError, invalidField, invalidState } from "../http/errors.ts";
import { derivedId, newBookingReference, newRequestCore } from "../ids.ts";
import { PRICE_RISE_PERMILLE } from "../offers/open.ts";
import { renderOffer } from "../offers/render.ts";
import { type FoundOffer, type OfferStore, offerJourney } from "../offers/store.ts";
import { type Fault, type Sandbox, ticketingFault } from "../sandbox.ts";
import { bookServices, chooseServices, loseServices, sumServices } from "../seats/booked.ts";
import type { Queryable } from "../storage/database.ts";
import { emit } from "../webhooks/events.ts";
import { checkDocuments, checkHoldable, checkOrderShape, checkPassengers, type OrderBody } from "./parse.ts";
import { payInstantly } from "./pay-instantly.ts";
import { type OrderDetails, type OrderRow, renderOrder } from "./rows.ts";
import { scheduleLapse, scheduleTicketing } from "./ticketing.ts";

const NO_LONGER_AVAILABLE =
  "Please select another offer, or create a new offer request to get the latest availability.";

function takeOverDetails(found: FoundOffer, own: (id: string) => string, body: OrderBody): OrderDetails {
  const wire = renderOffer(found.offer, found.request);
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
    sliceFares: found.offer.sliceFares.map((fare) => ({
      totalMicro: fare.totalMicro.toString(),
      taxMicro: fare.taxMicro.toString(),
    })),
    privateFares: found.request.privateFares,
  };
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
  const instant = body.type === "instant";
  checkOrderShape(body, await servicesMayBeHeld(sandbox.db));
  const [offerId = ""] = body.selected_offers;
  const found = await offers.find(offerId);
  if (found === undefined)
    throw invalidField("validation_inclusion", "selected_offers/0", "The selected offer does not exist");
  const { offer } = found;
  const nowMs = sandbox.clock.nowMs();
  if (fault?.kind === "offer_expired") await offers.withdraw(sandbox.db, offer.id);
  if (found.gone) throw invalidState("offer_no_longer_available", NO_LONGER_AVAILABLE);
  if (fault?.kind === "sold_out") {
    await offers.withdraw(sandbox.db, offer.id);
    throw invalidState("offer_no_longer_available", NO_LONGER_AVAILABLE);
  }
  if (offer.expiresAtMs <= nowMs || fault?.kind === "offer_expired")
    throw invalidState("offer_expired", "The selected offer has expired. Please search again.");
  checkPassengers(body, found);
  checkDocuments(body, renderOffer(offer, found.request));
  checkHoldable(body, found);
  await checkUsers(sandbox.db, body);
  const chosen = chooseServices(offerJourney(found), body.services ?? [], [], "services");
  await loseServices(sandbox.db, chosen, fault, "services");
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
  // Two orders of one offer have slices and segments of their own.
  const own = (id: string) => id.replace(offer.id.slice("off_0000".length), `${orderCore}00`);
  const details = takeOverDetails(found, own, body);
  return sandbox.db.transaction(async (tx) => {
    const services = await bookServices(tx, orderId, chosen, "services", own);
    const total = (offer.totalMicro + sumServices(services)).toString();
    const { rows } = await tx.query<OrderRow>(
      `INSERT INTO orders (id, offer_id, booking_reference, type, state, ticketing, ticketing_fault, ticketing_delay_ms, total_micro, tax_micro,
         paid_micro, metadata, users, details, created_ms, payment_required_by_ms, price_guarantee_ms, paid_ms, services)
       VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18,$19) RETURNING *`,
      [
        orderId,
        offer.id,
        newBookingReference(),
        body.type,
        instant ? "paid" : "held",
        instant ? "pending" : "none",
        ticketingFault(fault)?.kind ?? null,
        ticketingFault(fault)?.delayMs ?? 0,
        total,
        offer.taxMicro.toString(),
        instant ? total : "0",
        JSON.stringify(body.metadata ?? {}),
        JSON.stringify(body.users ?? []),
        JSON.stringify(details),
        nowMs,
        instant ? null : offer.paymentRequiredByMs,
        instant ? null : offer.priceGuaranteeExpiresAtMs,
        instant ? nowMs : null,
        JSON.stringify(services),
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
