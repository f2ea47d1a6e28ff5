import type { Selectable } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import type { ServicingActionTable } from "../../platform/database/tables/servicing-tables.ts";
import type { Clock } from "../../ports/clock.ts";
import { createLeases, type LeasedTable } from "../effects/store-leases.ts";
import type { ServicingAction, ServicingActions } from "./servicing-actions.ts";

/** What an action fails with whose outcome stayed unknown (`servicing-effect.ts`). */
const GIVEN_UP = "provider_timeout";

const table: LeasedTable<Selectable<ServicingActionTable>, ServicingAction> = {
  name: "servicing_action",
  final: ["done", "failed"],
  sending: ["sent"],
  toRecord: toAction,
};

export function createServicingActions(queryable: Queryable, clock: Clock): ServicingActions {
  const now = (): string => clock.now().toString();
  const leases = createLeases(queryable, clock, table);

  return {
    ...leases,
    wake: (id) => leases.wake(id, table.sending),

    async insert(action) {
      const at = now();
      const row = await queryable
        .insertInto("servicing_action")
        .values({
          id: action.id,
          tenant_id: action.tenantId,
          network: action.network,
          call_id: action.callId,
          kind: action.kind,
          subject_id: action.subjectId,
          booking_id: action.bookingId,
          order_id: action.orderId,
          state: "intended",
          payment_kind: action.payment?.kind ?? null,
          payment_micro: action.payment?.amount ?? null,
          expected: JSON.stringify(action.expected),
          worker_id: action.workerId,
          worker_seen_at: at,
          created_at: at,
          updated_at: at,
        })
        .onConflict((conflict) =>
          conflict.columns(["tenant_id", "network", "kind", "subject_id"]).where("state", "<>", "failed").doNothing(),
        )
        .returningAll()
        .executeTakeFirst();
      return row === undefined ? undefined : toAction(row);
    },

    async findLive(tenantId, network, kind, subjectId) {
      const row = await queryable
        .selectFrom("servicing_action")
        .selectAll()
        .where("tenant_id", "=", tenantId)
        .where("network", "=", network)
        .where("kind", "=", kind)
        .where("subject_id", "=", subjectId)
        .where("state", "<>", "failed")
        .executeTakeFirst();
      return row === undefined ? undefined : toAction(row);
    },

    async get(id) {
      const row = await queryable.selectFrom("servicing_action").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? undefined : toAction(row);
    },

    async listDone(network, orderId) {
      const rows = await queryable
        .selectFrom("servicing_action")
        .selectAll()
        .where("network", "=", network)
        .where("order_id", "=", orderId)
        .where("state", "=", "done")
        .execute();
      return rows.map(toAction);
    },

    async listSent(network, orderId) {
      const rows = await queryable
        .selectFrom("servicing_action")
        .selectAll()
        .where("network", "=", network)
        .where("order_id", "=", orderId)
        .where("state", "=", "sent")
        .execute();
      return rows.map(toAction);
    },

    async listGivenUp(network, orderId) {
      const rows = await queryable
        .selectFrom("servicing_action as action")
        .selectAll("action")
        .where("network", "=", network)
        .where("order_id", "=", orderId)
        .where("state", "=", "failed")
        .where("failure_code", "=", GIVEN_UP)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom("servicing_action as live")
                .select("live.id")
                .whereRef("live.tenant_id", "=", "action.tenant_id")
                .whereRef("live.network", "=", "action.network")
                .whereRef("live.kind", "=", "action.kind")
                .whereRef("live.subject_id", "=", "action.subject_id")
                .where("live.state", "<>", "failed"),
            ),
          ),
        )
        .orderBy("created_at")
        .execute();
      return rows.map(toAction);
    },

    async reopen(id) {
      // When somebody repeats it at this moment, the index of live actions refuses one of both.
      const row = await queryable
        .updateTable("servicing_action")
        .set({
          state: "sent",
          failure_code: null,
          worker_id: null,
          worker_seen_at: null,
          quiet_until: now(),
          updated_at: now(),
        })
        .where("id", "=", id)
        .where("state", "=", "failed")
        .where("failure_code", "=", GIVEN_UP)
        .where("payment_kind", "is", null)
        .returning("id")
        .executeTakeFirst();
      return row !== undefined;
    },

    async advance(id, guard, to, { result, failureCode, quietUntil } = {}) {
      const at = now();
      const row = await queryable
        .updateTable("servicing_action")
        .set({
          state: to,
          updated_at: at,
          worker_seen_at: at,
          ...(result === undefined ? {} : { result: JSON.stringify(result) }),
          ...(failureCode === undefined ? {} : { failure_code: failureCode }),
          ...(quietUntil === undefined ? {} : { quiet_until: quietUntil.toString() }),
        })
        .where("id", "=", id)
        .where("state", "=", guard.from)
        .where("worker_id", "=", guard.workerId)
        .returning("id")
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}

function toAction(row: Selectable<ServicingActionTable>): ServicingAction {
  const { payment_kind: kind, payment_micro: amount } = row;
  return {
    id: row.id,
    tenantId: row.tenant_id,
    network: row.network,
    callId: row.call_id,
    kind: row.kind,
    subjectId: row.subject_id,
    bookingId: row.booking_id,
    orderId: row.order_id,
    state: row.state,
    payment: kind === null || amount === null ? undefined : { kind, amount },
    expected: row.expected,
    result: row.result ?? undefined,
    failureCode: row.failure_code ?? undefined,
    workerId: row.worker_id ?? undefined,
    workerSeenAt: row.worker_seen_at ?? undefined,
    quietUntil: row.quiet_until ?? undefined,
    createdAt: row.created_at,
  };
}
