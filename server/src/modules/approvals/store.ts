import { type SqlBool, sql } from "kysely";
import { Failure } from "../../domain/errors.ts";
import { currentTraceId } from "../../domain/trace.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { pruneRows } from "../../platform/database/prune.ts";
import { withoutNulls } from "../../platform/database/without-nulls.ts";
import { dueIfAny } from "../../platform/leased-queue/watch-queues.ts";
import type { Clock } from "../../ports/clock.ts";
import { appendAudit } from "../identity/index.ts";
import type { Approval, ApprovalOwner, ApprovalPage, Decision, NewApproval } from "./approvals.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "approvals.approvals": StoredApprovals;
  }
}

/** Approvals whose call ended without an effect. */
const USED_IN_VAIN = `
  from approval used join call on call.id = used.call_id
  where used.state = 'used' and call.state = 'released' and call.effect in ('none', 'failed')`;

export const APPROVALS_TO_GIVE_BACK = { name: "approval", earliest: dueIfAny(`select ${USED_IN_VAIN}`) };

/** Longer than a process can stall and then continue. */
const KEPT_DAYS = 7;

const columns = [
  ...(["id", "tenantId", "environment", "callHash", "contentHash", "tool", "travelerId", "policyId"] as const),
  ...(["policyVersion", "amountMicro as amount", "toleranceMicro as tolerance", "evidence", "role"] as const),
  ...(["requestedBy", "requestedKeyId", "requestedAt", "expiresAt", "state"] as const),
  ...(["fareHash", "rejectionHash"] as const),
  ...(["decidedBy", "decidedWith", "decidedAt", "reason", "usedAt"] as const),
] as const;

/** Joins the caller's transaction if `queryable` is one. */
export function createApprovals(queryable: Queryable, clock: Clock) {
  const inTransaction = <T>(work: (db: Queryable) => Promise<T>): Promise<T> =>
    queryable.isTransaction ? work(queryable) : queryable.transaction().execute(work);
  return {
    async find(owners: readonly ApprovalOwner[], id: string): Promise<Approval | undefined> {
      const rows = await selectApprovals(queryable, owners).where("id", "=", id).execute();
      return rows.map((row) => withoutNulls(row))[0];
    },
    async findNewest(owner: ApprovalOwner): Promise<Approval | undefined> {
      const [newest] = await list(queryable, clock, [owner], { limit: 1 });
      return newest;
    },
    /** For callers who have proved with a signed link that they may know the id. */
    async findSigned(id: string): Promise<Approval | undefined> {
      const row = await queryable.selectFrom("approval").select(columns).where("id", "=", id).executeTakeFirst();
      return row === undefined ? undefined : withoutNulls(row);
    },
    /** The latest approval requested for this call. `lock` keeps it unchanged until the end of the transaction. */
    async findLast(owner: ApprovalOwner, callHash: string, lock?: "lock"): Promise<Approval | undefined> {
      const row = await selectApprovals(queryable, [owner])
        .where("callHash", "=", callHash)
        .orderBy("position", "desc")
        .limit(1)
        .$if(lock !== undefined, (query) => query.forUpdate())
        .executeTakeFirst();
      return row === undefined ? undefined : withoutNulls(row);
    },
    /** The latest approval for the same flights and fare under another offer's id that is neither used nor expired. */
    async findSameFare(owner: ApprovalOwner, fareHash: string, lock?: "lock"): Promise<Approval | undefined> {
      const row = await selectApprovals(queryable, [owner])
        .where("fareHash", "=", fareHash)
        .where("state", "=", "approved")
        .where("expiresAt", ">", sql<Temporal.Instant>`${clock.now().toString()}::timestamptz`)
        .orderBy("position", "desc")
        .limit(1)
        .$if(lock !== undefined, (query) => query.forUpdate())
        .executeTakeFirst();
      return row === undefined ? undefined : withoutNulls(row);
    },
    /** Rejections in force of the same purchase or payment, whichever call made it, latest first. */
    async findRejected(owner: ApprovalOwner, rejectionHash: string): Promise<readonly Approval[]> {
      const rows = await selectApprovals(queryable, [owner])
        .where("rejectionHash", "=", rejectionHash)
        .where("state", "=", "rejected")
        .where("expiresAt", ">", sql<Temporal.Instant>`${clock.now().toString()}::timestamptz`)
        .orderBy("position", "desc")
        .execute();
      return rows.map((row) => withoutNulls(row));
    },
    /** Whether the call that an approval allowed is still running. */
    async isUnderWay({ tenantId, environment }: ApprovalOwner, id: string): Promise<boolean> {
      const found = await queryable
        .selectFrom("approval")
        .innerJoin("call", "call.id", "approval.callId")
        .select("call.id")
        .where("approval.tenantId", "=", tenantId)
        .where("approval.environment", "=", environment)
        .where("approval.id", "=", id)
        .where("call.state", "=", "reserved")
        .executeTakeFirst();
      return found !== undefined;
    },
    /** Returns a pending one with the same content if there is one; any other pending or unused one is replaced. */
    request: (approval: NewApproval): Promise<Approval> => inTransaction((db) => request(db, clock, approval)),
    /** Audits the decision with the evidence. Undefined if it was already decided, used or expired. */
    decide: (owner: ApprovalOwner, id: string, decision: Decision): Promise<Approval | undefined> =>
      inTransaction((db) => decide(db, clock, { owner, id }, decision)),
    use: (owner: ApprovalOwner, id: string, callId: string): Promise<void> =>
      useApproval(queryable, clock, { ...owner, id }, callId),
    /**
     * In the transaction that opens the call's effect outside: takes back an approval that was given back because the
     * call seemed dead. Throws a Failure if another call has it by now.
     */
    takeAgain: (callId: string): Promise<void> => takeApprovalAgain(queryable, clock, callId),
    /** The approvals that allowed a call. */
    async usedBy(owner: ApprovalOwner, callId: string): Promise<readonly Approval[]> {
      const rows = await selectApprovals(queryable, [owner]).where("callId", "=", callId).execute();
      return rows.map((row) => withoutNulls(row));
    },
    /** Gives an approval back if its call has ended without an effect. */
    settle: (callId: string): Promise<void> => giveApprovalsBack(queryable, sql`approval.call_id = ${callId}`),
    /** The same for calls whose process died. */
    settleAll: (limit: number): Promise<void> =>
      giveApprovalsBack(queryable, sql`approval.id in (select used.id ${sql.raw(USED_IN_VAIN)} limit ${limit})`),
    /** Forgets old uses of approvals. */
    prune: (): Promise<void> => pruneApprovalUses(queryable, clock),
    list: (owners: readonly ApprovalOwner[], page: ApprovalPage): Promise<readonly Approval[]> =>
      list(queryable, clock, owners, page),
  };
}

