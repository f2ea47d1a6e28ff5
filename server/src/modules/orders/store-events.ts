import { sql } from "kysely";
import { z } from "zod";
import { currentTraceId } from "../../domain/trace.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { toWrite } from "../../platform/database/write-together.ts";
import type { Environment } from "../../ports/identity.ts";
import type { Orders } from "./orders.ts";
import { nameEvent, tellStored, tellTrip } from "./store-told-trips.ts";

/** Events that happen once per order, under whatever id they are reported. */
const ONCE: ReadonlySet<string> = new Set(["ticketed", "cancelled", "lapsed"]);

type StoredEvent = Awaited<ReturnType<Orders["events"]>>[number];

/** Null without a booking that was held or booked. */
interface Booked {
  bookedAt: Temporal.Instant | null;
  heldAt: Temporal.Instant | null;
  isTicketed: boolean | null;
}

/** A column of a query over `booking`: what its order's events are read from, as JSON. */
export const eventsColumn = sql<unknown>`jsonb_build_object(
  'bookedAt', case when state = 'booked' or hold_call_id is not null then booked_at end,
  'heldAt', case when hold_call_id is not null then created_at end,
  'isTicketed', result ->> 'ticketing' = 'ticketed',
  'stored', (
    select coalesce(jsonb_agg(jsonb_build_object('kind', kind, 'at', at, 'details', details, 'source', source) order by id), '[]')
    from order_event where order_event.network = booking.network and order_event.order_id = booking.order_id
  ))`;

const Moment = z.string().transform((text) => Temporal.Instant.from(text));
const Events = z.object({
  bookedAt: Moment.nullable(),
  heldAt: Moment.nullable(),
  isTicketed: z.boolean().nullable(),
  stored: z.array(
    z.object({
      kind: z.string(),
      at: Moment,
      details: z.record(z.string(), z.unknown()),
      source: z.enum(["webhook", "reconciliation", "call"]),
    }),
  ),
});

/** Reads `eventsColumn`, oldest first. */
export function readEvents(column: unknown): readonly StoredEvent[] {
  const { stored, ...booked } = Events.parse(column);
  return [...listCallEvents(booked), ...stored.map((event) => ({ ...event, kind: nameEvent(event) }))];
}

/** Events that follow from the booking are not stored again. */
function listCallEvents({ bookedAt, heldAt, isTicketed }: Booked): readonly StoredEvent[] {
  const byCall = (kind: string, at: Temporal.Instant | null): StoredEvent[] =>
    at === null ? [] : [{ kind, at, details: {}, source: "call" }];
  return [
    ...byCall("held", heldAt),
    ...byCall("booked", bookedAt),
    ...byCall("ticketed", isTicketed === true ? bookedAt : null),
  ];
}

/** Whose order it is, and of what kind; null if no booking has it. */
function selectOwner(environment: Environment, orderId: string) {
  const booking = sql`booking where network = ${environment} and order_id = ${orderId} limit 1`;
  return [
    sql<string | null>`(select tenant_id from ${booking})`.as("tenantId"),
    sql<string | null>`(select kind from ${booking})`.as("ordered"),
  ] as const;
}

export function createEvents(
  queryable: Queryable,
): Pick<Orders, "record" | "events" | "hasUnusedCredits" | "prepareTelling"> {
  return {
    async record(environment, orderId, event) {
      const { kind, key, source, details, at } = event;
      const stored = queryable
        .insertInto("orderEvent")
        .values({
          environment,
          orderId,
          kind,
          key: ONCE.has(kind) ? "" : key,
          source,
          details: JSON.stringify(details),
          at: at.toString(),
          traceId: currentTraceId(),
        })
        .onConflict((conflict) => conflict.columns(["environment", "orderId", "kind", "key"]).doNothing())
        .returning(["id", "kind", "details", "at"])
        .returning(selectOwner(environment, orderId));
      const { rows } = await sql`
        with stored as (${toWrite(stored)}), told as (${tellStored(environment, orderId)})
        select id from stored`.execute(queryable);
      return rows.length > 0;
    },

    prepareTelling: (trip, { orderId, kind }) => tellTrip(trip, orderId, kind),

    async hasUnusedCredits(tenantId, environment) {
      const { rows } = await sql<{ isThere: boolean }>`
        select exists (
          select 1 from booking join order_event as event
            on event.network = booking.network and event.order_id = booking.order_id and event.kind = 'credit_issued'
          where booking.tenant_id = ${tenantId} and booking.network = ${environment}
            and not exists (
              select 1 from booking as later
              where later.tenant_id = ${tenantId} and later.network = ${environment} and later.state = 'booked'
                and later.airline_credit_id = event.details->>'id')
        ) as "isThere"`.execute(queryable);
      return rows[0]?.isThere === true;
    },

    async events(environment, orderId) {
      const { rows } = await sql<Booked & (StoredEvent | { kind: null })>`
        select booked.booked_at, booked.held_at, booked.is_ticketed, event.kind, event.at, event.details, event.source
        from (
          select booked_at, case when hold_call_id is not null then created_at end as held_at,
            result ->> 'ticketing' = 'ticketed' as is_ticketed
          from booking
          where network = ${environment} and order_id = ${orderId} and (state = 'booked' or hold_call_id is not null)
          limit 1
        ) booked
        full join (
          select id, kind, at, details, source from order_event
          where network = ${environment} and order_id = ${orderId}
        ) event on true
        order by event.id`.execute(queryable);
      const { bookedAt = null, heldAt = null, isTicketed = null } = rows[0] ?? {};
      return [
        ...listCallEvents({ bookedAt, heldAt, isTicketed }),
        ...rows.flatMap((row) =>
          row.kind === null ? [] : [{ kind: nameEvent(row), at: row.at, details: row.details, source: row.source }],
        ),
      ];
    },
  };
}
