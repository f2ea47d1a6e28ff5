import { notServed } from "../../kernel/contracts/module.ts";
import { outboxUse } from "../outbox/index.ts";
import { claimMailKind } from "./claim-mail.ts";
import { defineModule } from "./context.ts";
import { guestRoutes } from "./routes.ts";
import { guestClaimLink } from "./tools/guest-claim-link.ts";
import { readTripTravelers } from "./tools/read-trip-travelers.ts";
import { sendClaimLink } from "./tools/send-claim-link.ts";
import { unlockClaim } from "./tools/unlock-claim.ts";

/** The guests of trips: claims by link and code, and who travels. */
export const guestsModule = defineModule({
  name: "guests",
  tools: [guestClaimLink, readTripTravelers, sendClaimLink, unlockClaim],
  routes: guestRoutes,
  effectUses: (parts) => (parts.delivery.isOpen ? [outboxUse(parts, claimMailKind(parts))] : []),
  async facts({ chains }) {
    const production = chains.home("production");
    const isServed = production === undefined || production.chain.escrow !== undefined;
    return isServed ? [] : [notServed([guestClaimLink], "until CHAIN_ESCROW is set")];
  },
});
