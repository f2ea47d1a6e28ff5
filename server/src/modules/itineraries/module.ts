import { type MessageKind, outboxUse } from "../outbox/index.ts";
import { defineModule } from "./context.ts";
import { ItineraryRenderer } from "./drawing/itinerary-renderer.ts";
import { itineraryKind } from "./itinerary-mail.ts";
import { itineraryDocument } from "./itinerary-notice.ts";
import { sendItinerary } from "./tools/send-itinerary.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    /** One per process, shared by all environments. */
    readonly "itineraries.itineraryRenderer": ItineraryRenderer;
  }
}

declare module "../../kernel/contracts/tool.ts" {
  interface ModulePorts {
    "itineraries.itineraryRenderer": Pick<ItineraryRenderer, "render">;
    "itineraries.itineraryKind": MessageKind;
  }
}

/** Itineraries of orders, as PDF and calendar file, mailed to their travelers. */
export const itinerariesModule = defineModule({
  name: "itineraries",
  tools: [sendItinerary],
  parts: { itineraryRenderer: () => new ItineraryRenderer() },
  ports: (parts) => ({ itineraryRenderer: parts.itineraryRenderer, itineraryKind: itineraryKind(parts) }),
  effectUses: (parts) => (parts.delivery.isOpen ? [outboxUse(parts, itineraryKind(parts))] : []),
  noticeDocuments: (parts) => [itineraryDocument(parts)],
  stop: async ({ itineraryRenderer }) => itineraryRenderer.close(),
});
