import { z } from "zod";
import type { Deployment } from "../deployment.ts";

/** Our records of channels, read past the service. */

const Sent = z.object({
  channel_id: z.string(),
  kind: z.string(),
  about: z.string(),
  state: z.string(),
  external_id: z.string().nullable(),
  /** How often it was sent again, although it may have arrived. */
  repeats: z.int(),
  is_unsure: z.boolean(),
  created_milliseconds: z.number(),
});
const Turns = z.object({ tenant_id: z.string(), text: z.string(), count: z.int() });
const Call = z.object({
  conversation_id: z.string(),
  meter_id: z.string().nullable(),
  offer_id: z.string().nullable(),
});
const Approval = z.object({ id: z.string(), state: z.string() });
const Decision = z.object({ approval_id: z.string(), with: z.string().nullable() });
const Run = z.object({
  id: z.string(),
  state: z.string(),
  guest_wallet: z.string().nullable(),
  /** Those that it has made. */
  bookings: z.int(),
});
const Matter = z.object({ matter: z.string() });

export interface ChannelBooks {
  /** Messages to people. */
  readonly sent: readonly z.infer<typeof Sent>[];
  /** How many turns of a channel began with a text. */
  readonly turns: readonly z.infer<typeof Turns>[];
  /** Calls that booked, or tried to. */
  readonly calls: readonly z.infer<typeof Call>[];
  readonly approvals: readonly z.infer<typeof Approval>[];
  /** Those that wait for a guest. */
  readonly runs: readonly z.infer<typeof Run>[];
  /** As the audit log has them. */
  readonly decisions: readonly z.infer<typeof Decision>[];
}

const SENT = `
  select channel_id, kind, about, state, external_id, repeats, unsure_since is not null as is_unsure,
    (extract(epoch from created_at) * 1000)::double precision as created_milliseconds
  from channel_message`;

type Database = Pick<Deployment, "query">;

async function read<Row>(deployment: Database, schema: z.ZodType<Row>, text: string): Promise<Row[]> {
  return z.array(schema).parse(await deployment.query(text));
}

export async function readChannelBooks(deployment: Database): Promise<ChannelBooks> {
  return {
    sent: await read(deployment, Sent, SENT),
    turns: await read(
      deployment,
      Turns,
      `select tenant_id, text, count(*)::int as count from conversation_turn
       where channel is not null and text is not null group by tenant_id, text`,
    ),
    calls: await read(
      deployment,
      Call,
      `select conversation_id, meter_id, args->>'offerId' as offer_id from conversation_call where tool = 'book_flight'`,
    ),
    runs: await read(
      deployment,
      Run,
      `select r.id, r.state, t.guest_wallet,
        (select count(*)::int from booking b join call c on c.id = b.call_id
          where c.surface = 'workflow' and b.state = 'booked' and split_part(c.idempotency_key, ':', 1) = r.id) as bookings
        from workflow_run r left join trip t on t.trip_id = lower(r.trip_id) and t.network = r.network`,
    ),
    // Before the approvals: each of these decisions is in them.
    decisions: await read(
      deployment,
      Decision,
      `select subject_id as approval_id, details->>'with' as with from audit_log where action = 'approval.decide'`,
    ),
    approvals: await read(deployment, Approval, "select id, state from approval"),
  };
}

/** Everything that channels still have to do, however the matter ends. */
export async function readOpenWork(deployment: Database): Promise<string[]> {
  const text = `
    select count(*) || ' events of channels' as matter from channel_event where finished_at is null having count(*) > 0
    union all
    select count(*) || ' messages to channels' from channel_message where next_at is not null having count(*) > 0
    union all
    select id || ' is ' || state from conversation_turn where state <> 'ended'`;
  return (await read(deployment, Matter, text)).map(({ matter }) => matter);
}

/** Messages whose sending has begun, and whose end is not stored. */
export async function countSending(deployment: Database): Promise<number> {
  const text = "select count(*)::int as count from channel_message where next_at > now() and attempts > 0";
  return (await read(deployment, z.object({ count: z.int() }), text))[0]?.count ?? 0;
}
