import { type RawBuilder, sql } from "kysely";
import type { Environment } from "../../ports/identity.ts";
import type { Queryable } from "../database/database.ts";
import { pruneRows } from "../database/prune.ts";
import { takeDueRows } from "../leased-queue/take-rows.ts";

/**
 * A table of received items. Its key is `network` and `id`; it also has `received_at`, `next_at`, `attempts`, `finished_at`,
 * `outcome` and `last_reason`, and the columns of the item.
 */
export interface InboxTable<Item, Row> {
  name: string;
  /** The columns of the item besides its id. */
  columns: readonly string[];
  /** The column of an item's conversation. Items of a conversation are processed in the order of their arrival. */
  conversation?: string;
  toItem(row: Row): Item;
}

export type TakenItem<Item> = Item & {
  /** How often it was leased, including this time. */
  attempts: number;
};

/** Stores items before they are acknowledged, each once however often it arrives; they are processed afterwards. */
export interface Inbox<Item> {
  /** False: it is stored already. */
  receive(environment: Environment, item: Item, at: Temporal.Instant): Promise<boolean>;
  /** Leases unfinished items until `until`, longest due first. */
  take(environment: Environment, limit: number, until: Temporal.Instant): Promise<readonly TakenItem<Item>[]>;
  done(environment: Environment, id: string, outcome: string): Promise<void>;
  /** Schedules the item for another try. */
  putBack(environment: Environment, id: string, reason: string, until: Temporal.Instant): Promise<void>;
  /** Deletes items finished before this. */
  prune(before: Temporal.Instant): Promise<void>;
}

/** Joins the caller's transaction if `queryable` is one. */
export function createInbox<Item extends { id: string }, Row extends { attempts: number }>(
  queryable: Queryable,
  clock: { now(): Temporal.Instant },
  table: InboxTable<Item, Row>,
): Inbox<Item> {
  const name = sql.table(table.name);
  const columns = ["id", ...table.columns];
  const at = (instant: Temporal.Instant) => sql`${instant.toString()}::timestamptz`;

  return {
    async receive(environment, item, receivedAt) {
      const values = new Map<string, unknown>(Object.entries(item));
      const { rows } = await sql`
        insert into ${name} (network, received_at, next_at, ${sql.join(columns.map((column) => sql.ref(column)))})
        values (${environment}, ${at(receivedAt)}, ${at(receivedAt)}, ${sql.join(columns.map((column) => values.get(column) ?? null))})
        on conflict (network, id) do nothing returning id`.execute(queryable);
      return rows.length > 0;
    },

    async take(environment, limit, until) {
      const rows = await takeDueRows<Row>(queryable, {
        table: table.name,
        key: ["network", "id"],
        due: "next_at",
        at: clock.now(),
        until,
        limit,
        where: sql`network = ${environment} and finished_at is null and ${isFirst(table)}`,
        set: sql`attempts = attempts + 1`,
        returning: [...columns, "attempts"],
      });
      return rows.map((row) => ({ ...table.toItem(row), attempts: row.attempts }));
    },

    async done(environment, id, outcome) {
      await sql`
        update ${name} set finished_at = ${at(clock.now())}, outcome = ${outcome}
        where network = ${environment} and id = ${id}`.execute(queryable);
    },

    async putBack(environment, id, reason, until) {
      await sql`
        update ${name} set last_reason = ${reason}, next_at = ${at(until)}
        where network = ${environment} and id = ${id} and finished_at is null`.execute(queryable);
    },

    async prune(before) {
      await pruneRows(queryable, table.name, sql`finished_at < ${at(before)}`);
    },
  };
}

/** Whether all earlier items of the conversation are finished. */
function isFirst({ name, conversation }: Pick<InboxTable<never, never>, "name" | "conversation">): RawBuilder<unknown> {
  if (conversation === undefined) return sql`true`;
  const own = (column: string) => sql.ref(`${name}.${column}`);
  const earlier = (column: string) => sql.ref(`earlier.${column}`);
  return sql`not exists (
    select 1 from ${sql.table(name)} as earlier
    where earlier.network = ${own("network")} and ${earlier(conversation)} = ${own(conversation)} and earlier.finished_at is null
      and (earlier.received_at, earlier.id) < (${own("received_at")}, ${own("id")}))`;
}
