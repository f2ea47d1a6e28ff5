import { z } from "zod";
import type { Deployment } from "../deployment.ts";

/** Our records of conversations, read past the service. */

const Event = z.object({ conversation_id: z.string(), sequence: z.int(), turn_id: z.string(), type: z.string() });
const Line = z.object({ conversation_id: z.string(), sequence: z.int(), line: z.string() });
const Call = z.object({
  id: z.string(),
  conversation_id: z.string(),
  tool: z.string(),
  state: z.string(),
  outcome: z.string().nullable(),
  meter_id: z.string().nullable(),
  offer_id: z.string().nullable(),
});
const Metered = z.object({ id: z.string(), tool: z.string(), idempotency_key: z.string().nullable() });

export interface ConversationBooks {
  /** By conversation and number. */
  readonly events: readonly z.infer<typeof Event>[];
  readonly calls: readonly z.infer<typeof Call>[];
  /** Usage records of calls of conversations. */
  readonly metered: readonly z.infer<typeof Metered>[];
}

type Database = Pick<Deployment, "query">;

async function read<Row>(deployment: Database, schema: z.ZodType<Row>, text: string): Promise<Row[]> {
  return z.array(schema).parse(await deployment.query(text));
}

export async function readConversationBooks(deployment: Database): Promise<ConversationBooks> {
  return {
    events: await read(
      deployment,
      Event,
      "select conversation_id, sequence, turn_id, type from conversation_event order by conversation_id, sequence",
    ),
    metered: await read(
      deployment,
      Metered,
      "select id, tool, idempotency_key from usage_record where surface = 'conversation'",
    ),
    calls: await read(
      deployment,
      Call,
      `select id, conversation_id, tool, state, outcome, meter_id, args->>'offerId' as offer_id from conversation_call`,
    ),
  };
}

export const readLines = (deployment: Database) =>
  read(
    deployment,
    Line,
    "select conversation_id, sequence, line from conversation_event order by conversation_id, sequence",
  );

export async function readOpenTurns(deployment: Database): Promise<string[]> {
  const text = "select id || ' is ' || state as matter from conversation_turn where state <> 'ended'";
  return (await read(deployment, z.object({ matter: z.string() }), text)).map(({ matter }) => matter);
}

/** Spends of conversations whose outcome is not stored yet. */
export async function countSpending(deployment: Database): Promise<number> {
  const text = `select count(*)::int as count from call where surface = 'conversation' and state = 'reserved'
    and tool in ('book_flight', 'send_tokens')`;
  return (await read(deployment, z.object({ count: z.int() }), text))[0]?.count ?? 0;
}
