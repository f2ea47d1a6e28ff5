import { type Selectable, sql } from "kysely";
import { z } from "zod";
import { StoredHash } from "../../domain/stored-fields.ts";
import { currentTraceId } from "../../domain/trace.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { CrossChainTransferTable } from "../../platform/database/generated-tables.ts";
import { takeDueRows } from "../../platform/leased-queue/take-rows.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import { hasEnded, type NewTransfer, type Transfer, type TransferChange, type TransferStatus } from "./transfers.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "cross-chain.transfers": Transfers;
  }
}

interface TransferOwner {
  tenantId: string;
  environment: Environment;
}

const Steps = z.array(
  z.object({
    step: z.string(),
    chain: z.string(),
    transactionId: z.string().nullable(),
    txHash: StoredHash.nullable(),
  }),
);

/** A step that was to be stored when another worker had the transfer already. */
export class LostTransfer extends Error {}

/** Nothing wakes a transfer whose notification is lost: it is looked at again after this time. */
const LOOK_SECONDS = 30;

/** Joins the caller's transaction if `db` is one. */
export const createTransfers = (db: Queryable, clock: Clock) => ({
  ...createRecords(db, clock),
  ...createSteps(db, clock),
});

type Transfers = ReturnType<typeof createTransfers>;

const lookAt = (clock: Clock): string => clock.now().add({ seconds: LOOK_SECONDS }).toString();

function createRecords(db: Queryable, clock: Clock) {
  async function findByKey({ tenantId, environment }: TransferOwner, key: string): Promise<Transfer | undefined> {
    const row = await db
      .selectFrom("crossChainTransfer")
      .selectAll()
      .where("environment", "=", environment)
      .where("tenantId", "=", tenantId)
      .where("idempotencyKey", "=", key)
      .executeTakeFirst();
    return row && toTransfer(row);
  }

  return {
    /** Returns the stored one, and whether it is new: the same key is the same transfer. */
    async insert(transfer: NewTransfer): Promise<{ transfer: Transfer; isNew: boolean }> {
      const { amount, fee, received, steps, detail, expectedBy, ...members } = transfer;
      const now = clock.now().toString();
      const row = await db
        .insertInto("crossChainTransfer")
        .values({
          ...members,
          traceId: currentTraceId() ?? null,
          amountMicro: amount,
          feeMicro: fee,
          receivedMicro: received,
          steps: JSON.stringify(steps),
          detail: JSON.stringify(detail),
          expectedBy: expectedBy.toString(),
          nextAt: lookAt(clock),
          createdAt: now,
          updatedAt: now,
        })
        .onConflict((conflict) => conflict.columns(["environment", "tenantId", "idempotencyKey"]).doNothing())
        .returningAll()
        .executeTakeFirst();
      if (row !== undefined) return { transfer: toTransfer(row), isNew: true };
      const earlier = await findByKey(transfer, transfer.idempotencyKey);
      if (earlier === undefined) throw new Error(`the transfer ${transfer.idempotencyKey} was and was not there`);
      return { transfer: earlier, isNew: false };
    },

    async find({ tenantId, environment }: TransferOwner, id: string): Promise<Transfer | undefined> {
      const row = await db
        .selectFrom("crossChainTransfer")
        .selectAll()
        .where("id", "=", id)
        .where("environment", "=", environment)
        .where("tenantId", "=", tenantId)
        .executeTakeFirst();
      return row && toTransfer(row);
    },

    /** Those that have not ended, oldest first. */
    async listOpen({ tenantId, environment }: TransferOwner, limit: number): Promise<readonly Transfer[]> {
      const rows = await db
        .selectFrom("crossChainTransfer")
        .selectAll()
        .where("environment", "=", environment)
        .where("tenantId", "=", tenantId)
        .where("nextAt", "is not", null)
        .orderBy("createdAt")
        .limit(limit)
        .execute();
      return rows.map(toTransfer);
    },
  };
}

