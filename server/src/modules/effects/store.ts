import type { Queryable } from "../../platform/database/database.ts";
import type { Effects } from "./effects.ts";

export function createEffects(db: Queryable): Effects {
  const mark = async (callId: string, effect: "open" | "done" | "failed", result: string | null): Promise<void> => {
    await db.updateTable("call").set({ effect, result }).where("id", "=", callId).execute();
  };
  return {
    open: (callId) => mark(callId, "open", null),
    done: (callId, result) => mark(callId, "done", JSON.stringify(result)),
    failed: (callId) => mark(callId, "failed", null),
  };
}
