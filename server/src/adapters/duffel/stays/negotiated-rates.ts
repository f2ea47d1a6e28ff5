import { Failure } from "../../../domain/errors.ts";
import type { StayBookings } from "../../../ports/supplier/stay-bookings.ts";
import type { DuffelClient } from "../client.ts";
import { failure } from "../errors.ts";
import { isSupplierId } from "../wire.ts";
import { toNegotiatedRate, WireNegotiatedRate } from "./map-stay-bookings.ts";

type NegotiatedRates = Pick<StayBookings, "createNegotiatedRate" | "updateNegotiatedRate" | "deleteNegotiatedRate">;

const RATES = "/stays/negotiated_rates";
const subject = "negotiated_rate";

export function createNegotiatedRates(client: DuffelClient): NegotiatedRates {
  return {
    /**
     * Sent once, as a rate created twice stays twice. A lost answer is `provider_unavailable` rather than `outcome_unknown`: it
     * moves no money, and a rate with an unknown id is in no search.
     */
    async createNegotiatedRate(rate) {
      try {
        const data = {
          display_name: rate.displayName,
          rate_access_code: rate.rateAccessCode,
          accommodation_ids: rate.accommodationIds,
        };
        return toNegotiatedRate(await client.commit({ subject, schema: WireNegotiatedRate, path: RATES, data }));
      } catch (error) {
        if (error instanceof Failure && error.code === "outcome_unknown") throw failure("provider_unavailable", error);
        throw error;
      }
    },

    async updateNegotiatedRate(id, change) {
      if (!isSupplierId(id)) throw failure("negotiated_rate_not_found");
      const updated = await client.read({
        subject,
        schema: WireNegotiatedRate,
        method: "PATCH",
        path: `${RATES}/${encodeURIComponent(id)}`,
        data: {
          ...(change.displayName === undefined ? {} : { display_name: change.displayName }),
          ...(change.accommodationIds === undefined ? {} : { accommodation_ids: change.accommodationIds }),
        },
      });
      return toNegotiatedRate(updated);
    },

    async deleteNegotiatedRate(id) {
      if (!isSupplierId(id)) return;
      try {
        await client.remove({ subject, path: `${RATES}/${encodeURIComponent(id)}` });
      } catch (error) {
        if (!(error instanceof Failure) || error.code !== "negotiated_rate_not_found") throw error;
      }
    },
  };
}
