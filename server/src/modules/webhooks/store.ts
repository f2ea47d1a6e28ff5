import { type Selectable, sql } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import type { WebhookEventTable } from "../../platform/database/generated-tables.ts";
import { pruneRows } from "../../platform/database/prune.ts";
import { withoutNulls } from "../../platform/database/without-nulls.ts";
import { takeDueRows } from "../../platform/leased-queue/take-rows.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ReceivedEvent, WebhookEndpoints, WebhookInbox } from "../../ports/supplier-webhooks.ts";
import type { Vault } from "../../ports/vault.ts";

declare module "../../kernel/stores.ts" {
  interface ModuleStores {
    "webhooks.webhookInbox": WebhookInbox;
    "webhooks.webhookEndpoints": WebhookEndpoints;
  }
}

const EVENT_COLUMNS = ["id", "type", "subjectId", "orderId", "bookingId", "createdAt", "attempts"] as const;

type EventRow = Pick<Selectable<WebhookEventTable>, (typeof EVENT_COLUMNS)[number]>;

export function createWebhookInbox(queryable: Queryable, clock: Clock): WebhookInbox {
  return {
    async receive(environment, event, at) {
      const row = await queryable
        .insertInto("webhookEvent")
        .values({ ...event, environment, receivedAt: at.toString(), nextAt: at.toString() })
        .onConflict((conflict) => conflict.columns(["environment", "id"]).doNothing())
        .returning("id")
        .executeTakeFirst();
      return row !== undefined;
    },

    async take(environment, limit, until) {
      const rows = await takeDueRows<EventRow>(queryable, {
        ...{ table: "webhook_event", key: ["environment", "id"], due: "next_at", at: clock.now(), until, limit },
        where: sql`network = ${environment} and finished_at is null`,
        set: sql`attempts = attempts + 1`,
        returning: EVENT_COLUMNS,
      });
      return rows.map((row): ReceivedEvent => withoutNulls(row));
    },

    async done(environment, id, outcome) {
      await queryable
        .updateTable("webhookEvent")
        .set({ finishedAt: clock.now().toString(), outcome })
        .where("environment", "=", environment)
        .where("id", "=", id)
        .execute();
    },

    async putBack(environment, id, reason, until) {
      await queryable
        .updateTable("webhookEvent")
        .set({ lastReason: reason, nextAt: until.toString() })
        .where("environment", "=", environment)
        .where("id", "=", id)
        .where("finishedAt", "is", null)
        .execute();
    },

    async prune(before) {
      await pruneRows(queryable, "webhook_event", sql`finished_at < ${before.toString()}::timestamptz`);
    },
  };
}

export function createWebhookEndpoints(storage: { db: Queryable; vault: Vault; clock: Clock }): WebhookEndpoints {
  const { db, vault, clock } = storage;
  const contextOf = (network: string, endpointId: string) => `webhook_endpoint ${network} ${endpointId}`;
  return {
    async find(environment) {
      const row = await db
        .selectFrom("webhookEndpoint")
        .selectAll()
        .where("environment", "=", environment)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const { endpointId, url } = row;
      return { endpointId, url, secret: vault.decrypt(row.encryptedSecret, contextOf(environment, endpointId)) };
    },

    async put(environment, { endpointId, url, secret }) {
      const values = {
        endpointId,
        url,
        encryptedSecret: vault.encrypt(secret, contextOf(environment, endpointId)),
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
