import type { Aggregates } from "../../kernel/stores.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { Clock } from "../../ports/clock.ts";
import { StoredCallSpends } from "../limits/index.ts";
import type { Effects } from "./effects.ts";

/** What a call spends, and the approval that let it through, follow what it does outside, in the same transaction. */
export function createEffects(db: Queryable, clock: Clock, beside: () => Pick<Aggregates, "approvals">): Effects {
  const spends = new StoredCallSpends(db, clock);
  const mark = async (callId: string, effect: "open" | "done" | "failed", result: string | null): Promise<void> => {
    await db.updateTable("call").set({ effect, result }).where("id", "=", callId).execute();
  };
  return {
    async open(callId) {
      await mark(callId, "open", null);
      await spends.open(callId);
      await beside().approvals.takeAgain(callId);
    },
    async done(callId, result) {
      await mark(callId, "done", JSON.stringify(result));
      await spends.done(callId);
    },
    async failed(callId) {
      await mark(callId, "failed", null);
      await spends.failed(callId);
    },
  };
}
