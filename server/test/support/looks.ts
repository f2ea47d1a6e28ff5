import { type Counted, withoutTexts } from "./statement-counter.ts";

/**
 * Statements that a timer or a notification of the product causes, however many operations are under way: how often depends on
 * the time. An operation is counted without them.
 */
const LOOKS: Readonly<Record<string, readonly string[]>> = {
  "queues look for rows that are due": ["with taken as materialized"],
  "the submitter looks for transactions to send or to follow": ["select *, exists (\n  select from chain_network"],
  "the follower of a chain reads its place, and stores it": [
    'select * from "chain_network"',
    'update "chain_network" set "indexed_number"',
  ],
  "the follower finds movements that are posted already": [
    'select "reference", "ledger_transaction"."kind" as "posting_kind"',
  ],
  "balances are compared with the chain": [
    "with account as (",
    'select "id", "network", "chain", "kind", "tenant_id", "address" from "wallet" where "network" = $1 and "chain" = $2 order by',
  ],
  "calls to third parties are stored every two seconds, however many there are": ["insert into outside_call"],
  "changes by airlines without a run are looked for every two seconds": [
    'select booking.tenant_id as "tenantId", booking.network as environment, call.key_id as "keyId"',
  ],
  "further escrows and the secret of the supplier's events are remembered for some seconds": [
    'select * from "further_escrow"',
    'select * from "webhook_endpoint" where "network" = $1',
  ],
  "texts of the channels are removed when their time is over": ["update channel_event set encrypted_event = null"],
  "who waits for a transaction looks whether another process has ended it": [
    'select * from "chain_transaction" where "id" = any ($1::text[])',
  ],
};

/** Every table whose rows are kept for a time is pruned with a statement of this shape, see `pruneRows`. */
const PRUNES = /^delete from \S+ where ctid = any \(array\(/;

/** An idle product has transactions, too. */
const BOUNDS: ReadonlySet<string> = new Set(["begin", "commit"]);

const isLook = (text: string): boolean =>
  PRUNES.test(text.trimStart()) ||
  Object.values(LOOKS).some((some) => some.some((look) => text.trimStart().startsWith(look)));

/** Returns the statements of the counted operation, and the number of looks besides. `others` are texts that an idle product sends too. */
export function splitLooks(counted: Counted, others: ReadonlySet<string>): { own: Counted; looks: number } {
  const looks = new Set(
    [...counted.byText.keys()].filter((text) => isLook(text) || (others.has(text) && !BOUNDS.has(text))),
  );
  const own = withoutTexts(counted, looks);
  return { own, looks: counted.statements - own.statements };
}
