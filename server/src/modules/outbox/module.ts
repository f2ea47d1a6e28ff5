import { defineModule } from "./context.ts";
import { closeDelivery, type Delivery, openDelivery } from "./delivery.ts";
import { messageJobs } from "./jobs.ts";
import * as messages from "./migrations/0047-messages.ts";
import * as outbox from "./migrations/0110-outbox.ts";
import * as bouncedMails from "./migrations/0187-bounced-mails.ts";
import { SandboxMail } from "./sandbox-mail.ts";
import { outboxUse, storedWords } from "./send-message.ts";
import { createMessages } from "./store.ts";
import { createMessageCounts } from "./store-message-counts.ts";
import { createAddressedPersons } from "./store-persons.ts";
import { createMessageRecords } from "./store-records.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    /** How messages leave. The outbox opens it once, and closes it. */
    readonly "outbox.delivery": Delivery;
    readonly "outbox.sandboxMail": SandboxMail;
  }
  interface ModuleSettings {
    readonly "outbox.mailsPerTenantDay": number;
    readonly "outbox.mailsPerRecipientDay": number;
  }
}

/** Messages to people by any carrier, with limits on their number. */
export const outboxModule = defineModule({
  name: "outbox",
  stores: ({ db, clock, vault }) => ({
    messageCounts: createMessageCounts(db, clock),
    messages: createMessages(db, clock, vault),
    messageRecords: createMessageRecords(db, clock),
  }),
  personRecords: ({ db, clock, vault }) => createAddressedPersons({ db, clock, vault }),
  recordSources: ({ stores: { messageRecords } }) => [
    { channels: ["email", "slack", "whatsapp"], knowsTrips: true, ...messageRecords },
  ],
  workTables: [
    {
      table: "message",
      kind: "message",
      since: "created_at",
      open: [
        { column: "state", notIn: ["sent", "kept", "failed"] },
        // Counted with the trips.
        { column: "kind", notIn: ["guest_mail"] },
      ],
    },
  ],
  migrations: { "0047-messages": messages, "0110-outbox": outbox, "0187-bounced-mails": bouncedMails },
  parts: { delivery: openDelivery, sandboxMail: () => new SandboxMail() },
  ports: ({ delivery }) => ({ delivery }),
  effectUses: (parts) => (parts.delivery.isOpen ? [outboxUse(parts, storedWords(parts))] : []),
  jobs: messageJobs,
  // Runs before the job of `effects` is stopped, which a message in progress would delay.
  stop: async ({ delivery }) => closeDelivery(delivery),
});
