import type { Log } from "../../../ports/log.ts";
import type { ChangeSlices, FlightServicing } from "../../../ports/supplier/flight-servicing.ts";
import type { DuffelClient } from "../client.ts";
import { failure } from "../errors.ts";
import { isSupplierId } from "../wire.ts";
import { toChange, toChangeOffer, WireChange, WireChangeOffer, WireChangeRequest } from "./map-servicing.ts";

type Changes = Pick<
  FlightServicing,
  "requestChange" | "getChangeOffer" | "selectChangeOffer" | "getChange" | "confirmChange"
>;

function toSlicesData({ add, remove }: ChangeSlices): unknown {
  return {
    add: add.map((slice) => ({
      origin: slice.origin,
      destination: slice.destination,
      departure_date: slice.departureDate,
      ...(slice.cabinClass === undefined ? {} : { cabin_class: slice.cabinClass }),
    })),
    remove: remove.map(({ sliceId }) => ({ slice_id: sliceId })),
  };
}

/** Requesting offers and selecting one is free and not binding, so both may be repeated; the confirmation may not. */
export function createChanges(client: DuffelClient, log: Log, askAirlineTimeoutMilliseconds: number): Changes {
  return {
    async requestChange(orderId, slices) {
      if (!isSupplierId(orderId)) throw failure("order_not_found");
      const request = await client.read({
        subject: "change_request",
        schema: WireChangeRequest,
        method: "POST",
        path: "/air/order_change_requests",
        data: { order_id: orderId, slices: toSlicesData(slices) },
        timeoutMilliseconds: askAirlineTimeoutMilliseconds,
      });
      const parsed = request.order_change_offers.map((offer) => WireChangeOffer.safeParse(offer));
      const offers = parsed.flatMap((result) => (result.success ? [toChangeOffer(result.data)] : []));
      const [bad] = parsed.flatMap((result) => (result.success ? [] : [result.error]));
      if (bad !== undefined) {
        const counts = { left: parsed.length - offers.length, of: parsed.length };
        log.warn(counts, "change offers that cannot be read were left out");
        if (offers.length === 0) throw failure("provider_unavailable", bad);
      }
      return { id: request.id, orderId: request.order_id, offers };
    },

    async getChangeOffer(changeOfferId, { signal } = {}) {
      if (!isSupplierId(changeOfferId)) throw failure("change_offer_not_found");
      const path = `/air/order_change_offers/${encodeURIComponent(changeOfferId)}`;
      const offer = await client.read({ subject: "change_offer", schema: WireChangeOffer, path, signal });
      return { ...toChangeOffer(offer), orderId: offer.order_id ?? null };
    },

    async selectChangeOffer(changeOfferId) {
      if (!isSupplierId(changeOfferId)) throw failure("change_offer_not_found");
      const change = await client.read({
        subject: "change_selection",
        schema: WireChange,
        method: "POST",
        path: "/air/order_changes",
        data: { selected_order_change_offer: changeOfferId },
        timeoutMilliseconds: askAirlineTimeoutMilliseconds,
      });
      return toChange(change);
    },

    async getChange(changeId, { signal } = {}) {
      if (!isSupplierId(changeId)) throw failure("change_not_found");
      const path = `/air/order_changes/${encodeURIComponent(changeId)}`;
      return toChange(await client.read({ subject: "change", schema: WireChange, path, signal }));
    },

    async confirmChange(changeId, payment) {
      if (!isSupplierId(changeId)) throw failure("change_not_found");
      const confirmed = await client.commit({
        subject: "change_confirmation",
        schema: WireChange,
        path: `/air/order_changes/${encodeURIComponent(changeId)}/actions/confirm`,
        // The supplier is always paid from the operator's balance, whatever the tenant pays with.
        ...(payment === undefined ? {} : { data: { payment: { type: "balance", ...payment } } }),
      });
      const change = toChange(confirmed);
      if (change.confirmedAt === null) throw failure("outcome_unknown");
      return change;
    },
  };
}
