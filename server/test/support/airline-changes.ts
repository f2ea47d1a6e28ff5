import { expect } from "vitest";
import { z } from "zod";
import type { StaysWorld } from "./stays-service.ts";

const Change = z.object({ airline_initiated_change: z.object({ id: z.string() }) });
const Shown = z.object({
  answerBy: z.string().nullable(),
  becomes: z.array(z.unknown()),
  options: z.array(z.object({ kind: z.string() })),
  told: z.array(z.object({ channel: z.string() })),
});
const Waiting = z.object({ run_id: z.string(), session_id: z.string(), shown: Shown });
/** The ways of an airline's change from the supplier's event to its answer. */
export function openAirlineChanges(world: StaysWorld) {
  const changeFlights = async (orderId: string, minutes: number | null) =>
    Change.parse(
      await world.supplier("/_sandbox/schedule_changes", { order_id: orderId, slice: 0, shift_minutes: minutes }),
    ).airline_initiated_change.id;

  const runsFor = (changeId: string) =>
    world.service.sql("select id, state, result from workflow_run where tenant_id = $1 and idempotency_key = $2", [
      world.service.tenantId,
      `airline_change:${changeId}`,
    ]);

  /** The decision that the run waits for. */
  async function waitForDecision(changeId: string) {
    const read = async () =>
      (
        await world.service.sql(
          `select run.id as run_id, pause.session_id, pause.shown from workflow_run run join workflow_pause pause on pause.run_id = run.id
           where run.tenant_id = $1 and run.idempotency_key = $2 and pause.resolution is null`,
          [world.service.tenantId, `airline_change:${changeId}`],
        )
      )[0];
    await expect.poll(read, { timeout: 60_000, interval: 200 }).toBeDefined();
    return Waiting.parse(await read());
  }

  async function decide(changeId: string, status: string) {
    const { session_id: sessionId } = await waitForDecision(changeId);
    await world.result("resume_run", { sessionId, resolution: { status } });
    const end = async () => (await runsFor(changeId))[0]?.state;
    await expect.poll(end, { timeout: 60_000, interval: 200 }).toBe("completed");
    return z.looseObject({ end: z.string() }).parse((await runsFor(changeId))[0]?.result);
  }

  const answersAtSupplier = async (changeId: string) =>
    (await world.readRequests(changeId)).filter(({ path }) => path.endsWith("/actions/accept")).length;

  return { changeFlights, runsFor, waitForDecision, decide, answersAtSupplier };
}
