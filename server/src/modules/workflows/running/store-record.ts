import { sql } from "kysely";
import { z } from "zod";
import type { TripEntryKind, TripNote } from "../../../kernel/contracts/trip-note.ts";
import type { Queryable } from "../../../platform/database/database.ts";
import { insertTripEntry, type NewTripEntry } from "../../trip-record/index.ts";
import { type DecidedBy, type NewPause, type Run, TIMEOUT } from "../runs.ts";
import { entryOfRun, type Runner } from "./remember-run.ts";

/** Entries of runs in their trips' records, which are written in the transactions that store what they tell. */

async function append(db: Queryable, runId: string, entry: NewTripEntry): Promise<void> {
  const trips = sql`select tenant_id, network, trip_id from workflow_run where id = ${runId}`;
  await insertTripEntry(trips, entry).execute(db);
}

export function noteStart(run: Runner & Pick<Run, "workflowId">, at: Temporal.Instant): NewTripEntry {
  const { workflowId } = run;
  const note: TripNote = { kind: "run", text: `A run of ${workflowId} began.`, details: { workflowId } };
  return entryOfRun(run, "start", note, at);
}

export function noteEnd(
  run: Runner & Pick<Run, "workflowId">,
  end: { state: string; failure?: unknown },
  at: Temporal.Instant,
): NewTripEntry {
  const { code } = Failed.safeParse(end.failure).data ?? {};
  const text = `The run of ${run.workflowId} ${code === undefined ? "was completed" : `failed: ${code}`}.`;
  const note: TripNote = { kind: "run", text, details: { workflowId: run.workflowId, state: end.state, code } };
  return entryOfRun(run, "end", note, at);
}

const Failed = z.object({ code: z.string() });

/** A choice shown to a person is recorded as an offer of the trip. */
export function notePause(run: Runner, pause: NewPause, at: Temporal.Instant): NewTripEntry {
  const { stepId, reason, decidedBy, shown, expiresAt } = pause;
  const kind: TripEntryKind = decidedBy === "person" ? "offer" : "run";
  const { offer, verdict } = Shown.safeParse(shown).data ?? {};
  const details = { step: stepId, decidedBy, expiresAt: expiresAt.toString(), offer, verdict };
  return entryOfRun(run, `${stepId}:paused`, { kind, text: `Waiting: ${reason}`, details }, at);
}

const Shown = z.object({ offer: z.unknown(), verdict: z.unknown() });

interface Resolved {
  runId: string;
  stepId: string;
  decidedBy: DecidedBy;
  /** The event that resolved it. */
  event: string | undefined;
  about: string | undefined;
  resolution: object;
  by: string;
}

export function noteResolution(resolved: Resolved, at: Temporal.Instant): NewTripEntry {
  const { runId, stepId, decidedBy, event, about, resolution, by } = resolved;
  const { status = "given" } = Status.safeParse(resolution).data ?? {};
  const isApproval = event === "approval_decided";
  const kind: TripEntryKind =
    isApproval || decidedBy === "person" ? "approval" : decidedBy === "caller" ? "decision" : "run";
  const key = isApproval ? `approval:${about}` : `${runId}:${stepId}:resolved`;
  const isPerson = by !== event;
  return {
    key,
    kind,
    text: `${stepId}: ${status}${by === TIMEOUT ? ", as nobody answered in time" : ""}.`,
    at,
    details: { step: stepId, status, runId, ...(isApproval ? { approvalId: about } : {}) },
    userId: isPerson && by !== TIMEOUT ? by : undefined,
  };
}

const Status = z.object({ status: z.string() });

/** `mails`: the number of people written to. */
export async function rememberReminder(
  db: Queryable,
  { runId, stepId }: { runId: string; stepId: string },
  mails: number,
  at: Temporal.Instant,
) {
  await append(db, runId, {
    key: `${runId}:${stepId}:reminded`,
    kind: "message",
    userId: undefined,
    at,
    text: `Half of the time for ${stepId} has passed: ${mails === 0 ? "nobody has an address for a reminder" : `${mails} reminded by email`}.`,
    details: { step: stepId, runId, mails },
  });
}
