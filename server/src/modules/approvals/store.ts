import { type SqlBool, sql } from "kysely";
import { currentTraceId } from "../../domain/trace.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { withoutNulls } from "../../platform/database/without-nulls.ts";
import type { Clock } from "../../ports/clock.ts";
import { appendAudit } from "../identity/index.ts";
import type { Approval, ApprovalOwner, ApprovalPage, Decision, NewApproval, StoredApprovals } from "./approvals.ts";
import { giveApprovalsBack, pruneApprovalUses, takeApprovalAgain, useApproval } from "./store-uses.ts";

const columns = [
  ...(["id", "tenantId", "environment", "callHash", "contentHash", "tool", "travelerId", "policyId"] as const),
  ...(["policyVersion", "amountMicro as amount", "toleranceMicro as tolerance", "evidence", "role"] as const),
  ...(["requestedBy", "requestedKeyId", "requestedAt", "expiresAt", "state"] as const),
  ...(["fareHash", "rejectionHash"] as const),
  ...(["decidedBy", "decidedWith", "decidedAt", "reason", "usedAt"] as const),
] as const;

/** Joins the caller's transaction when `queryable` is one. */
export function createApprovals(queryable: Queryable, clock: Clock): StoredApprovals {
  const inTransaction = <T>(work: (db: Queryable) => Promise<T>): Promise<T> =>
    queryable.isTransaction ? work(queryable) : queryable.transaction().execute(work);
  return {
    async find(owners, id) {
      const rows = await selectOf(queryable, owners).where("id", "=", id).execute();
      return rows.map((row) => withoutNulls(row))[0];
    },
    async findSigned(id) {
      const row = await queryable.selectFrom("approval").select(columns).where("id", "=", id).executeTakeFirst();
      return row === undefined ? undefined : withoutNulls(row);
    },
    async findLast(owner, callHash, lock) {
      const row = await selectOf(queryable, [owner])
        .where("callHash", "=", callHash)
        .orderBy("position", "desc")
        .limit(1)
        .$if(lock !== undefined, (query) => query.forUpdate())
        .executeTakeFirst();
      return row === undefined ? undefined : withoutNulls(row);
    },
    async findSameFare(owner, fareHash, lock) {
      const row = await selectOf(queryable, [owner])
        .where((where) => where.and({ fareHash, state: "approved" }))
        .where("expiresAt", ">", sql<Temporal.Instant>`${clock.now().toString()}::timestamptz`)
        .orderBy("position", "desc")
        .limit(1)
        .$if(lock !== undefined, (query) => query.forUpdate())
        .executeTakeFirst();
      return row === undefined ? undefined : withoutNulls(row);
    },
    async findRejected(owner, rejectionHash) {
      const rows = await selectOf(queryable, [owner])
        .where((where) => where.and({ rejectionHash, state: "rejected" }))
        .where("expiresAt", ">", sql<Temporal.Instant>`${clock.now().toString()}::timestamptz`)
        .orderBy("position", "desc")
        .execute();
      return rows.map((row) => withoutNulls(row));
    },
    async isUnderWay({ tenantId, environment }, id) {
      const found = await queryable
        .selectFrom("approval")
        .innerJoin("call", "call.id", "approval.callId")
        .select("call.id")
        .where((where) =>
          where.and({
            "approval.tenantId": tenantId,
            "approval.environment": environment,
            "approval.id": id,
            "call.state": "reserved",
          }),
        )
        .executeTakeFirst();
      return found !== undefined;
    },
    request: (approval) => inTransaction((db) => request(db, clock, approval)),
    decide: (owner, id, decision) => inTransaction((db) => decide(db, clock, { owner, id }, decision)),
    use: (owner, id, callId) => useApproval(queryable, clock, { ...owner, id }, callId),
    takeAgain: (callId) => takeApprovalAgain(queryable, clock, callId),
    async usedBy(owner, callId) {
      const rows = await selectOf(queryable, [owner]).where("callId", "=", callId).execute();
      return rows.map((row) => withoutNulls(row));
    },
    settle: (callId) => giveApprovalsBack(queryable, sql`approval.call_id = ${callId}`),
    settleAll: (limit) =>
      giveApprovalsBack(
        queryable,
        sql`approval.id in (
          select used.id from approval used join call on call.id = used.call_id
          where used.state = 'used' and call.state = 'released' and call.effect in ('none', 'failed') limit ${limit})`,
      ),
    prune: () => pruneApprovalUses(queryable, clock),
    list: (owners, page) => list(queryable, clock, owners, page),
  };
}

function selectOf(db: Queryable, owners: readonly ApprovalOwner[]) {
  return db
    .selectFrom("approval")
    .select(columns)
    .where(({ or, and, eb }) =>
      or(
        owners.map(({ tenantId, environment }) =>
          and([eb("tenantId", "=", tenantId), eb("environment", "=", environment)]),
        ),
      ),
    );
}

