import type { Selectable } from "kysely";
import pg from "pg";
import type { Queryable } from "../../platform/database/database.ts";
import type { WebhookEventTable } from "../../platform/database/generated-tables.ts";
import { withoutNulls } from "../../platform/database/without-nulls.ts";
import { createInbox, type Inbox } from "../../platform/inbox/store-inbox.ts";
import type { Queue } from "../../platform/leased-queue/watch-queues.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import type { SupplierEvent, WebhookEndpoint } from "../../ports/supplier/supplier-webhooks.ts";
import type { Vault } from "../../ports/vault.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "supplier-events.supplierInbox": SupplierInbox;
    "supplier-events.supplierEndpoints": SupplierEndpoints;
  }
}

/** Events may arrive in any order: each is only a hint to read a record again. */
export type SupplierInbox = Inbox<SupplierEvent>;

/** The endpoint that this deployment registered at a supplier. */
export interface SupplierEndpoints {
  find(environment: Environment): Promise<WebhookEndpoint | undefined>;
  put(environment: Environment, endpoint: WebhookEndpoint): Promise<void>;
}

const COLUMNS = ["type", "subjectId", "orderId", "bookingId", "createdAt"] as const;

type EventRow = Pick<Selectable<WebhookEventTable>, "id" | "attempts" | (typeof COLUMNS)[number]>;

export function createSupplierInbox(queryable: Queryable, clock: Clock): SupplierInbox {
  return createInbox<SupplierEvent, EventRow>(queryable, clock, {
    name: "webhook_event",
    columns: COLUMNS,
    toItem: ({ attempts: _, ...event }): SupplierEvent => withoutNulls(event),
  });
}

/** Events that wait to be processed. */
export function waitingEvents(environments: readonly Environment[]): Queue {
  const some = environments.map((environment) => pg.escapeLiteral(environment)).join(", ");
  const earliest = `select min(next_at) from webhook_event where finished_at is null and network in (${some})`;
  return { name: "webhook_event", earliest };
}

export function createSupplierEndpoints(storage: { db: Queryable; vault: Vault; clock: Clock }): SupplierEndpoints {
  const { db, vault, clock } = storage;
  const sealingContext = (network: string, endpointId: string) => `webhook_endpoint ${network} ${endpointId}`;
  return {
    async find(environment) {
      const row = await db
        .selectFrom("webhookEndpoint")
        .selectAll()
        .where("environment", "=", environment)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const { endpointId, url } = row;
      return { endpointId, url, secret: vault.decrypt(row.encryptedSecret, sealingContext(environment, endpointId)) };
    },

    async put(environment, { endpointId, url, secret }) {
      const values = {
        endpointId,
        url,
        encryptedSecret: vault.encrypt(secret, sealingContext(environment, endpointId)),
        updatedAt: clock.now().toString(),
      };
      await db
        .insertInto("webhookEndpoint")
        .values({ environment, ...values })
        .onConflict((conflict) => conflict.column("environment").doUpdateSet(values))
        .execute();
    },
  };
}
