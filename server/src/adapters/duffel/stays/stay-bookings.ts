import { z } from "zod";
import type { StayBookings } from "../../../ports/supplier/stay-bookings.ts";
import type { DuffelClient } from "../client.ts";
import { failure } from "../errors.ts";
import { BOOKING_ID } from "../flights/map-orders.ts";
import { isSupplierId } from "../wire.ts";
import { toQuote, toStay, toStayBookingData, WireQuote, WireStayBooking } from "./map-stay-bookings.ts";
import { createNegotiatedRates } from "./negotiated-rates.ts";

const QUOTES = "/stays/quotes";
const BOOKINGS = "/stays/bookings";

/** A look-up that has read this many and found nothing proves nothing. */
const MOST_BOOKINGS = 5_000;
/** The supplier's clock may differ from ours. */
const CLOCK_DIFFERENCE_MINUTES = 60;

const Metadata = z.object({ metadata: z.record(z.string(), z.unknown()) });
const Confirmed = z.object({ confirmed_at: z.string() });

function readBookingId(booking: unknown): unknown {
  return Metadata.safeParse(booking).data?.metadata[BOOKING_ID];
}

function confirmedAt(booking: unknown): number | undefined {
  const at = Date.parse(Confirmed.safeParse(booking).data?.confirmed_at ?? "");
  return Number.isNaN(at) ? undefined : at;
}

/** Whether a page in the supplier's order, newest first, is entirely before `since`. */
function isBefore(page: readonly unknown[], since: number): boolean {
  const times = page.map(confirmedAt);
  return times.every(
    (time, index) => time !== undefined && time < since && time <= (times[index - 1] ?? Number.POSITIVE_INFINITY),
  );
}

export interface StayBookingsOptions {
  client: DuffelClient;
  quietMilliseconds: number;
  /** For quotes, for which the supplier asks the accommodation. */
  quoteTimeoutMilliseconds: number;
}

export function createStayBookings({
  client,
  quietMilliseconds,
  quoteTimeoutMilliseconds,
}: StayBookingsOptions): StayBookings {
  return {
    quietMilliseconds,

    async quoteStay(rateId, { signal } = {}) {
      if (!isSupplierId(rateId)) throw failure("rate_not_found");
      // An unbooked quote has no effect, so the request may be repeated although it is a POST.
      const quote = await client.read({
        subject: "stay_rate",
        schema: WireQuote,
        method: "POST",
        path: QUOTES,
        data: { rate_id: rateId },
        timeoutMilliseconds: quoteTimeoutMilliseconds,
        signal,
      });
      return toQuote(quote);
    },

    async getQuote(quoteId, { signal } = {}) {
      if (!isSupplierId(quoteId)) throw failure("quote_not_found");
      const path = `${QUOTES}/${encodeURIComponent(quoteId)}`;
      return toQuote(await client.read({ subject: "stay_quote", schema: WireQuote, path, signal }));
    },

    async bookStay(request) {
      if (!isSupplierId(request.quoteId)) throw failure("quote_not_found");
      const data = toStayBookingData(request);
      const booked = await client.commit({ subject: "stay_booking", schema: WireStayBooking, path: BOOKINGS, data });
      const stay = toStay(booked);
      if (stay.status !== "confirmed") throw failure("outcome_unknown");
      return stay;
    },

    async getStay(stayId, { signal } = {}) {
      if (!isSupplierId(stayId)) throw failure("booking_not_found");
      const path = `${BOOKINGS}/${encodeURIComponent(stayId)}`;
      return toStay(await client.read({ subject: "stay_order", schema: WireStayBooking, path, signal }));
    },

    /** The supplier has no such filter; its list is read back to `since`. */
    async findStaysByBooking(bookingId, since) {
      const earliest = since.subtract({ minutes: CLOCK_DIFFERENCE_MINUTES }).epochMilliseconds;
      let ended = false;
      const bookings = await client.readPages(
        { subject: "stay_order", schema: z.unknown(), path: BOOKINGS },
        MOST_BOOKINGS,
        (page) => {
          ended = isBefore(page, earliest);
          return ended;
        },
      );
      const ours = bookings.filter((booking) => readBookingId(booking) === bookingId);
      const parsed = z.array(WireStayBooking).safeParse(ours);
      // An unreadable stay of ours must not count as none, nor one that may come after the last page.
      if (!parsed.success) throw failure("provider_unavailable", parsed.error);
      if (ours.length === 0 && !ended && bookings.length >= MOST_BOOKINGS) throw failure("provider_unavailable");
      return parsed.data.map(toStay);
    },

    async cancelStay(stayId) {
      if (!isSupplierId(stayId)) throw failure("booking_not_found");
      const path = `${BOOKINGS}/${encodeURIComponent(stayId)}/actions/cancel`;
      const stay = toStay(await client.commit({ subject: "stay_cancellation", schema: WireStayBooking, path }));
      if (stay.status !== "cancelled") throw failure("outcome_unknown");
      return stay;
    },

    ...createNegotiatedRates(client),
  };
}