function changeOf(db: Queryable, { tenantId, environment }: ApprovalOwner, id: string) {
  return db.updateTable("approval").where((where) => where.and({ tenantId, environment, id }));
}

async function request(db: Queryable, clock: Clock, approval: NewApproval): Promise<Approval> {
  const {
    tenantId,
    environment,
    callHash,
    contentHash,
    fareHash,
    rejectionHash,
    amount,
    tolerance,
    evidence,
    ...rest
  } = approval;
  // One after the other for each call: there may be none to lock yet.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`approval:${environment}:${tenantId}:${callHash}`}, 0))`.execute(
    db,
  );
  const now = clock.now().toString();
  const waiting = await selectOf(db, [approval])
    .where((where) => where.and({ callHash, state: "pending", contentHash }))
    .where("amountMicro", amount === undefined ? "is" : "=", amount ?? null)
    .where("expiresAt", ">", sql<Temporal.Instant>`${now}::timestamptz`)
    .executeTakeFirst();
  if (waiting !== undefined) return withoutNulls(waiting);
  await db
    .updateTable("approval")
    .set({ state: "replaced" })
    .where((where) => where.and({ tenantId, environment, callHash }))
    .where("state", "in", ["pending", "approved"])
    .execute();
  const row = await db
    .insertInto("approval")
    .values({
      ...rest,
      tenantId,
      environment,
      callHash,
      contentHash,
      evidence: JSON.stringify(evidence),
      state: "pending",
      fareHash: fareHash ?? null,
      rejectionHash: rejectionHash ?? null,
      amountMicro: amount ?? null,
      toleranceMicro: tolerance,
      traceId: currentTraceId(),
      requestedAt: approval.requestedAt.toString(),
      expiresAt: approval.expiresAt.toString(),
    })
    .returning(columns)
    .executeTakeFirstOrThrow();
  const { id, tool, requestedBy, requestedKeyId } = approval;
  const details = { network: environment, tool, keyId: requestedKeyId, evidence };
  await appendAudit(db, { tenantId, actor: requestedBy, action: "approval.request", subjectId: id, details }, clock);
  return withoutNulls(row);
}

async function decide(
  db: Queryable,
  clock: Clock,
  { owner, id }: { owner: ApprovalOwner; id: string },
  { to, by, with: decidedWith, reason }: Decision,
): Promise<Approval | undefined> {
  const decidedAt = clock.now().toString();
  const row = await changeOf(db, owner, id)
    .set({ state: to, decidedBy: by, decidedWith, decidedAt, reason: reason ?? null })
    .where("state", "=", to === "revoked" ? "approved" : "pending")
    .where("expiresAt", ">", sql<Temporal.Instant>`${decidedAt}::timestamptz`)
    .returning(columns)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { tenantId, environment } = owner;
  const details = { network: environment, to, with: decidedWith, reason: reason ?? null, evidence: row.evidence };
  await appendAudit(db, { tenantId, actor: by, action: "approval.decide", subjectId: id, details }, clock);
  return withoutNulls(row);
}

/** As `travelersOf` says it. */
function isTraveler(personId: string) {
  const named = (trip: string) => sql`jsonb_exists(evidence #> array[${trip}, 'travelerIds'], ${personId})`;
  const unnamed = (trip: string) =>
    sql`(jsonb_typeof(evidence -> ${trip}::text) = 'object' and evidence #>> array[${trip}, 'travelerIds'] is null and traveler_id = ${personId})`;
  const isOn = (trip: string) => sql`coalesce(${named(trip)}, false) or coalesce(${unnamed(trip)}, false)`;
  return sql`(${isOn("bought")} or ${isOn("purpose")})`;
}

async function list(
  db: Queryable,
  clock: Clock,
  owners: readonly ApprovalOwner[],
  { limit, before, state, decidableBy }: ApprovalPage,
): Promise<readonly Approval[]> {
  const now = clock.now().toString();
  let query = selectOf(db, owners).orderBy("position", "desc").limit(limit);
  if (before !== undefined) {
    query = query.where("position", "<", (eb) =>
      eb.selectFrom("approval as last").select("last.position").where("last.id", "=", before),
    );
  }
  if (state !== undefined) query = query.where("state", "=", state);
  if (state === "pending") query = query.where("expiresAt", ">", sql<Temporal.Instant>`${now}::timestamptz`);
  if (decidableBy !== undefined) {
    const { personId, roles } = decidableBy;
    query = query
      .where("requestedBy", "<>", personId)
      .where(sql<SqlBool>`not ${isTraveler(personId)}`)
      .where(
        sql<SqlBool>`not exists (select 1 from api_key where api_key.id = requested_key_id and api_key.person_id = ${personId})`,
      );
    if (!roles.includes("admin")) query = query.where(sql<SqlBool>`role = any (${[...roles]}::text[])`);
  }
  return (await query.execute()).map((row) => withoutNulls(row));
}
