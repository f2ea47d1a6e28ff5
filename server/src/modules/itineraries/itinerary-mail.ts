import { wordsIn } from "../../domain/texts.ts";
import { composeMail, type Letter, type MessageKind, words as paragraph } from "../outbox/index.ts";
import type { Parts, Stores } from "./context.ts";
import { describeItinerary, nameItinerary } from "./itinerary.ts";
import { makeFiles } from "./make-files.ts";
import { itineraryTexts } from "./texts.ts";

export const ITINERARY_MAIL = "itinerary";

type MailParts = Pick<Parts, "travelers" | "maps" | "clock" | "itineraryRenderer"> & { stores: Pick<Stores, "orders"> };

/** Composed from the order when it is sent, so that what a later change says is sent. An order that is off has no itinerary. */
export function itineraryKind({ stores, travelers, maps, clock, itineraryRenderer }: MailParts): MessageKind {
  return {
    name: ITINERARY_MAIL,
    kinds: [ITINERARY_MAIL],
    async compose({ tenantId, environment, userId = "", recordId = "", expiresAt }): Promise<Letter | undefined> {
      const now = clock.now();
      if (Temporal.Instant.compare(expiresAt, now) <= 0) return undefined;
      const order = await stores.orders.findBought(tenantId, environment, recordId);
      const profile = await travelers.get(tenantId, userId, environment);
      if (order?.status !== "confirmed" || profile?.email === undefined) return undefined;
      const itinerary = describeItinerary(order, order.booking.travelers, maps);
      const words = wordsIn(profile.preferredLanguage ?? "en");
      const say = itineraryTexts(words);
      const files = await makeFiles(itineraryRenderer, itinerary, words, now);
      const mail = composeMail({
        to: { address: profile.email },
        subject: say("subject", { name: nameItinerary(itinerary) }),
        language: words.language,
        parts: [paragraph(say("attached")), ...(itinerary.flights.length === 0 ? [] : [paragraph(say("localTimes"))])],
      });
      return { ...mail, attachments: files };
    },
  };
}
