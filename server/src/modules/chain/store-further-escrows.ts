import { type Selectable, sql } from "kysely";
import { tokenSymbols } from "../../domain/tokens.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { FurtherEscrowTable } from "../../platform/database/generated-tables.ts";
import { withoutNulls } from "../../platform/database/without-nulls.ts";
import type { BoundChain } from "../../ports/chain/bound-chains.ts";
import type { ChainKey } from "../../ports/chain/chain-key.ts";
import type { Clock } from "../../ports/clock.ts";
import { appendAudit } from "../identity/index.ts";
import { postAll } from "../ledger/index.ts";
import { type ChainMemory, createChainMemory } from "./chain-memory.ts";
import type { FurtherEscrow, FurtherEscrows, NewEscrow } from "./further-escrows.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "chain.furtherEscrows": FurtherEscrows;
  }
}

const KNOWN_MILLISECONDS = 5_000;
const ACTOR = "command";

export function createFurtherEscrows(
  db: Queryable,
  clock: Clock,
  { escrows }: Pick<ChainMemory, "escrows"> = createChainMemory(),
): FurtherEscrows {
  const inTransaction = <Result>(work: (transaction: Queryable) => Promise<Result>): Promise<Result> =>
    db.isTransaction ? work(db) : db.transaction().execute(work);

  async function list({ environment, chain }: ChainKey): Promise<readonly FurtherEscrow[]> {
    const rows = await db
      .selectFrom("furtherEscrow")
      .selectAll()
      .where("environment", "=", environment)
      .where("chain", "=", chain)
      .orderBy("allowedAt")
      .orderBy("address")
      .execute();
    return rows.map(toFurtherEscrow);
  }

  return {
    list,

    async find({ environment, chain }, address) {
      const row = await db
        .selectFrom("furtherEscrow")
        .selectAll()
        .where("environment", "=", environment)
        .where("chain", "=", chain)
        .where("address", "=", address)
        .executeTakeFirst();
      return row === undefined ? undefined : toFurtherEscrow(row);
    },

    async isKnown(key, address) {
      const now = clock.now().epochMilliseconds;
      const name = `${key.environment} ${key.chain}`;
      const known = escrows.get(name);
      if (known !== undefined && Math.abs(now - known.at) < KNOWN_MILLISECONDS) return known.addresses.has(address);
      const addresses = new Set((await list(key)).map((one) => one.address));
      if (!db.isTransaction) escrows.set(name, { at: now, addresses });
      return addresses.has(address);
    },

    add: (bound, escrow) => inTransaction((transaction) => addEscrow(transaction, clock, bound, escrow)),

    setRevoked: (chain, escrow, isRevoked) =>
      inTransaction((transaction) => setRevoked(transaction, clock, { ...chain, ...escrow }, isRevoked)),
  };
}

async function addEscrow(
  transaction: Queryable,
  clock: Clock,
  { environment, chain, indexed }: BoundChain,
  { tenantId, address, graceSeconds, returnsToTrip, balances }: NewEscrow,
): Promise<boolean> {
  // Holds back whoever is reading blocks, until the row is there for the next reading.
  const held = await transaction
    .updateTable("chainNetwork")
    .set({ furtherEscrows: sql<number>`further_escrows + 1` })
    .where("environment", "=", environment)
    .where("chain", "=", chain)
    .where("indexedNumber", "=", indexed.number)
    .where("indexedHash", "=", indexed.hash)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("furtherEscrow as known")
            .select("known.address")
            .where("known.environment", "=", environment)
            .where("known.chain", "=", chain)
            .where("known.address", "=", address),
        ),
      ),
    )
    .returning("chain")
    .executeTakeFirst();
  if (held === undefined) return false;
  const escrow = { environment, chain, address, tenantId, sinceBlock: indexed.number, graceSeconds, returnsToTrip };
  await transaction
    .insertInto("furtherEscrow")
    .values({ ...escrow, allowedAt: clock.now().toString(), revokedAt: null })
    .execute();
  const postings = tokenSymbols.map((token) => {
    const moves = [
      { kind: "external" as const, tenantId: null, amount: -balances[token] },
      { kind: "escrow" as const, tenantId, amount: balances[token] },
    ];
    const reference = `adopt:${environment}:${chain}:${token}:${address}:${indexed.number}`;
    return { environment, chain, token, reference, kind: "adopt" as const, moves };
  });
  await postAll(transaction, postings, clock);
  await audit(transaction, clock, escrow, "escrow.allow");
  return true;
}

type EscrowKey = ChainKey & Pick<FurtherEscrow, "tenantId" | "address">;

async function setRevoked(
  transaction: Queryable,
  clock: Clock,
  escrow: EscrowKey,
  isRevoked: boolean,
): Promise<boolean> {
  const row = await transaction
    .updateTable("furtherEscrow")
    .set({ revokedAt: isRevoked ? clock.now().toString() : null })
    .where("environment", "=", escrow.environment)
    .where("chain", "=", escrow.chain)
    .where("address", "=", escrow.address)
    .where("tenantId", "=", escrow.tenantId)
    .where("revokedAt", isRevoked ? "is" : "is not", null)
    .returning("address")
    .executeTakeFirst();
  if (row === undefined) return false;
  await audit(transaction, clock, escrow, isRevoked ? "escrow.revoke" : "escrow.allow");
  return true;
}

async function audit(db: Queryable, clock: Clock, escrow: EscrowKey, action: string): Promise<void> {
  const { environment, chain, address, tenantId } = escrow;
  const details = { network: environment, chain, address };
  await appendAudit(db, { tenantId, environment, actor: ACTOR, action, subjectId: tenantId, details }, clock);
}

function toFurtherEscrow(row: Selectable<FurtherEscrowTable>): FurtherEscrow {
  const { address, tenantId, sinceBlock, graceSeconds, returnsToTrip, allowedAt, revokedAt } = withoutNulls(row);
  return { address, tenantId, sinceBlock, graceSeconds, returnsToTrip, allowedAt, revokedAt };
}
