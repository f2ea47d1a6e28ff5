import { type Context, Hono } from "hono";
import { z } from "zod";
import { airlineError, invalidField, invalidState, notFound } from "../http/errors.ts";
import { readData, readPage, selectPage, toListing } from "../http/wire.ts";
import { newBookingReference, newId } from "../ids.ts";
import { Metadata } from "../orders/rows.ts";
import type { Env, Fault, Router, Sandbox } from "../sandbox.ts";
import type { Queryable } from "../storage/database.ts";
import { cancelBooking, confirmBooking, schedule } from "./booking-jobs.ts";
import { type BookingRow, findBooking, renderBooking, VISIBLE } from "./booking-rows.ts";
import { findQuote, type QuoteRow, rateUnavailable } from "./quotes.ts";

const Name = z.string().trim().min(1).max(80);
const BookingBody = z.object({
  quote_id: z.string(),
  email: z.string().regex(/^[^\s@]+@[^\s@]+\.[^\s@]+$/u, "is not an e-mail address"),
  phone_number: z.string().regex(/^\+[1-9]\d{6,14}$/u, "is not a phone number in E.164 form"),
  guests: z.array(z.object({ given_name: Name, family_name: Name, user_id: z.string().nullish() })).min(1),
  loyalty_programme_account_number: z.string().min(1).max(100).nullish(),
  accommodation_special_requests: z.string().max(2000).nullish(),
  payment: z.unknown().optional(),
  users: z.array(z.string()).optional(),
  metadata: Metadata.nullish(),
});
type BookingBody = z.infer<typeof BookingBody>;

/** How long a booking that was only accepted stays undecided, unless the scenario says otherwise. */
const ACCEPTED_MS = 1_000;

async function checkUsers(db: Queryable, body: BookingBody): Promise<void> {
  const named = [...(body.users ?? []), ...body.guests.flatMap((guest) => guest.user_id ?? [])];
  if (named.length === 0) return;
  const { rows } = await db.query<{ id: string }>("SELECT id FROM customer_users WHERE id = ANY ($1)", [named]);
  const unknown = named.find((id) => !rows.some((row) => row.id === id));
  if (unknown !== undefined) throw invalidField("validation_inclusion", "users", `'${unknown}' is not a customer user`);
}

async function checkBookable(
  sandbox: Sandbox,
  body: BookingBody,
  fault: Fault | undefined,
  nowMs: number,
): Promise<QuoteRow> {
  if (body.payment !== undefined && body.payment !== null)
    throw invalidField("validation_inclusion", "payment", "Cards are not accepted by this account");
  const quote = await findQuote(sandbox.db, body.quote_id);
  if (quote === undefined) throw invalidField("validation_inclusion", "quote_id", "The quote does not exist");
  await checkUsers(sandbox.db, body);
  if (body.guests.length > quote.details.guests.length)
    throw invalidField("validation_length", "guests", "There are more guests than the quote is for");
  if (
    typeof body.loyalty_programme_account_number === "string" &&
    quote.details.accommodation.supported_loyalty_programme === null
  ) {
    throw invalidField(
      "validation_absence",
      "loyalty_programme_account_number",
      "The accommodation supports no loyalty programme",
    );
  }
  if (Number(quote.expires_ms) <= nowMs || fault?.kind === "offer_expired")
    throw invalidState("quote_expired", "The quote has expired. Please make a new one.");
  if (fault?.kind === "sold_out") throw rateUnavailable();
  if (fault?.kind === "price_changed")
    throw invalidField("price_changed", "quote_id", "The price of the rate has changed. Please make a new quote.");
  if (fault?.kind === "insufficient_balance")
    throw airlineError("insufficient_balance", "Your balance does not cover this booking.");
  return quote;
}

/**
 * Makes a booking and commits it; undefined when it was only accepted. A quote may be booked again: nothing here guards
 * against it, as with orders.
 */
