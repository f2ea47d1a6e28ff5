import { type Selectable, sql } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import type { OrderTables } from "../../platform/database/tables/order-tables.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ReceivedEvent, WebhookEndpoints, WebhookInbox } from "../../ports/supplier-webhooks.ts";
import type { Vault } from "../../ports/vault.ts";

declare module "../../kernel/stores.ts" {
  interface Aggregates {
    webhookInbox: WebhookInbox;
    webhookEndpoints: WebhookEndpoints;
  }
}

export function createWebhookInbox(queryable: Queryable, clock: Clock): WebhookInbox {
  return {
    async receive(network, event, at) {
      const row = await queryable
        .insertInto("webhook_event")
        .values({
          network,
          id: event.id,
          type: event.type,
          subject_id: event.subjectId ?? null,
          order_id: event.orderId ?? null,
          booking_id: event.bookingId ?? null,
          created_at: event.createdAt ?? null,
          received_at: at.toString(),
          next_at: at.toString(),
        })
        .onConflict((conflict) => conflict.columns(["network", "id"]).doNothing())
        .returning("id")
        .executeTakeFirst();
      return row !== undefined;
    },

    async take(network, limit, until) {
      const now = clock.now().toString();
      const rows = await queryable
        .with("waiting", (db) =>
          db
            .selectFrom("webhook_event")
            .select("id")
            .where("network", "=", network)
            .where("finished_at", "is", null)
            .where("next_at", "<=", sql<Temporal.Instant>`${now}::timestamptz`)
            .orderBy("next_at")
            .limit(limit)
            .forUpdate()
            .skipLocked(),
        )
        .updateTable("webhook_event")
        .set((row) => ({ next_at: until.toString(), attempts: row("attempts", "+", 1) }))
        .where("network", "=", network)
        .where("id", "in", (db) => db.selectFrom("waiting").select("waiting.id"))
        .returningAll()
        .execute();
      return rows.map(toEvent);
    },

    async done(network, id, outcome) {
      await queryable
        .updateTable("webhook_event")
        .set({ finished_at: clock.now().toString(), outcome })
        .where("network", "=", network)
        .where("id", "=", id)
        .execute();
    },

    async putBack(network, id, reason, until) {
      await queryable
        .updateTable("webhook_event")
        .set({ last_reason: reason, next_at: until.toString() })
        .where("network", "=", network)
        .where("id", "=", id)
        .where("finished_at", "is", null)
        .execute();
    },

    async prune(before) {
      await queryable
        .deleteFrom("webhook_event")
        .where("finished_at", "<", sql<Temporal.Instant>`${before.toString()}::timestamptz`)
        .execute();
    },
  };
}

function toEvent(row: Selectable<OrderTables["webhook_event"]>): ReceivedEvent {
  return {
    id: row.id,
    type: row.type,
    subjectId: row.subject_id ?? undefined,
    orderId: row.order_id ?? undefined,
    bookingId: row.booking_id ?? undefined,
    createdAt: row.created_at ?? undefined,
    attempts: row.attempts,
  };
}

export function createWebhookEndpoints(storage: { db: Queryable; vault: Vault; clock: Clock }): WebhookEndpoints {
  const { db, vault, clock } = storage;
  const contextOf = (network: string, endpointId: string) => `webhook_endpoint ${network} ${endpointId}`;
  return {
    async find(network) {
      const row = await db.selectFrom("webhook_endpoint").selectAll().where("network", "=", network).executeTakeFirst();
      if (row === undefined) return undefined;
      const { endpoint_id: endpointId, url } = row;
      return { endpointId, url, secret: vault.decrypt(row.encrypted_secret, contextOf(network, endpointId)) };
    },

    async put(network, { endpointId, url, secret }) {
      const values = {
        endpoint_id: endpointId,
        url,
        encrypted_secret: vault.encrypt(secret, contextOf(network, endpointId)),
        updated_at: clock.now().toString(),
      };
      await db
        .insertInto("webhook_endpoint")
        .values({ network, ...values })
        .onConflict((conflict) => conflict.column("network").doUpdateSet(values))
        .execute();
    },
  };
}
