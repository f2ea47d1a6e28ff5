import { sql } from "kysely";
import type { Queryable } from "../../../platform/database/database.ts";
import type { Vault } from "../../../ports/vault.ts";
import type { Channel } from "../channels.ts";

declare module "../../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "channels.emailMails": EmailMails;
  }
}

type Owner = Pick<Channel, "id" | "tenantId" | "environment">;

/** Mails as they came, until they are handled. They are beside the events, of which many are read at once. */
export interface EmailMails {
  insert(channel: Owner, eventId: string, raw: Uint8Array): Promise<void>;
  /** Undefined: it is handled. */
  read(channel: Owner, eventId: string): Promise<Uint8Array | undefined>;
  remove(channel: Owner, eventId: string): Promise<void>;
}

const sealingContext = (channelId: string, eventId: string): string => `email_mail ${channelId} ${eventId}`;

export function createEmailMails({ db, vault }: { db: Queryable; vault: Vault }): EmailMails {
  return {
    async insert({ id, tenantId, environment }, eventId, raw) {
      const sealed = vault.encrypt(Buffer.from(raw).toString("latin1"), sealingContext(id, eventId));
      await sql`
        insert into email_mail (network, channel_id, event_id, tenant_id, encrypted_mail)
        values (${environment}, ${id}, ${eventId}, ${tenantId}, ${sealed})`.execute(db);
    },

    async read({ id, environment }, eventId) {
      const { rows } = await sql<{ encryptedMail: string }>`
        select encrypted_mail from email_mail
        where network = ${environment} and channel_id = ${id} and event_id = ${eventId}`.execute(db);
      const [row] = rows;
      return row && Buffer.from(vault.decrypt(row.encryptedMail, sealingContext(id, eventId)), "latin1");
    },

    async remove({ id, environment }, eventId) {
      await sql`
        delete from email_mail
        where network = ${environment} and channel_id = ${id} and event_id = ${eventId}`.execute(db);
    },
  };
}
