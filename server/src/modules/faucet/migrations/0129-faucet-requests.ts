import { type Kysely, sql } from "kysely";

/** The latest request for a gift to each address from the faucet of the test networks. The faucet itself tells no repetition from a second one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table faucet_request (
      blockchain text not null,
      token text not null check (token in ('USDC', 'EURC')),
      address text not null,
      -- asked: the request is on its way, or whoever sent it is gone · unknown: its answer was lost · given · refused
      state text not null check (state in ('asked', 'unknown', 'given', 'refused')),
      tenant_id text not null,
      asked_at timestamptz not null,
      -- Asking again is refused before.
      again_at timestamptz not null,
      -- The last block before the request; null: the chain could not be asked.
      after_block bigint,
      transaction_hash text,
      primary key (blockchain, token, address)
    );
    create index faucet_request_age on faucet_request (again_at);
  `.execute(db);
}
