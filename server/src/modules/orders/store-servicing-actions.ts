import { type Selectable, sql } from "kysely";
import { currentTraceId } from "../../domain/trace.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { ServicingActionTable } from "../../platform/database/generated-tables.ts";
import { withoutNulls } from "../../platform/database/without-nulls.ts";
import { createWorkerLeases, type LeasedTable } from "../../platform/leased-queue/worker-leases.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ServicingAction, ServicingActions } from "./servicing-actions.ts";

/** The failure code of an action whose outcome stayed unknown (`servicing-effect.ts`). */
const GIVEN_UP = "provider_timeout";

/** A column of a query over `booking`: false if `listUnclear` finds nothing for its order. */
export const mayHaveUnclear = sql<boolean>`exists (
  select from servicing_action
  where servicing_action.network = booking.network and servicing_action.order_id = booking.order_id
    and (servicing_action.state = 'sent' or servicing_action.state = 'failed' and servicing_action.failure_code = ${sql.lit(GIVEN_UP)})
)`;

const SENDING = ["sent"] as const;

const table: LeasedTable<Selectable<ServicingActionTable>, ServicingAction> = {
  name: "servicing_action",
  open: { notIn: ["done", "failed"] },
  sending: SENDING,
  toRecord: toAction,
};

export function createServicingActions(queryable: Queryable, clock: Clock): ServicingActions {
  const leases = createWorkerLeases(queryable, clock, table);

  return {
    ...leases,
    wake: (id) => leases.wake(id, SENDING),
    ...createReads(queryable),
    ...createLists(queryable),
    ...createWrites(queryable, clock),
  };
}

function createReads(queryable: Queryable): Pick<ServicingActions, "findLive" | "get"> {
  return {
    async findLive(tenantId, environment, kind, subjectId) {
      const row = await queryable
        .selectFrom("servicingAction")
        .selectAll()
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("kind", "=", kind)
        .where("subjectId", "=", subjectId)
        .where("state", "<>", "failed")
        .executeTakeFirst();
      return row === undefined ? undefined : toAction(row);
    },

    async get(id) {
      const row = await queryable.selectFrom("servicingAction").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? undefined : toAction(row);
    },
  };
}

/** The actions of an order. */
function createLists(queryable: Queryable): Pick<ServicingActions, "listDone" | "listSent" | "listUnclear"> {
  return {
    async listDone(environment, orderId) {
      const rows = await queryable
        .selectFrom("servicingAction")
        .selectAll()
        .where("environment", "=", environment)
        .where("orderId", "=", orderId)
        .where("state", "=", "done")
        .execute();
      return rows.map(toAction);
    },

    async listSent(environment, orderId) {
      const rows = await queryable
        .selectFrom("servicingAction")
        .selectAll()
        .where("environment", "=", environment)
        .where("orderId", "=", orderId)
        .where("state", "=", "sent")
        .execute();
      return rows.map(toAction);
    },

    async listUnclear(environment, orderId) {
      const rows = await queryable
        .selectFrom("servicingAction as action")
        .selectAll("action")
        .where("environment", "=", environment)
        .where("orderId", "=", orderId)
        .where(({ and, eb, exists, not, or, selectFrom }) =>
          or([
            eb("state", "=", "sent"),
            and([
              eb("state", "=", "failed"),
              eb("failureCode", "=", GIVEN_UP),
              not(
                exists(
                  selectFrom("servicingAction as live")
                    .select("live.id")
                    .whereRef("live.tenantId", "=", "action.tenantId")
                    .whereRef("live.environment", "=", "action.environment")
                    .whereRef("live.kind", "=", "action.kind")
                    .whereRef("live.subjectId", "=", "action.subjectId")
                    .where("live.state", "<>", "failed"),
                ),
              ),
            ]),
          ]),
        )
        .orderBy("createdAt")
        .execute();
      return rows.map(toAction);
    },
  };
}

function createWrites(queryable: Queryable, clock: Clock): Pick<ServicingActions, "insert" | "reopen" | "advance"> {
  const now = (): string => clock.now().toString();

  return {
    async insert(action) {
      const at = now();
      const row = await queryable
        .insertInto("servicingAction")
        .values({
          id: action.id,
          tenantId: action.tenantId,
          environment: action.environment,
          callId: action.callId,
          traceId: currentTraceId(),
          kind: action.kind,
          subjectId: action.subjectId,
          bookingId: action.bookingId,
          orderId: action.orderId,
          state: "intended",
          paymentKind: action.payment?.kind ?? null,
          paymentMicro: action.payment?.amount ?? null,
          expected: JSON.stringify(action.expected),
          workerId: action.workerId,
          workerSeenAt: at,
          createdAt: at,
          updatedAt: at,
        })
        .onConflict((conflict) =>
          conflict.columns(["tenantId", "environment", "kind", "subjectId"]).where("state", "<>", "failed").doNothing(),
        )
        .returningAll()
        .executeTakeFirst();
      return row === undefined ? undefined : toAction(row);
    },

    async reopen(id) {
      // If the action is repeated at the same moment, the index of live actions refuses one of the two.
      const row = await queryable
        .updateTable("servicingAction")
        .set({
          state: "sent",
          failureCode: null,
          workerId: null,
          workerSeenAt: null,
          quietUntil: now(),
          updatedAt: now(),
        })
        .where("id", "=", id)
        .where("state", "=", "failed")
        .where("failureCode", "=", GIVEN_UP)
        .where("paymentKind", "is", null)
        .returning("id")
        .executeTakeFirst();
      return row !== undefined;
    },

    async advance(id, guard, to, { result, failureCode, quietUntil } = {}) {
      const at = now();
      const row = await queryable
        .updateTable("servicingAction")
        .set({
          state: to,
          updatedAt: at,
          workerSeenAt: at,
          result: result === undefined ? undefined : JSON.stringify(result),
          failureCode,
          quietUntil: quietUntil?.toString(),
        })
        .where("id", "=", id)
        .where("state", "=", guard.from)
        .where("workerId", "=", guard.workerId)
        .returning("id")
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}

function toAction({
  paymentKind: kind,
  paymentMicro: amount,
  ...row
}: Selectable<ServicingActionTable>): ServicingAction {
  return { ...withoutNulls(row), payment: kind === null || amount === null ? undefined : { kind, amount } };
}
