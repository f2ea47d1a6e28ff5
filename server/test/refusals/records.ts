import { freshHash } from "../support/escrow.ts";
import { keepScan } from "../support/keep-scan.ts";
import { settled } from "./escrow.ts";
import { changed, once, type Provoke, type Refusals, type World } from "./refusal.ts";

/** Tools of travelers, invoices and runs. */

/** It waits for a guest to claim its trip. */
async function pausedRun({ escrow, result }: World) {
  const tripId = await escrow.prefund("20");
  const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: 40 }).toString();
  const input = { tripId, origin: "LHR", destination: "CDG", departureDate };
  const { runId, sessionId } = await result("run_workflow", { workflowId: "service.book_flight", input });
  return { runId: String(runId), sessionId: String(sessionId) };
}
const waiting = once(pausedRun);
const over = once(async (world) => {
  const run = await pausedRun(world);
  await world.result("cancel_run", { runId: run.runId });
  return run;
});
const resume = (sessionId: string) => ({ sessionId, resolution: { status: "claimed" } });

/** The hash of its settlement. */
const settlement = once(async (world) => {
  const sql = "select transaction_hash from escrow_step where booking_id = $1 and step = 'settle'";
  const [row] = await world.service.sql(sql, [await settled(world)]);
  return String(row?.transaction_hash);
});
const ofReverted =
  (buildArgs: (world: World) => Promise<object>): Provoke =>
  async (world) => {
    const where = ["hash", await settlement(world)] as const;
    const set = "state = 'reverted'";
    return { args: await buildArgs(world), restore: await changed(world, { table: "chain_transaction", set, where }) };
  };

export const recordRefusals: Readonly<Record<string, Refusals>> = {
  save_traveler: {
    traveler_not_found: () => ({ args: { userId: "svc:key_nobody", givenName: "Kim" } }),
    scan_not_found: () => ({ args: { scanId: `scn_${"0".repeat(43)}` } }),
    scan_of_another_person: async ({ service, result }) => {
      await result("save_traveler", { userId: "user_scanned", givenName: "Anna", familyName: "Eriksson" });
      const scanId = await keepScan(service, { givenName: "BO", familyName: "LINDQVIST" });
      return { args: { userId: "user_scanned", scanId } };
    },
  },
  activate_tenant_pricing_policy: {},
  trip_delay_replanner: {},
  generate_booking_invoice: {
    booking_not_found: () => ({ args: { bookingId: freshHash() } }),
    booking_not_settled: async ({ escrow }) => ({
      args: { bookingId: await escrow.reserve(await escrow.prefund("20"), "10") },
    }),
    settlement_unknown: async (world) => ({
      args: { bookingId: await settled(world), settleTxHash: freshHash() },
    }),
    settlement_of_other_booking: async (world) => {
      const [row] = await world.service.sql(
        "select transaction_hash from escrow_step where booking_id = $1 and step = 'reserve'",
        [await settled(world)],
      );
      return { args: { bookingId: await settled(world), settleTxHash: row?.transaction_hash } };
    },
    settlement_reverted: ofReverted(async (world) => ({
      bookingId: await settled(world),
      settleTxHash: await settlement(world),
    })),
    settlement_not_final: ofReverted(async (world) => ({ bookingId: await settled(world) })),
    invoicing_not_set: "deployment",
    e_invoice_refused: "deployment",
    rate_not_available: "deployment",
    rate_stale: "deployment",
    e_invoice_not_checked: "deployment",
    invoice_not_drawn: "work",
  },
  run_workflow: {},
  ask_travel_agent: {},
  resume_run: {
    session_not_found: () => ({ args: resume("ses_0000UnheardOf0000000000") }),
    pause_over: async (world) => ({ args: resume((await over(world)).sessionId) }),
    resolved_by_event: async (world) => ({ args: resume((await waiting(world)).sessionId) }),
    person_decides: async (world) => {
      const { runId, sessionId } = await waiting(world);
      const where = ["run_id", runId] as const;
      const set = "decided_by = 'person'";
      return { args: resume(sessionId), restore: await changed(world, { table: "workflow_pause", set, where }) };
    },
  },
  cancel_run: {
    run_not_found: () => ({ args: { runId: "run_0000UnheardOf0000000000" } }),
    loss_not_accepted: "quote",
  },
};
