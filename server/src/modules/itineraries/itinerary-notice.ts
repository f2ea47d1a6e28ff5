import type { NoticeDocument } from "../../ports/notice-document.ts";
import type { Parts, Stores } from "./context.ts";
import { describeItinerary } from "./itinerary.ts";
import { makeFiles } from "./make-files.ts";

type NoticeParts = Pick<Parts, "maps" | "clock" | "itineraryRenderer"> & { stores: Pick<Stores, "orders"> };

/** The itinerary goes to the travelers with the news that their tickets were issued. */
export function itineraryDocument({ stores, maps, clock, itineraryRenderer }: NoticeParts): NoticeDocument {
  return {
    types: ["order.ticketed"],
    async make({ tenantId, environment, data: { orderId } }, words) {
      if (typeof orderId !== "string") return undefined;
      const order = await stores.orders.findBought(tenantId, environment, orderId);
      if (order?.status !== "confirmed") return undefined;
      const itinerary = describeItinerary(order, order.booking.travelers, maps);
      const [pdf] = await makeFiles(itineraryRenderer, itinerary, words, clock.now());
      return pdf;
    },
  };
}
