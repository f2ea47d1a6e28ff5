import { outboxUse } from "../outbox/index.ts";
import { defineModule } from "./context.ts";
import { guestMailKind } from "./guest-mail.ts";
import * as guestMailsInOutbox from "./migrations/0111-guest-mails-in-outbox.ts";
import { createGuestMails } from "./store-mails.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleSettings {
    /** Allowed origins of guest links besides the application host. */
    readonly "invitations.linkOrigins": readonly string[];
  }
}

/** Invites guests to trips: the link that claims a trip, and the mail that brings it. */
export const invitationsModule = defineModule({
  name: "invitations",
  stores: ({ db, clock }) => ({ guestMails: createGuestMails(db, clock) }),
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
  ports: ({ urls, settings, identity }) => ({
    claimLinks: {
      defaultOrigin: new URL(urls.app).origin,
      otherOrigins: async (tenantId) => [
        ...settings.linkOrigins,
        ...((await identity.getTenant(tenantId))?.linkOrigins ?? []),
      ],
    },
  }),
  facts: async ({ chains, delivery: { carriers } }) =>
    chains.home("production") === undefined || carriers.has("mail")
      ? []
      : [{ label: "not served", text: "mails: none is sent until SMTP_URL is set" }],
  account: async ({ delivery }, owner) => ({
    missing: (await delivery.canMail(owner))
      ? []
      : [
          {
            what: "Email to guests, travelers and approvers: pass links on yourself.",
            how: "The operator sets SMTP_URL and starts the service again.",
            page: "config",
          },
        ],
  }),
  effectUses: (parts) => (parts.delivery.isOpen ? [outboxUse(parts, guestMailKind(parts))] : []),
});
