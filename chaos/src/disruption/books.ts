import { z } from "zod";
import type { Deployment } from "../deployment.ts";

/** Our records of what became of the travelers, and the supplier's of what its airlines changed, both read past the service. */

const Run = z.object({
  id: z.string(),
  tenant_id: z.string(),
  order_id: z.string(),
  change_id: z.string(),
  state: z.string(),
  end: z.string().nullable(),
  pauses: z.int(),
  /** The decision that it waits for. */
  session_id: z.string().nullable(),
});
const Message = z.object({ tenant_id: z.string(), user_id: z.string(), state: z.string() });
const Change = z.object({ id: z.string(), order_id: z.string(), action_taken: z.string().nullable() });
const Seat = z.object({ order_id: z.string(), flight: z.string(), seat: z.string() });
const Matter = z.object({ matter: z.string() });

export type ReplanRun = z.output<typeof Run>;

export interface DisruptionBooks {
  readonly runs: readonly ReplanRun[];
  /** About disruptions, to travelers. */
  readonly messages: readonly z.output<typeof Message>[];
}

type Database = Pick<Deployment, "query" | "querySupplier">;

const RUNS = `
  select run.id, run.tenant_id, run.input->>'orderId' as order_id, run.input->>'changeId' as change_id, run.state,
    run.result->>'end' as end,
    (select count(*)::int from workflow_pause pause where pause.run_id = run.id) as pauses,
    (select session_id from workflow_pause pause where pause.run_id = run.id and resolved_at is null) as session_id
  from workflow_run run where workflow_id = 'service.replan_trip'`;
const MESSAGES = "select tenant_id, user_id, state from message where kind = 'disruption'";
const CHANGES = "select id, order_id, action_taken from airline_initiated_changes";
/** Seats in orders that nobody has given back. */
const SEATS = `
  select orders.id as order_id, service->>'flight' as flight, service->'metadata'->>'designator' as seat
  from orders cross join lateral jsonb_array_elements(services) as service
  where orders.state in ('held', 'paid') and service->>'type' = 'seat'`;
const OPEN = `
  select count(*) || ' runs are being executed' as matter from workflow_run where state = 'running' having count(*) > 0
  union all
  select count(*) || ' events of the supplier' from webhook_event where finished_at is null having count(*) > 0
  union all
  select count(*) || ' mails on their way' from message where state in ('intended', 'sending') having count(*) > 0`;

export async function readDisruptionBooks(deployment: Database): Promise<DisruptionBooks> {
  return {
    runs: z.array(Run).parse(await deployment.query(RUNS)),
    messages: z.array(Message).parse(await deployment.query(MESSAGES)),
  };
}

export const readAirlineChanges = async (deployment: Database) =>
  z.array(Change).parse(await deployment.querySupplier(CHANGES));

export const readSeats = async (deployment: Database) => z.array(Seat).parse(await deployment.querySupplier(SEATS));

export async function readOpenWork(deployment: Database): Promise<string[]> {
  return z
    .array(Matter)
    .parse(await deployment.query(OPEN))
    .map(({ matter }) => matter);
}
