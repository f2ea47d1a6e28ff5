import { defineModule } from "./context.ts";
import { messageJobs } from "./jobs.ts";
import { openMailing } from "./mailing.ts";
import * as messages from "./migrations/0047-messages.ts";
import * as outbox from "./migrations/0110-outbox.ts";
import { outboxUse, storedWords } from "./send-message.ts";
import { createMessages } from "./store.ts";
import { createMailCounts } from "./store-mail-counts.ts";
import { createAddressedPersons } from "./store-persons.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleSettings {
    readonly "outbox.mailsPerTenantDay": number;
    readonly "outbox.mailsPerRecipientDay": number;
  }
}

/** Messages to people by any carrier, with limits on their number. */
export const outboxModule = defineModule({
  name: "outbox",
  stores: ({ db, clock, vault }) => ({
    mailCounts: createMailCounts(db, clock),
    messages: createMessages(db, clock, vault),
  }),
  personRecords: ({ db, clock, vault }) => createAddressedPersons({ db, clock, vault }),
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
  migrations: { "0047-messages": messages, "0110-outbox": outbox },
  ports: (parts) => ({ mailing: openMailing(parts) }),
  effectUses({ stores, clock, settings, mailer }) {
    const ports = { stores, clock, mailing: openMailing({ settings, mailer }) };
    return ports.mailing.carriers.size === 0 ? [] : [outboxUse(ports, storedWords(ports))];
  },
  jobs: messageJobs,
});