type StoredApprovals = ReturnType<typeof createApprovals>;

function selectApprovals(db: Queryable, owners: readonly ApprovalOwner[]) {
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

function updateApproval(db: Queryable, { tenantId, environment }: ApprovalOwner, id: string) {
  return db
    .updateTable("approval")
    .where("tenantId", "=", tenantId)
    .where("environment", "=", environment)
    .where("id", "=", id);
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
  // An advisory lock per call, as there may be no row to lock yet.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`approval:${environment}:${tenantId}:${callHash}`}, 0))`.execute(
    db,
  );
  const now = clock.now().toString();
  const waiting = await selectApprovals(db, [approval])
    .where("callHash", "=", callHash)
    .where("state", "=", "pending")
    .where("contentHash", "=", contentHash)
    .where("amountMicro", amount === undefined ? "is" : "=", amount ?? null)
    .where("expiresAt", ">", sql<Temporal.Instant>`${now}::timestamptz`)
    .executeTakeFirst();
  if (waiting !== undefined) return withoutNulls(waiting);
  await db
    .updateTable("approval")
    .set({ state: "replaced" })
    .where("tenantId", "=", tenantId)
    .where("environment", "=", environment)
    .where("callHash", "=", callHash)
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
  const entry = { tenantId, environment, actor: requestedBy, action: "approval.request", subjectId: id, details };
  await appendAudit(db, entry, clock);
  return withoutNulls(row);
}

async function decide(
  db: Queryable,
  clock: Clock,
  { owner, id }: { owner: ApprovalOwner; id: string },
  { to, by, with: decidedWith, reason }: Decision,
): Promise<Approval | undefined> {
  const decidedAt = clock.now().toString();
  const row = await updateApproval(db, owner, id)
    .set({ state: to, decidedBy: by, decidedWith, decidedAt, reason: reason ?? null })
    .where("state", "=", to === "revoked" ? "approved" : "pending")
    .where("expiresAt", ">", sql<Temporal.Instant>`${decidedAt}::timestamptz`)
    .returning(columns)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const details = { network: owner.environment, to, with: decidedWith, reason: reason ?? null, evidence: row.evidence };
  await appendAudit(db, { ...owner, actor: by, action: "approval.decide", subjectId: id, details }, clock);
  return withoutNulls(row);
}

