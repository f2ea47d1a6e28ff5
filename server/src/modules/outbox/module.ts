import { defineModule } from "./context.ts";
import { messageJobs } from "./jobs.ts";
import { openMailing } from "./mailing.ts";
import * as messages from "./migrations/0047-messages.ts";
import { messageUse } from "./send-message.ts";
import { createMessages } from "./store.ts";
import { createMailCounts } from "./store-mail-counts.ts";
import { createAddressedPersons } from "./store-persons.ts";

declare module "../../kernel/parts.ts" {
  interface ModuleSettings {
    readonly "outbox.mailsPerTenantDay": number;
    readonly "outbox.mailsPerRecipientDay": number;
  }
}

/** Mails to people, and how many of them may go out. */
export const outboxModule = defineModule({
  name: "outbox",
  stores: ({ db, clock, vault }) => ({
    mailCounts: createMailCounts(db, clock),
    messages: createMessages(db, clock, vault),
  }),
  personRecords: ({ db, clock, vault }) => createAddressedPersons({ db, clock, vault }),
  workTables: [
    {
      ...{ table: "message", kind: "message", since: "created_at" },
      open: [{ column: "state", notIn: ["sent", "kept", "failed"] }],
    },
  ],
  migrations: { "0047-messages": messages },
  ports: ({ settings }) => ({ mailing: openMailing(settings) }),
  effectUses: ({ stores, clock, mailer }) => (mailer === undefined ? [] : [messageUse({ stores, clock, mailer })]),
  jobs: messageJobs,
});