/** The worker's storage of steps. */
function createSteps(db: Queryable, clock: Clock) {
  const mine = ({ id, version }: Transfer) =>
    db
      .updateTable("crossChainTransfer")
      .where("id", "=", id)
      .where("version", "=", version)
      .where("nextAt", "is not", null);

  return {
    /** Leases due transfers of a kind for a time. */
    async take(kind: string, limit: number): Promise<readonly Transfer[]> {
      const at = clock.now();
      const rows = await takeDueRows<Selectable<CrossChainTransferTable>>(db, {
        table: "cross_chain_transfer",
        key: ["id"],
        due: "next_at",
        at,
        until: at.add({ seconds: LOOK_SECONDS }),
        limit,
        where: sql`kind = ${kind} and next_at is not null`,
        set: sql`version = version + 1, is_woken = false`,
      });
      return rows.map(toTransfer);
    },

    /** Stores a step and renews the lease. Throws `LostTransfer` if another worker has it. */
    async move(transfer: Transfer, status: TransferStatus, change: TransferChange): Promise<Transfer> {
      const { fee, received, receivedToken, steps, detail, expectedBy, waiting } = {
        ...transfer,
        waiting: null,
        ...change,
      };
      const now = clock.now().toString();
      const isOver = hasEnded({ status });
      const row = await mine(transfer)
        .set({
          status,
          feeMicro: fee,
          receivedMicro: received,
          receivedToken,
          steps: JSON.stringify(steps),
          detail: JSON.stringify(detail),
          expectedBy: expectedBy.toString(),
          waiting,
          attempts: 0,
          version: transfer.version + 1,
          nextAt: isOver ? null : lookAt(clock),
          updatedAt: now,
          endedAt: isOver ? now : null,
        })
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) throw new LostTransfer(transfer.id);
      return toTransfer(row);
    },

    /**
     * Gives the lease back until `until`; left out: until it is woken. At once if it was woken meanwhile, which it then returns.
     * Undefined: another worker has it.
     */
    async leave(
      transfer: Transfer,
      { waiting, until }: { waiting: string | null; until?: Temporal.Instant | undefined },
    ): Promise<{ isWoken: boolean } | undefined> {
      const at = clock.now().toString();
      return await mine(transfer)
        .set({
          waiting,
          attempts: transfer.attempts + 1,
          version: transfer.version + 1,
          nextAt: sql<string>`case when is_woken then ${at}::timestamptz else ${until?.toString() ?? lookAt(clock)}::timestamptz end`,
          updatedAt: at,
        })
        .returning("isWoken")
        .executeTakeFirst();
    },

    /** Makes open transfers due now, also if a worker has them. */
    async wake(ids: readonly string[]): Promise<void> {
      if (ids.length === 0) return;
      await sql`
        with woken as materialized (
          select id from cross_chain_transfer where id = any (${ids}::text[]) and next_at is not null order by id for update
        )
        update cross_chain_transfer as transfer set is_woken = true, next_at = ${clock.now().toString()}::timestamptz
        from woken where transfer.id = woken.id`.execute(db);
    },
  };
}

function toTransfer(row: Selectable<CrossChainTransferTable>): Transfer {
  return {
    id: row.id,
    tenantId: row.tenantId,
    environment: row.environment,
    idempotencyKey: row.idempotencyKey,
    callId: row.callId,
    traceId: row.traceId,
    kind: row.kind,
    status: row.status,
    fromChain: row.fromChain,
    toChain: row.toChain,
    token: row.token,
    recipient: row.recipient,
    amount: row.amountMicro,
    fee: row.feeMicro,
    received: row.receivedMicro,
    receivedToken: row.receivedToken,
    steps: Steps.parse(row.steps),
    detail: row.detail,
    expectedBy: row.expectedBy,
    waiting: row.waiting,
    attempts: row.attempts,
    version: row.version,
    createdAt: row.createdAt,
  };
}
