import { type RawBuilder, sql } from "kysely";
import type { EffectFollower } from "../../kernel/contracts/effect-follower.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { writeTogether } from "../../platform/database/write-together.ts";
import type { Aggregates } from "./context.ts";
import type { CallBefore, Effects } from "./effects.ts";

/** Returns the statement that opens a call's effect and returns what it was before. It may be part of a larger statement. */
export function openCall(callId: string): RawBuilder<CallBefore> {
  return sql<CallBefore>`
    with before as (select id, state, effect from call where id = ${callId} for update)
    update call set effect = 'open', result = null from before where call.id = before.id
    returning before.state, before.effect`;
}

interface Options {
  db: Queryable;
  effectFollowers: readonly EffectFollower[];
  beside(): Aggregates;
}

/** A call's spending and its approval follow its effects outside, in the same transaction. */
export function createEffects({ db, effectFollowers, beside }: Options): Effects {
  const followed = sql.raw(
    effectFollowers
      .flatMap(({ doneWith = [] }) => doneWith)
      .map((change, index) => `, followed_${index} as (${change})`)
      .join(""),
  );
  return {
    async open(callId) {
      const { rows } = await openCall(callId).execute(db);
      await this.opened(callId, rows[0]);
    },
    async opened(callId, before) {
      // Only an ended call or a failed effect gives back what the call has reserved, and this transaction holds the call's lock.
      if (before?.state === "reserved" && before.effect === "none") return;
      for (const follower of effectFollowers) await follower.opened?.(beside(), callId);
    },
    async done(callId, result, writes = []) {
      const ended = sql`
        ended as (
          update call set effect = 'done', result = ${JSON.stringify(result)} where id = ${callId} returning id
        )${followed}`;
      await writeTogether(db, writes, ended);
    },
    async failed(callId) {
      await db.updateTable("call").set({ effect: "failed", result: null }).where("id", "=", callId).execute();
      for (const follower of effectFollowers) await follower.failed?.(beside(), callId);
    },
  };
}
