import type { Log } from "../../ports/log.ts";
import type { Outcome, Replay } from "../contracts/charge.ts";
import type { PreparedCall } from "./prepare-call.ts";

/**
 * What was stored for a call, as who sends it again gets it. Where others have finished the call, only what it did is stored: the
 * tool adds what it says, once, and that is stored too. What an earlier release has stored gets what answers have now.
 */
export async function answerAgain(
  { log, translate }: { log: Log; translate(error: unknown): unknown },
  prepared: PreparedCall,
  { outcome, keep }: Replay,
): Promise<Outcome> {
  if (!outcome.ok) return outcome;
  const { tool } = prepared.entry;
  const result = await wholeOf(prepared, outcome.result, keep).catch((error: unknown) => {
    throw translate(error);
  });
  const read = tool.output.safeParse(result);
  if (read.success) return { ok: true, result: read.data };
  // It is done and paid for: what is known of it is better than an error.
  log.error({ err: read.error, tool: tool.name }, "a stored answer does not fit the output of its tool");
  return { ok: true, result };
}

async function wholeOf(
  { entry, ports, caller }: PreparedCall,
  stored: unknown,
  keep: Replay["keep"],
): Promise<unknown> {
  const { complete } = entry.tool;
  if (complete === undefined || !lacksMembers(entry.outputSchema, stored)) return stored;
  return await keep(entry.redactResult(await complete(stored, ports, caller)));
}

/** Whether it lacks what an answer always has. */
function lacksMembers({ required }: Readonly<Record<string, unknown>>, result: unknown): boolean {
  if (!Array.isArray(required) || typeof result !== "object" || result === null) return false;
  return required.some((name) => !Object.hasOwn(result, name));
}
