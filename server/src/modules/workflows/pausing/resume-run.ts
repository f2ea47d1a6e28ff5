import { z } from "zod";
import { Failure, invalidInput } from "../../../domain/errors.ts";
import { type Decider, decideApproval } from "../../approvals/index.ts";
import { findOwnTraveler } from "../../travelers/index.ts";
import type { RunParts } from "../run-parts.ts";
import type { DecidedBy, Run, RunOwner, RunPause } from "../runs.ts";
import { checkEvent, confirmEvent } from "./confirm-event.ts";

export interface Resumer {
  /** The tenants that it acts for. */
  owners: readonly RunOwner[];
  /** For the journal and the audit log. */
  name: string;
  /** Whether it may decide for a person. `unnamed`: an internal token that has not named one. */
  mayDecide: boolean | "unnamed";
  /** The person who decides approvals with their own record. Default: none. */
  decider?: Decider | undefined;
  /** Continues the run in place of the key that started it; requires a key of the run's tenant. */
  keyIdFor(tenantId: string): string | undefined;
}

export interface Resolution {
  sessionId: string;
  resolution: Readonly<Record<string, unknown>>;
}

/**
 * Finds the pause and its resolution. Throws what can be refused without asking outside; changes nothing. An approval with its
 * own record is decided by that record.
 */
async function findPause({ stores, travelers }: RunParts, resumer: Resumer, { sessionId, resolution }: Resolution) {
  const found = await stores.runs.findSession(resumer.owners, sessionId);
  if (found === undefined) throw new Failure("not_found", { detail: "There is no paused run with this session." });
  const { run, pause, isOpen } = found;
  if (!isOpen) throw closed(run.id);
  refuseOthers(pause.decidedBy, resumer);
  const checked = checkResolution(pause, resolution);
  await requireTravelers(travelers, run, checked);
  if (pause.event === "approval_decided") await requireDecision(stores, resumer, run, pause);
  return { run, pause, checked };
}

/** Checks everything that `resumeRun` refuses, for a preview: the awaited event is looked up without being stored. */
export async function checkResume(parts: RunParts, resumer: Resumer, request: Resolution): Promise<void> {
  const { run, pause, checked } = await findPause(parts, resumer, request);
  if (pause.event !== "approval_decided" && pause.decidedBy === "service") await checkEvent(parts, run, pause, checked);
}

/** Resolves a pause. The first resolution wins; every other one throws `session_closed`. */
export async function resumeRun(parts: RunParts, resumer: Resumer, request: Resolution): Promise<Run> {
  const { runs } = parts.stores;
  const { sessionId } = request;
  const { run, pause, checked } = await findPause(parts, resumer, request);
  const give = () => runs.resolve(sessionId, checked, resumer.name, resumer.keyIdFor(run.tenantId));
  const isResolved =
    pause.event === "approval_decided"
      ? await decide(parts, resumer, run, pause, checked)
      : pause.decidedBy === "service"
        ? await confirmEvent(parts, run, pause, { checked, give })
        : await give();
  if (!isResolved) throw closed(run.id);
  parts.workflowRunner.wake();
  return run;
}

const Decided = z.object({ status: z.enum(["approved", "rejected"]) });

/** Decides the approval's own record, which wakes the run. False: it was decided before. */
async function decide(
  { stores }: RunParts,
  resumer: Resumer,
  owner: RunOwner,
  pause: RunPause,
  resolution: object,
): Promise<boolean> {
  const { approval, decider } = await requireDecision(stores, resumer, owner, pause);
  const { status } = Decided.parse(resolution);
  try {
    await decideApproval(stores, approval, decider, { to: status, reason: undefined });
    return true;
  } catch (error) {
    if (error instanceof Failure && error.code === "conflict") return false;
    throw error;
  }
}

async function requireDecision(
  { approvals }: Pick<RunParts["stores"], "approvals">,
  { decider }: Resumer,
  owner: RunOwner,
  { about = "" }: RunPause,
) {
  const approval = await approvals.find([owner], about);
  if (decider === undefined || approval === undefined) throw notYours();
  return { approval, decider };
}

function refuseOthers(decidedBy: DecidedBy, { mayDecide }: Resumer): void {
  if (decidedBy !== "person" || mayDecide === true) return;
  if (mayDecide === false) throw notYours();
  const message = "must name the person who decided, because an internal token can decide only on behalf of a person";
  throw invalidInput([{ path: "resolution.approvedBy", message }]);
}

function notYours(): Failure {
  return new Failure("missing_scope", {
    detail: "Only a person who may decide approvals can resolve this pause, never the agent that asks.",
    extra: { scope: "approvals:decide" },
  });
}

function checkResolution(pause: RunPause, resolution: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const parsed = z.fromJSONSchema(pause.expects).safeParse(resolution);
  if (parsed.success && typeof parsed.data === "object" && parsed.data !== null) return { ...parsed.data };
  const issues = parsed.error?.issues ?? [];
  throw invalidInput(
    issues.map(({ path, message }) => ({ path: ["resolution", ...path.map(String)].join("."), message })),
  );
}

const Named = z.object({ customerUserIds: z.array(z.string()) });
const Party = z.object({ passengers: z.int() });

/** A run that goes on with a traveler who does not exist, or with too many, would fail. */
async function requireTravelers(travelers: RunParts["travelers"], run: Run, resolution: object): Promise<void> {
  const { customerUserIds = [] } = Named.safeParse(resolution).data ?? {};
  const { passengers } = Party.safeParse(run.input).data ?? {};
  const path = "resolution.customerUserIds";
  if (passengers !== undefined && customerUserIds.length > passengers) {
    throw invalidInput([{ path, message: `must name at most ${passengers}, the number of passengers` }]);
  }
  const found = await Promise.all(customerUserIds.map((id) => findOwnTraveler(travelers, run, id)));
  const message = "is not one of your travelers; list_travelers lists them, and save_traveler creates one";
  const issues = found.flatMap((userId, index) =>
    userId === undefined ? [{ path: `${path}.${index}`, message }] : [],
  );
  if (issues.length > 0) throw invalidInput(issues);
}

function closed(runId: string): Failure {
  return new Failure("session_closed", {
    detail: `This pause was already resolved or has timed out. See read_run with runId ${runId}.`,
    extra: { runId },
  });
}