async function createBooking(
  sandbox: Sandbox,
  body: BookingBody,
  fault: Fault | undefined,
): Promise<BookingRow | undefined> {
  const nowMs = Math.floor(sandbox.clock.nowMs());
  const quote = await checkBookable(sandbox, body, fault, nowMs);
  const outcome = acceptedOnly(fault);
  return sandbox.db.transaction(async (tx) => {
    const { rows } = await tx.query<BookingRow>(
      `INSERT INTO stay_bookings (id, quote_id, reference, status, total_micro, contact, guests, users, metadata, details, created_ms)
       VALUES ($1,$2,$3,'pending',$4,$5,$6,$7,$8,$9,$10) RETURNING *`,
      [
        newId("bok"),
        quote.id,
        newBookingReference(),
        quote.total_micro,
        JSON.stringify({
          email: body.email,
          phoneNumber: body.phone_number,
          loyaltyNumber: body.loyalty_programme_account_number ?? null,
          specialRequests: body.accommodation_special_requests ?? null,
        }),
        JSON.stringify(body.guests.map((guest) => ({ ...guest, user_id: guest.user_id ?? null }))),
        JSON.stringify(body.users ?? []),
        JSON.stringify(body.metadata ?? {}),
        JSON.stringify(quote.details),
        nowMs,
      ],
    );
    const [row] = rows;
    if (row === undefined) throw new Error("the new booking was not returned");
    if (outcome === undefined) return confirmBooking(tx, row, nowMs);
    await schedule(tx, outcome === "done" ? "confirm" : "fail", row.id, nowMs + (fault?.delayMs || ACCEPTED_MS));
    return undefined;
  });
}

function acceptedOnly(fault: Fault | undefined): "done" | "failed" | undefined {
  if (fault?.kind === "accepted_then_done") return "done";
  return fault?.kind === "accepted_then_failed" ? "failed" : undefined;
}

/** Undefined when the cancellation was only accepted; then it happens later, or never. */
async function requestCancellation(
  sandbox: Sandbox,
  id: string,
  fault: Fault | undefined,
): Promise<BookingRow | undefined> {
  const nowMs = Math.floor(sandbox.clock.nowMs());
  const outcome = acceptedOnly(fault);
  return sandbox.db.transaction(async (tx) => {
    const booking = await findBooking(tx, id, true);
    if (booking === undefined) throw notFound();
    if (booking.status === "cancelled")
      throw invalidState("already_cancelled", "The booking has already been cancelled.");
    if (outcome === undefined) return cancelBooking(tx, booking, nowMs);
    if (outcome === "done") await schedule(tx, "cancel", id, nowMs + (fault?.delayMs || ACCEPTED_MS));
    return undefined;
  });
}

export function bookingRoutes(sandbox: Sandbox): Router {
  const routes = new Hono<Env>({ strict: false });
  /** Without a booking the answer is that it was accepted; a webhook says how it ended. */
  const answer = (context: Context<Env>, row: BookingRow | undefined, status: 200 | 201) =>
    row === undefined
      ? context.body(null, 202)
      : context.json({ data: renderBooking(row, context.env.baseUrl) }, status);

  routes.post("/stays/bookings", async (context) => {
    const row = await createBooking(sandbox, await readData(context, BookingBody), context.env.fault);
    sandbox.wake();
    return answer(context, row, 201);
  });
  routes.get("/stays/bookings", async (context) => {
    const page = readPage(context);
    const userId = context.req.query("user_id");
    const guest = "guests @> jsonb_build_array(jsonb_build_object('user_id', $1::text))";
    const filter = userId === undefined ? [VISIBLE] : [VISIBLE, `(users ? $1 OR ${guest})`];
    const values = userId === undefined ? [] : [userId];
    const rows = await selectPage<BookingRow>(sandbox.db, "stay_bookings", filter, values, page);
    return context.json(toListing(rows, page, (row) => renderBooking(row, context.env.baseUrl)));
  });
  routes.get("/stays/bookings/:id", async (context) => {
    const row = await findBooking(sandbox.db, context.req.param("id"));
    if (row === undefined) throw notFound();
    return answer(context, row, 200);
  });
  routes.post("/stays/bookings/:id/actions/cancel", async (context) => {
    const row = await requestCancellation(sandbox, context.req.param("id"), context.env.fault);
    sandbox.wake();
    return answer(context, row, 200);
  });
  return routes;
}
