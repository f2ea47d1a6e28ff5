import { type Selectable, sql } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import type { ValidationTable } from "../../platform/database/tables/reputation-tables.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Validation, ValidationAnswer, Validations } from "./reputation.ts";
import { linesOf } from "./store-feedback.ts";

/** Validations of agents' work. Joins the caller's transaction when `db` is one. */
export function createValidations(db: Queryable, clock: Clock): Validations {
  return {
    async insert(validation) {
      const row = await db
        .insertInto("validation")
        .values({
          id: validation.id,
          network: validation.network,
          request_hash: validation.requestHash,
          tenant_id: validation.tenantId,
          agent_id: validation.agentId.toString(),
          validator: validation.validator,
          tag: validation.tag,
          request_uri: validation.requestUri ?? null,
          created_at: clock.now().toString(),
        })
        .onConflict((conflict) => conflict.columns(["network", "request_hash"]).doNothing())
        .returningAll()
        .executeTakeFirst();
      return row === undefined ? undefined : toValidation(row);
    },

    async find(network, requestHash) {
      const row = await db
        .selectFrom("validation")
        .selectAll()
        .where("network", "=", network)
        .where("request_hash", "=", requestHash)
        .executeTakeFirst();
      return row === undefined ? undefined : toValidation(row);
    },

    async confirmRequests(recorded) {
      await sql`
        update validation set state = 'requested', request_transaction_hash = line.hash
          from ${linesOf(recorded)} as line (id, hash)
         where validation.id = line.id and validation.state = 'requesting'`.execute(db);
    },

    async discardRequest(id) {
      await db.deleteFrom("validation").where("id", "=", id).where("state", "=", "requesting").execute();
    },

    async answer(network, requestHash, answer) {
      const row = await db
        .updateTable("validation")
        .set({
          state: "answering",
          answer_id: answer.id,
          answer_tenant_id: answer.tenantId,
          response: answer.response,
          response_uri: answer.responseUri ?? null,
          response_hash: answer.responseHash,
        })
        .where("network", "=", network)
        .where("request_hash", "=", requestHash)
        .where("state", "=", "requested")
        .returning("id")
        .executeTakeFirst();
      return row !== undefined;
    },

    async confirmAnswers(recorded) {
      await sql`
        update validation set state = 'answered', answer_transaction_hash = line.hash,
               answered_at = ${clock.now().toString()}::timestamptz
          from ${linesOf(recorded)} as line (id, hash)
         where validation.answer_id = line.id and validation.state = 'answering'`.execute(db);
    },

    async discardAnswer(id) {
      await db
        .updateTable("validation")
        .set({
          state: "requested",
          answer_id: null,
          answer_tenant_id: null,
          response: null,
          response_uri: null,
          response_hash: null,
        })
        .where("answer_id", "=", id)
        .where("state", "=", "answering")
        .execute();
    },
  };
}

function toValidation(row: Selectable<ValidationTable>): Validation {
  return {
    id: row.id,
    network: row.network,
    requestHash: row.request_hash,
    tenantId: row.tenant_id,
    agentId: BigInt(row.agent_id),
    validator: row.validator,
    tag: row.tag,
    requestUri: row.request_uri ?? undefined,
    state: row.state,
    requestTransactionHash: row.request_transaction_hash ?? undefined,
    createdAt: row.created_at,
    answer: toAnswer(row),
    answerTransactionHash: row.answer_transaction_hash ?? undefined,
    answeredAt: row.answered_at ?? undefined,
  };
}

function toAnswer(row: Selectable<ValidationTable>): ValidationAnswer | undefined {
  const { answer_id: id, answer_tenant_id: tenantId, response, response_hash: responseHash } = row;
  if (id === null || tenantId === null || response === null || responseHash === null) return undefined;
  return { id, tenantId, response, responseUri: row.response_uri ?? undefined, responseHash };
}
