import { type Selectable, sql } from "kysely";
import type { Hex } from "../../domain/tokens.ts";
import { currentTraceId } from "../../domain/trace.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { ValidationTable } from "../../platform/database/generated-tables.ts";
import { withoutNulls } from "../../platform/database/without-nulls.ts";
import type { ChainKey } from "../../ports/chain/chain-key.ts";
import type { Clock } from "../../ports/clock.ts";
import type { NewValidation, RecordedOnChain, Validation, ValidationAnswer, ValidatorSummary } from "./reputation.ts";
import { recordedRows } from "./store-feedback.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "reputation.validations": Validations;
  }
}

/** Validations of agents' work. Joins the caller's transaction when `db` is one. */
export function createValidations(db: Queryable, clock: Clock) {
  return {
    /** Inserts it as `requesting`. Undefined: this hash exists already. */
    async insert(validation: NewValidation): Promise<Validation | undefined> {
      const row = await db
        .insertInto("validation")
        .values({
          ...validation,
          agentId: validation.agentId.toString(),
          createdAt: clock.now().toString(),
          traceId: currentTraceId(),
        })
        .onConflict((conflict) => conflict.columns(["environment", "chain", "requestHash"]).doNothing())
        .returningAll()
        .executeTakeFirst();
      return row === undefined ? undefined : toValidation(row);
    },

    /** Finds the request of any tenant. */
    async find({ environment, chain }: ChainKey, requestHash: Hex): Promise<Validation | undefined> {
      const row = await db
        .selectFrom("validation")
        .selectAll()
        .where("environment", "=", environment)
        .where("chain", "=", chain)
        .where("requestHash", "=", requestHash)
        .executeTakeFirst();
      return row === undefined ? undefined : toValidation(row);
    },

    /** Validators that have answered, by address, after `after`. */
    async listValidators(
      { environment, chain }: ChainKey,
      { after, limit }: { after: Hex | undefined; limit: number },
    ): Promise<readonly ValidatorSummary[]> {
      const { rows } = await sql<ValidatorSummary>`
        select validator, count(*)::int as requests, count(*) filter (where state = 'answered')::int as answers,
               round(avg(response) filter (where state = 'answered'), 2)::float8 as "averageResponse",
               max(answered_at) as "lastAnsweredAt"
          from validation
         where network = ${environment} and chain = ${chain} and state <> 'requesting' and validator > ${after ?? ""}
         group by validator having bool_or(state = 'answered')
         order by validator limit ${limit}`.execute(db);
      return rows;
    },

    async confirmRequests(recorded: readonly RecordedOnChain[]): Promise<void> {
      await sql`
        update validation set state = 'requested', request_transaction_hash = line.hash
          from ${recordedRows(recorded)} as line (id, hash)
         where validation.id = line.id and validation.state = 'requesting'`.execute(db);
    },

    /** Removes a request that the chain refused. */
    async discardRequest(id: string): Promise<void> {
      await db.deleteFrom("validation").where("id", "=", id).where("state", "=", "requesting").execute();
    },

    /** Requested → answering. False: it is in another state. */
    async answer({ environment, chain }: ChainKey, requestHash: Hex, answer: ValidationAnswer): Promise<boolean> {
      const row = await db
        .updateTable("validation")
        .set({
          state: "answering",
          answerId: answer.id,
          answerTenantId: answer.tenantId,
          response: answer.response,
          responseUri: answer.responseUri ?? null,
          responseHash: answer.responseHash,
        })
        .where("environment", "=", environment)
        .where("chain", "=", chain)
        .where("requestHash", "=", requestHash)
        .where("state", "=", "requested")
        .returning("id")
        .executeTakeFirst();
      return row !== undefined;
    },

    async confirmAnswers(recorded: readonly RecordedOnChain[]): Promise<void> {
      await sql`
        update validation set state = 'answered', answer_transaction_hash = line.hash,
               answered_at = ${clock.now().toString()}::timestamptz
          from ${recordedRows(recorded)} as line (id, hash)
         where validation.answer_id = line.id and validation.state = 'answering'`.execute(db);
    },

    /** Answering → requested, when the chain refused the answer. */
    async discardAnswer(id: string): Promise<void> {
      await db
        .updateTable("validation")
        .set({
          state: "requested",
          answerId: null,
          answerTenantId: null,
          response: null,
          responseUri: null,
          responseHash: null,
        })
        .where("answerId", "=", id)
        .where("state", "=", "answering")
        .execute();
    },
  };
}

type Validations = ReturnType<typeof createValidations>;

export function toValidation(row: Selectable<ValidationTable>): Validation {
  const { answerId, answerTenantId, response, responseUri, responseHash, ...request } = withoutNulls(row);
  const isAnswered =
    answerId !== undefined && answerTenantId !== undefined && response !== undefined && responseHash !== undefined;
  return {
    ...request,
    agentId: BigInt(row.agentId),
    answer: isAnswered ? { id: answerId, tenantId: answerTenantId, response, responseUri, responseHash } : undefined,
  };
}
