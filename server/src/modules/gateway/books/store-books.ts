import { sql } from "kysely";
import type { Micro } from "../../../domain/money.ts";
import type { Queryable } from "../../../platform/database/database.ts";
import type { ChainKey } from "../../../ports/chain/chain-key.ts";
import type { Clock } from "../../../ports/clock.ts";
import { type Purse, postAll } from "../../ledger/index.ts";
import type { GatewayBooks, OwnedEvent } from "./gateway-books.ts";

interface Move {
  kind: "gateway" | "gateway_reserved" | "gateway_withdrawing" | "external";
  amount: Micro;
}

/** Joins the caller's transaction if `db` is one. */
export function createGatewayBooks(db: Queryable, clock: Clock): GatewayBooks {
  const inTransaction = <Result>(work: (transaction: Queryable) => Promise<Result>): Promise<Result> =>
    db.isTransaction ? work(db) : db.transaction().execute(work);

  return {
    depositedAfter: (purse, block) => readDepositedAfter(db, purse, block),

    async listBehind(environment) {
      const rows = await db
        .selectFrom("gatewayReading as reading")
        .innerJoin("chainNetwork as bound", (join) =>
          join
            .onRef("bound.environment", "=", "reading.environment")
            .onRef("bound.chain", "=", "reading.chain")
            .onRef("bound.indexedNumber", ">", "reading.readNumber"),
        )
        .select("reading.chain")
        .where("reading.environment", "=", environment)
        .execute();
      return rows.map(({ chain }) => chain);
    },

    async reading({ environment, chain }) {
      const row = await db
        .selectFrom("gatewayReading")
        .select(["readNumber as block", "readAt as at"])
        .where("environment", "=", environment)
        .where("chain", "=", chain)
        .executeTakeFirst();
      return row;
    },

    async begin({ environment, chain }, afterBlock) {
      await db
        .insertInto("gatewayReading")
        .values({ environment, chain, readNumber: afterBlock, readAt: clock.now().toString() })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },

    advance: (chain, from, to, events) =>
      inTransaction(async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable("gatewayReading")
          .set({ readNumber: to, readAt: clock.now().toString() })
          .where("environment", "=", chain.environment)
          .where("chain", "=", chain.chain)
          .where("readNumber", "=", from)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return false;
        await postAll(
          transaction,
          events.map((owned) => toPosting(chain, owned)),
          clock,
        );
        return true;
      }),

    custody: (chain) => readCustody(db, chain),

    reserve: (purse, most, reference) =>
      inTransaction(async (transaction) => {
        const available = await lockAvailable(transaction, purse);
        const amount = available < most ? available : most;
        await post(transaction, purse, "gateway_reserve", `gateway_reserve:${reference}`, amount);
        return amount;
      }),

    release: (purse, amount, reference) =>
      inTransaction((transaction) =>
        post(transaction, purse, "gateway_release", `gateway_release:${reference}`, -amount),
      ),
  };

  /** A negative amount goes back. */
  async function post(
    transaction: Queryable,
    { environment, chain, token, tenantId }: Purse,
    kind: "gateway_reserve" | "gateway_release",
    reference: string,
    amount: Micro,
  ): Promise<void> {
    const moves = [
      { kind: "gateway", tenantId, amount: -amount },
      { kind: "gateway_reserved", tenantId, amount },
    ] as const;
    await postAll(transaction, [{ environment, chain, token, reference, kind, moves }], clock);
  }
}

function toPosting(chain: ChainKey, { tenantId, event, reserved }: OwnedEvent) {
  const { transactionHash, logIndex, blockNumber, depositor } = event;
  return {
    ...chain,
    token: "USDC",
    // Not that of a movement: the same event of the token has the number before or after.
    reference: `gateway:${chain.environment}:${chain.chain}:${transactionHash}:${logIndex}`,
    kind: "movement",
    moves: listMoves(event, reserved).map(({ kind, amount }) => ({
      kind,
      amount,
      tenantId: kind === "external" ? null : tenantId,
    })),
    event: { transactionHash, logIndex, blockNumber, from: event.kind === "deposited" ? event.sender : depositor },
  } as const;
}

function listMoves(event: OwnedEvent["event"], reserved: OwnedEvent["reserved"]): readonly Move[] {
  const own = reserved === undefined ? "gateway" : "gateway_reserved";
  switch (event.kind) {
    case "deposited":
      return between("external", own, event.value);
    case "withdrawal_initiated":
      return between(own, "gateway_withdrawing", event.value);
    case "withdrawal_completed":
      return between("gateway_withdrawing", "external", event.value);
    case "burned": {
      const { value, fee, fromAvailable, fromWithdrawing } = event;
      const burned: Move = { kind: "external", amount: value + fee };
      if (reserved === undefined) {
        return [
          burned,
          { kind: "gateway", amount: -fromAvailable },
          { kind: "gateway_withdrawing", amount: -fromWithdrawing },
        ];
      }
      const rest = reserved - value - fee;
      return [burned, { kind: "gateway_reserved", amount: -reserved }, { kind: "gateway", amount: rest }];
    }
  }
}

const between = (from: Move["kind"], to: Move["kind"], amount: Micro): readonly Move[] => [
  { kind: from, amount: -amount },
  { kind: to, amount },
];

async function readDepositedAfter(
  db: Queryable,
  { environment, chain, tenantId }: Purse,
  block: bigint,
): Promise<Micro> {
  const { rows } = await sql<{ amount: string }>`
    select coalesce(sum(entry.amount_micro), 0)::text as amount
    from ledger_account as account join ledger_entry as entry on entry.account_id = account.id
      join ledger_transaction as posting on posting.id = entry.transaction_id
    where account.network = ${environment} and account.chain = ${chain} and account.token = 'USDC' and account.kind = 'gateway'
      and coalesce(account.tenant_id, '') = ${tenantId}
      and posting.kind = 'movement' and posting.block_number > ${block.toString()}::bigint and entry.amount_micro > 0`.execute(
    db,
  );
  return BigInt(rows[0]?.amount ?? "0");
}

/** Until the transaction ends, nobody else takes from it. */
async function lockAvailable(db: Queryable, { environment, chain, token, tenantId }: Purse): Promise<Micro> {
  const row = await db
    .selectFrom("ledgerAccount")
    .select("balanceMicro")
    .where("environment", "=", environment)
    .where("chain", "=", chain)
    .where("token", "=", token)
    .where("kind", "=", "gateway")
    .where(sql`coalesce(tenant_id, '')`, "=", tenantId)
    .forUpdate()
    .executeTakeFirst();
  return row?.balanceMicro ?? 0n;
}

async function readCustody(db: Queryable, { environment, chain }: ChainKey) {
  // One statement, so that the block and the balances are from the same moment.
  const { rows } = await sql<{ block: bigint; tenantId: string | null; amount: string }>`
    select reading.read_number as block, account.tenant_id as "tenantId", coalesce(sum(account.balance_micro), 0)::text as amount
    from gateway_reading as reading left join ledger_account as account
      on account.network = reading.network and account.chain = reading.chain and account.token = 'USDC'
        and account.kind in ('gateway', 'gateway_reserved', 'gateway_withdrawing')
    where reading.network = ${environment} and reading.chain = ${chain}
    group by reading.read_number, account.tenant_id`.execute(db);
  const [first] = rows;
  if (first === undefined) return undefined;
  const tenants = rows.flatMap(({ tenantId, amount }) =>
    tenantId === null ? [] : [[tenantId, BigInt(amount)] as const],
  );
  return { block: first.block, tenants: new Map(tenants) };
}