/** As in `listTravelers`. */
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
  let query = selectApprovals(db, owners).orderBy("position", "desc").limit(limit);
  if (before !== undefined) {
    query = query.where("position", "<", (eb) =>
      eb.selectFrom("approval as last").select("last.position").where("last.id", "=", before),
    );
  }
  const isLate = sql<SqlBool>`expires_at <= ${now}::timestamptz`;
  if (state === "expired") query = query.where("state", "in", ["pending", "approved"]).where(isLate);
  else if (state !== undefined) query = query.where("state", "=", state);
  if (state === "pending") query = query.where(sql<SqlBool>`not ${isLate}`);
  if (decidableBy !== undefined) {
    const { personId, roles } = decidableBy;
    query = query
      .where("requestedBy", "<>", personId)
      .where(sql<SqlBool>`not ${isTraveler(personId)}`)
      .where(
        sql<SqlBool>`not exists (select 1 from api_key where api_key.id = requested_key_id and api_key.person_id = ${personId})`,
      );
    if (!roles.includes("admin") && !roles.includes("owner"))
      query = query.where(sql<SqlBool>`role = any (${[...roles]}::text[])`);
  }
  return (await query.execute()).map((row) => withoutNulls(row));
}

async function useApproval(
  db: Queryable,
  clock: Clock,
  { tenantId, environment, id }: ApprovalOwner & Pick<Approval, "id">,
  callId: string,
): Promise<void> {
  const usedAt = clock.now().toString();
  const { numUpdatedRows } = await db
    .updateTable("approval")
    .set({ state: "used", callId, usedAt })
    .where("tenantId", "=", tenantId)
    .where("environment", "=", environment)
    .where("id", "=", id)
    .where("state", "=", "approved")
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return;
  await db
    .insertInto("approvalUse")
    .values({ callId, tenantId, environment, approvalId: id, usedAt, traceId: currentTraceId() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Takes the call's approval again if it was given back. Throws a Failure if another call has it by now. */
async function takeApprovalAgain(db: Queryable, clock: Clock, callId: string): Promise<void> {
  const found = await db
    .selectFrom("approvalUse")
    .innerJoin("approval", "approval.id", "approvalUse.approvalId")
    .select(["approval.id", "approval.tenantId", "approval.environment", "approval.state"])
    .select(["approval.callId", "approval.expiresAt"])
    .where("approvalUse.callId", "=", callId)
    .forUpdate("approval")
    .executeTakeFirst();
  if (found === undefined || found.callId === callId) return;
  const code = lostBecause(found, clock.now());
  if (code !== undefined) {
    const detail =
      "This call stalled for so long that its approval was released. Nothing was done; send the call again.";
    throw new Failure(code, { detail, extra: { approvalId: found.id } });
  }
  await useApproval(db, clock, found, callId);
}

function lostBecause(
  { state, expiresAt }: Pick<Approval, "state" | "expiresAt">,
  now: Temporal.Instant,
): string | undefined {
  if (state === "used") return "approval_used";
  if (state === "revoked") return "approval_revoked";
  if (state !== "approved") return "approval_required";
  return Temporal.Instant.compare(expiresAt, now) <= 0 ? "approval_expired" : undefined;
}

/**
 * Gives back approvals of failed calls without effects outside, unless the same was requested again meanwhile. Locks
 * the call: a call that wakes up and begins an effect either comes first or finds the approval given back.
 */
async function giveApprovalsBack(db: Queryable, which: ReturnType<typeof sql>): Promise<void> {
  await sql`
    with over as (
      select approval.id from call join approval on approval.call_id = call.id
      where ${which} and approval.state = 'used'
        and call.state = 'released' and call.effect in ('none', 'failed')
        and not exists (select 1 from approval later where later.tenant_id = approval.tenant_id
          and later.network = approval.network and later.call_hash = approval.call_hash
          and later.position > approval.position)
      for update of call, approval)
    update approval set state = 'approved', call_id = null, used_at = null from over where approval.id = over.id`.execute(
    db,
  );
}

async function pruneApprovalUses(db: Queryable, clock: Clock): Promise<void> {
  const before = clock.now().subtract({ hours: KEPT_DAYS * 24 });
  await pruneRows(db, "approval_use", sql`used_at < ${before.toString()}::timestamptz`);
}
