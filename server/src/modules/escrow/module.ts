import { notServed } from "../../kernel/contracts/module.ts";
import { openMailing, outboxUse } from "../outbox/index.ts";
import { defineModule } from "./context.ts";
import { guestMailKind } from "./guest-mail.ts";
import { escrowJobs } from "./jobs.ts";
import * as guestMailsInOutbox from "./migrations/0111-guest-mails-in-outbox.ts";
import { planATrip } from "./prompts/plan-a-trip.ts";
import { escrowRoutes } from "./routes.ts";
import { escrowEndings } from "./step-machine/end-step.ts";
import { escrowStep } from "./step-machine/step-operation.ts";
import { createGuestMails } from "./store-mails.ts";
import { cancelBooking } from "./tools/cancel-booking.ts";
import { closeTrip } from "./tools/close-trip.ts";
import { commitBooking } from "./tools/commit-booking.ts";
import { confirmBooking } from "./tools/confirm-booking.ts";
import { confirmFlight } from "./tools/confirm-flight.ts";
import { listTrips } from "./tools/list-trips.ts";
import { logAgentAction } from "./tools/log-agent-action.ts";
import { prefundTrip } from "./tools/prefund-trip.ts";
import { previewPrice } from "./tools/preview-price.ts";
import { readTrip } from "./tools/read-trip.ts";
import { releaseReservation } from "./tools/release-reservation.ts";
import { reserveBooking } from "./tools/reserve-booking.ts";
import { settleBooking } from "./tools/settle-booking.ts";
import { tripPrefund } from "./trips/prefund-operation.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleSettings {
    /** Allowed origins of guest links besides the application host. */
    readonly "escrow.linkOrigins": readonly string[];
  }
}

const tools = [
  prefundTrip,
  previewPrice,
  reserveBooking,
  commitBooking,
  confirmBooking,
  confirmFlight,
  settleBooking,
  cancelBooking,
  releaseReservation,
  logAgentAction,
  listTrips,
  readTrip,
  closeTrip,
];

export const escrowModule = defineModule({
  name: "escrow",
  tools,
  prompts: [planATrip],
  routes: escrowRoutes,
  stores: ({ db, clock }) => ({
    guestMails: createGuestMails(db, clock),
  }),
  workTables: [
    {
      table: "trip",
      kind: "guest_mail",
      since: "created_at",
      open: [
        { column: "mail", in: ["pending"] },
        { column: "state", in: ["funded", "closed"] },
      ],
    },
  ],
  migrations: { "0111-guest-mails-in-outbox": guestMailsInOutbox },
  chainOperations: [tripPrefund, escrowStep],
  chainEndings: escrowEndings,
  ports: ({ urls, settings, identity }) => ({
    claimLinks: {
      defaultOrigin: new URL(urls.app).origin,
      otherOrigins: async (tenantId) => [
        ...settings.linkOrigins,
        ...((await identity.getTenant(tenantId))?.linkOrigins ?? []),
      ],
    },
  }),
  async facts({ chains: { production }, mailer }) {
    if (production === undefined) return [];
    const ofEscrow = tools.filter(({ errors }) => Object.hasOwn(errors, "chain_not_available"));
    return [
      ...(production.chain.escrow === undefined ? [notServed(ofEscrow, "until CHAIN_ESCROW is set")] : []),
      ...(mailer === undefined ? [{ label: "not served", text: "mails: none is sent until SMTP_URL is set" }] : []),
    ];
  },
  account({ chains, mailer }, { environment }) {
    const missing = [];
    if (chains[environment]?.chain.escrow === undefined) {
      missing.push({
        what: "Trips and bookings in escrow.",
        how: "Set CHAIN_ESCROW to the contract, and start again.",
      });
    }
    if (mailer === undefined) {
      missing.push({ what: "Guest links by e-mail: hand them over yourself.", how: "Set SMTP_URL, and start again." });
    }
    return { missing };
  },
  effectUses({ stores, claimKeys, clock, settings, mailer }) {
    const ports = { stores, claimKeys, clock, mailing: openMailing({ settings, mailer }) };
    return ports.mailing.carriers.size === 0 ? [] : [outboxUse(ports, guestMailKind(ports))];
  },
  jobs: escrowJobs,
  // Closed before the job, which a mail in progress would delay.
  stop: async ({ mailer }) => mailer?.close(),
});
