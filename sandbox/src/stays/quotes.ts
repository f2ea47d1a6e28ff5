// A quote: one rate, looked at again and held for a while at the price that a booking will cost.
import { Hono } from "hono";
import { z } from "zod";
import { formatIn, roundIn } from "../currencies.ts";
import { invalidState, notFound } from "../http/errors.ts";
import { readData } from "../http/wire.ts";
import { newId } from "../ids.ts";
import { applyPermille } from "../money.ts";
import type { Env, Fault, Router, Sandbox } from "../sandbox.ts";
import type { Queryable } from "../storage/database.ts";
import type { StayFinder } from "./finder.ts";
import type { Rate } from "./rates.ts";
import { renderAccommodation, renderGuests } from "./render.ts";
import { STAY_SEARCH_LIFE_MS } from "./search.ts";

const QuoteBody = z.object({ rate_id: z.string() });
const QUOTE_LIFE_MS = 30 * 60_000;
const PRICE_RISE_PERMILLE = 1070;

/** The contents of a quote and later of its booking, as of the quote. Pictures are stored without their host. */
export type QuoteDetails = {
  checkIn: string;
  checkOut: string;
  rooms: number;
  guests: ReturnType<typeof renderGuests>;
  accommodation: ReturnType<typeof renderAccommodation>;
  /** Absent: stored when all stays were sold in dollars. */
  currency?: string;
  taxMicro: string;
  dueAtHotelMicro: string;
  timeline: { beforeMs: number; refundMicro: string }[];
};

export function quoteCurrency({ currency = "USD" }: Pick<QuoteDetails, "currency">): string {
  return currency;
}

export type QuoteRow = {
  id: string;
  rate_id: string;
  total_micro: string;
  details: QuoteDetails;
  expires_ms: string;
  created_ms: string;
};

function raise(rate: Rate): Rate {
  const raised = (micro: bigint) => roundIn(rate.currency, applyPermille(micro, PRICE_RISE_PERMILLE));
  return {
    ...rate,
    totalMicro: raised(rate.totalMicro),
    taxMicro: raised(rate.taxMicro),
    timeline: rate.timeline.map((step) => ({ ...step, refundMicro: raised(step.refundMicro) })),
  };
}

export function withPictures(accommodation: QuoteDetails["accommodation"], baseUrl: string) {
  const absolutePhotos = (photos: readonly { url: string }[]) =>
    photos.map((photo) => ({ url: `${baseUrl}${photo.url}` }));
  return {
    ...accommodation,
    photos: absolutePhotos(accommodation.photos),
    rooms: accommodation.rooms.map((room) => ({ ...room, photos: absolutePhotos(room.photos) })),
  };
}

function renderQuote(row: QuoteRow, baseUrl: string) {
  const { details } = row;
  const currency = quoteCurrency(details);
  const total = BigInt(row.total_micro);
  const tax = BigInt(details.taxMicro);
  return {
    id: row.id,
    live_mode: false,
    check_in_date: details.checkIn,
    check_out_date: details.checkOut,
    rooms: details.rooms,
    guests: details.guests,
    accommodation: withPictures(details.accommodation, baseUrl),
    base_amount: formatIn(currency, total - tax),
    base_currency: currency,
    tax_amount: formatIn(currency, tax),
    tax_currency: currency,
    fee_amount: formatIn(currency, 0n),
    fee_currency: currency,
    total_amount: formatIn(currency, total),
    total_currency: currency,
    due_at_accommodation_amount: formatIn(currency, BigInt(details.dueAtHotelMicro)),
    due_at_accommodation_currency: currency,
    deposit_amount: null,
    deposit_currency: currency,
    supported_loyalty_programme: details.accommodation.supported_loyalty_programme,
  };
}

export function rateUnavailable() {
  return invalidState("rate_unavailable", "The rate is no longer available. Please search again.");
}

export async function findQuote(db: Queryable, id: string): Promise<QuoteRow | undefined> {
  return (await db.query<QuoteRow>("SELECT * FROM stay_quotes WHERE id = $1", [id])).rows[0];
}

async function makeQuote(
  sandbox: Sandbox,
  finder: StayFinder,
  rateId: string,
  fault: Fault | undefined,
): Promise<QuoteRow> {
  const nowMs = Math.floor(sandbox.clock.nowMs());
  const { search, hotel, rate: listed } = await finder.findRate(rateId);
  if (fault?.kind === "sold_out" || fault?.kind === "offer_expired") throw rateUnavailable();
  // A quote is where the supplier asks the hotel: its price may differ from the one that was listed.
  const rate = fault?.kind === "price_changed" ? raise(listed) : listed;
  const accommodation = renderAccommodation(hotel, "", [rate], search.createdAtMs + STAY_SEARCH_LIFE_MS);
  const details: QuoteDetails = {
    checkIn: search.checkIn,
    checkOut: search.checkOut,
    rooms: search.rooms,
    guests: renderGuests(search),
    accommodation: { ...accommodation, rooms: accommodation.rooms.filter((room) => room.rates.length > 0) },
    currency: rate.currency,
    taxMicro: rate.taxMicro.toString(),
    dueAtHotelMicro: rate.dueAtHotelMicro.toString(),
    timeline: rate.timeline.map((step) => ({ beforeMs: step.beforeMs, refundMicro: step.refundMicro.toString() })),
  };
  const { rows } = await sandbox.db.query<QuoteRow>(
    `INSERT INTO stay_quotes (id, rate_id, total_micro, details, expires_ms, created_ms)
     VALUES ($1,$2,$3,$4,$5,$6) RETURNING *`,
    [newId("quo"), rate.id, rate.totalMicro.toString(), JSON.stringify(details), nowMs + QUOTE_LIFE_MS, nowMs],
  );
  const [row] = rows;
  if (row === undefined) throw new Error("the new quote was not returned");
  return row;
}

export function quoteRoutes(sandbox: Sandbox, finder: StayFinder): Router {
  const routes = new Hono<Env>({ strict: false });
  routes.post("/stays/quotes", async (context) => {
    const { rate_id: rateId } = await readData(context, QuoteBody);
    const row = await makeQuote(sandbox, finder, rateId, context.env.fault);
    return context.json({ data: renderQuote(row, context.env.baseUrl) }, 201);
  });
  routes.get("/stays/quotes/:id", async (context) => {
    const row = await findQuote(sandbox.db, context.req.param("id"));
    if (row === undefined) throw notFound();
    return context.json({ data: renderQuote(row, context.env.baseUrl) });
  });
  return routes;
}
