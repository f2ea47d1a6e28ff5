import type { FlightServicing } from "../../../ports/supplier/flight-servicing.ts";
import type { DuffelClient } from "../client.ts";
import { failure } from "../errors.ts";
import { isSupplierId } from "../wire.ts";
import { toCancellation, WireCancellation } from "./map-servicing.ts";

type Cancellations = Pick<FlightServicing, "quoteCancellation" | "getCancellation" | "confirmCancellation">;

const CANCELLATIONS = "/air/order_cancellations";

export function createCancellations(client: DuffelClient, askAirlineTimeoutMilliseconds: number): Cancellations {
  return {
    async quoteCancellation(orderId) {
      if (!isSupplierId(orderId)) throw failure("order_not_found");
      // An unconfirmed quote has no effect, so the request may be repeated although it is a POST.
      const quote = await client.read({
        subject: "cancellation_quote",
        schema: WireCancellation,
        method: "POST",
        path: CANCELLATIONS,
        data: { order_id: orderId },
        timeoutMilliseconds: askAirlineTimeoutMilliseconds,
      });
      return toCancellation(quote);
    },

    async getCancellation(cancellationId, { signal } = {}) {
      if (!isSupplierId(cancellationId)) throw failure("cancellation_not_found");
      const path = `${CANCELLATIONS}/${encodeURIComponent(cancellationId)}`;
      return toCancellation(await client.read({ subject: "cancellation", schema: WireCancellation, path, signal }));
    },

    async confirmCancellation(cancellationId) {
      if (!isSupplierId(cancellationId)) throw failure("cancellation_not_found");
      const path = `${CANCELLATIONS}/${encodeURIComponent(cancellationId)}/actions/confirm`;
      const schema = WireCancellation;
      const cancellation = toCancellation(await client.commit({ subject: "cancellation_confirmation", schema, path }));
      if (cancellation.confirmedAt === null) throw failure("outcome_unknown");
      return cancellation;
    },
  };
}
